"""A campaign: every run of a suite, isolated, into a store; interrupted and resumed at will."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from tqdm import tqdm

from benchmarks.consistency import Contradiction, contradictions, wrong
from benchmarks.methods import SOLVE_TASK, Method, Run, preload_of
from benchmarks.process import Ended, ProcessServer, ServerDied
from benchmarks.provenance import now
from benchmarks.store import Row, Store, row_key
from benchmarks.suites import Case, Suite
from instances.errors import InputError

TRY_AGAIN = frozenset({"error", "memory_limit"})
"""Runs that failed. A wrong one is not tried again: it is evidence, and must not vanish."""
RESTARTS = 3
"""How often a process server that dies is started anew."""

Executor = Callable[[Sequence[Run]], Iterator[tuple[int, Ended]]]
"""Runs everything it is given, and yields (index, how it ended) as runs end."""


@dataclass(frozen=True)
class Planned:
    """A run that is still to be done, and the row that it has if nothing more is known."""

    case: Case
    run: Run


def local_executor(workers: int) -> Executor:
    """Run on this machine, `workers` at a time."""

    def execute(runs: Sequence[Run]) -> Iterator[tuple[int, Ended]]:
        waiting = list(range(len(runs)))[::-1]
        flying: dict[int, int] = {}
        if not waiting:
            return
        for _ in range(RESTARTS):
            try:
                with ProcessServer(preload_of(run.method for run in runs)) as server:
                    while waiting or flying:
                        while waiting and len(flying) < workers:
                            index = waiting.pop()
                            flying[_submit(server, runs[index])] = index
                        ended = server.wait()
                        assert ended is not None
                        yield flying.pop(ended.id), ended
                return
            except ServerDied:
                waiting += flying.values()
                flying.clear()
        raise InputError(f"the process server died {RESTARTS} times: is the machine out of memory?")

    return execute


def _submit(server: ProcessServer, run: Run) -> int:
    return server.submit(
        SOLVE_TASK,
        run.task(),
        seconds=run.seconds,
        memory_mb=run.limits.memory,
    )


def run_campaign(
    suite: Suite, store: Store, execute: Executor
) -> tuple[list[Row], list[Contradiction]]:
    """Do what is left of a campaign; return its rows in the suite's order, and contradictions.

    Rows that are there already stay; failed ones are tried again.
    """
    planned = [Planned(case, run) for case, run in suite.runs()]
    for case in suite.cases:
        store.keep_instance(case.instance.document(), case.instance.fingerprint)
    keys: dict[str, Planned] = {}
    for plan in planned:
        keys.setdefault(_key(plan.run), plan)
    left = [plan for key, plan in keys.items() if _to_do(store.rows.get(key))]
    versions = _Versions()
    with (
        _progress(len(keys), len(keys) - len(left)) as bar,
        closing(execute([plan.run for plan in left])) as ended_runs,  # type: ignore[type-var]
    ):
        for index, ended in ended_runs:
            row, log = finished_row(left[index], ended, versions)
            store.append(row, log)
            bar.set_postfix_str(f"{row['instance']} {row['status']}", refresh=False)
            bar.update()
    found = _settle_contradictions(store)
    return [store.rows[key] for key in keys], found


def _to_do(row: Row | None) -> bool:
    return row is None or row["status"] in TRY_AGAIN


def _key(run: Run) -> str:
    return row_key(
        {
            "fingerprint": run.instance.fingerprint,
            "method": run.method.names,
            "options": run.method.options(),
            "seed": run.limits.seed,
        }
    )


def _progress(total: int, done: int) -> tqdm[Any]:
    """On stderr, off where that is no terminal."""
    return tqdm(total=total, initial=done, unit="run", file=sys.stderr, disable=None, leave=False)


def finished_row(plan: Planned, ended: Ended, versions: _Versions) -> tuple[Row, str]:
    """Row and log of a run that has ended, with what a campaign knows about it."""
    try:
        row, log = plan.run.row(ended)
    except InputError as error:
        row, log = plan.run.row(replace(ended, cause="died", answer=None, chatter=str(error)))
    if row["method"]["version"] is None:
        row["method"]["version"] = versions.of(plan.run.method)
    limits = plan.run.limits
    about = {
        "family": plan.case.instance.family,
        "base": plan.case.base,
        "permutation": plan.case.permutation,
        "time_limit": limits.time,
        "memory_limit": limits.memory,
        "machine": ended.machine,
        "processor": ended.processor,
        "date": now(),
    }
    return row | about, log


def _settle_contradictions(store: Store) -> list[Contradiction]:
    """Mark both rows of every contradiction as wrong, in the store too."""
    found = contradictions(store.rows.values())
    marked: dict[str, Row] = {}
    for pair in found:
        for row in (pair.claim, pair.schedule):
            marked.setdefault(row_key(row), wrong(row, pair))
    for row in marked.values():
        store.append(row)
    return found


class _Versions:
    """Versions of methods whose runs could not say; asked in a child, once each."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    def of(self, method: Method) -> str | None:
        name = str(method.names)
        if name not in self._known:
            self._known[name] = method.version_isolated()
        return self._known[name]
