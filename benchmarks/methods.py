"""A method: who is to solve, with which settings; how it is run isolated and what its row says."""

from __future__ import annotations

import importlib
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from benchmarks.process import Ended, run_isolated
from instances.errors import InputError
from instances.instance import Instance
from solvers.backends import find_backend
from solvers.heuristics import find_heuristic, heuristic_names
from solvers.result import Limits, Result
from solvers.solve import recorded_options, solve_exact, solve_heuristic

SOLVE_TASK = "benchmarks.methods:solve_task"
GRACE_SECONDS = 8.0
"""How long a run may overrun its own time limit before it is killed."""


@dataclass(frozen=True)
class Method:
    """A heuristic; or a backend, with a formulation where it needs one.

    Attributes
    ----------
    settings : mapping
        Options that differ from their defaults.
    """

    heuristic: str | None = None
    formulation: str | None = None
    backend: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, Any]:
        """The method as in a row, but for the version."""
        if self.heuristic is not None:
            return {"kind": "heuristic", "name": self.heuristic}
        return {"kind": "exact", "formulation": self.formulation, "backend": self.backend}

    def options(self) -> dict[str, Any]:
        """All options as in a row; raises InputError where method or settings are no good."""
        return recorded_options(self.heuristic, self.formulation, self.backend, self.settings)

    def version_isolated(self) -> str | None:
        """Version of the solver, asked in a child; that of ringbench for its own heuristics."""
        if self.backend is None:
            return version("ringbench")
        answer = run_isolated("benchmarks.methods:version_task", self.backend, seconds=60).answer
        return None if answer is None else str(answer)


@dataclass(frozen=True)
class Run:
    """One method on one instance, under limits; `limits.seed` is the run's seed."""

    instance: Instance
    method: Method
    limits: Limits

    def task(self) -> dict[str, Any]:
        """What a child needs to know, in JSON."""
        return {
            "instance": self.instance.document(),
            "method": {
                "heuristic": self.method.heuristic,
                "formulation": self.method.formulation,
                "backend": self.method.backend,
                "settings": dict(self.method.settings),
            },
            "limits": self.limits.__dict__,
        }

    @property
    def seconds(self) -> float | None:
        """When the run is killed: limit and grace."""
        return None if self.limits.time is None else self.limits.time + GRACE_SECONDS

    def isolated(self) -> tuple[dict[str, Any], str]:
        """Run in a child of its own; return row and log. Raises InputError."""
        self.method.options()
        ended = run_isolated(
            SOLVE_TASK,
            self.task(),
            seconds=self.seconds,
            memory_mb=self.limits.memory,
            preload=preload_of([self.method]),
        )
        row, log = self.row(ended)
        if row["method"]["version"] is None:
            row["method"]["version"] = self.method.version_isolated()
        return row, log

    def row(self, ended: Ended) -> tuple[dict[str, Any], str]:
        """The run's row and log, whichever way it ended; raises InputError if the child did."""
        if ended.cause != "done":
            return self._row_of_the_dead(ended), ended.chatter
        if "bad_input" in ended.answer:
            raise InputError(ended.answer["bad_input"])
        row = ended.answer["row"] | {"peak_memory_mb": ended.peak_memory_mb}
        return row, ended.answer["log"] + ended.chatter

    def _row_of_the_dead(self, ended: Ended) -> dict[str, Any]:
        """What the run noted before it ended, or else what was known before it began."""
        unknown = Result(
            instance=self.instance.name,
            fingerprint=self.instance.fingerprint,
            method=self.method.names | {"version": None},
            status="error",
            threads=self.limits.threads,
            seed=self.limits.seed,
            options=self.method.options(),
        )
        noted = ended.note or unknown.document()
        status, message = _epitaph(ended, self.limits, noted["message"])
        return noted | {
            "status": status,
            "message": message,
            "wall_seconds": ended.seconds,
            "peak_memory_mb": ended.peak_memory_mb,
        }


def _epitaph(ended: Ended, limits: Limits, doing: str) -> tuple[str, str]:
    """Status and message of a run that gave no answer; `doing` is ``while it ...`` or empty."""
    killed = f"killed {doing}," if doing else "killed"
    if ended.cause == "time":
        return "no_solution", f"{killed} {GRACE_SECONDS:g} s after its limit of {limits.time:g} s"
    if ended.cause == "memory":
        return "memory_limit", f"{killed} beyond its limit of {limits.memory:g} MB"
    if ended.signal is not None:
        return "error", f"{killed} by signal {ended.signal} ({signal.strsignal(ended.signal)})"
    last = ended.chatter.strip().rpartition("\n")[2]
    return "error", last or f"ended {doing} with exit status {ended.exit}"


def solve_task(note: Callable[[Any], None], task: Mapping[str, Any]) -> dict[str, Any]:
    """In a child: solve, and answer with the row and the log, or with what the user must mend."""
    began = time.perf_counter()
    try:
        instance = Instance.from_document(task["instance"], "instance")
        method, limits = Method(**task["method"]), Limits(**task["limits"])
        if method.backend is None:
            assert method.heuristic is not None
            result = solve_heuristic(instance, method.heuristic, method.settings, limits)
        else:
            result = solve_exact(
                instance,
                method.formulation,
                method.backend,
                method.settings,
                limits,
                began,
                lambda result: note(result.document()),
            )
    except InputError as error:
        return {"bad_input": str(error)}
    return {"row": result.document(), "log": result.log}


def version_task(note: Callable[[Any], None], backend: str) -> str | None:
    """In a child: the version of a backend, for rows of runs that could not say."""
    return find_backend(backend).availability().version


def preload_of(methods: Iterable[Method]) -> list[str]:
    """What a process server should import for these methods, so that their children start warm.

    A backend's file may name, in ``PRELOAD``, modules that it imports late.
    """
    found = [__name__, "benchmarks.methods:import_heuristics"]
    for method in methods:
        if method.formulation is not None:
            found.append(f"formulations.{method.formulation.replace('-', '_')}")
        if method.backend is not None:
            module = f"solvers.backends.{method.backend.replace('-', '_')}"
            found += [module, *getattr(importlib.import_module(module), "PRELOAD", ())]
    return sorted(set(found))


def import_heuristics() -> None:
    """Import every heuristic; exact methods run them all first."""
    for name in heuristic_names():
        find_heuristic(name)
