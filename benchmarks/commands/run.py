"""Run a suite; run it again to go on where it was interrupted."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.commands import add_json, print_json
from benchmarks.store import MixedRows, Row, Store, set_aside
from instances.errors import InputError
from instances.options import parse_settings

LOCAL = Path("results/local")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", help="see: ringbench list suites; or a .toml file")
    parser.add_argument("--out", metavar="DIR", help=f"default: {LOCAL}/SUITE")
    parser.add_argument("--workers", type=int, metavar="N", help="default: cores / threads")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the Dask cluster of a scheduler")
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="time=S, memory=MB or threads=N in place of the suite's own",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from benchmarks.campaign import local_executor, run_campaign
    from benchmarks.provenance import manifest
    from benchmarks.ratios import ratio_report, read_instances
    from benchmarks.suites import find_suite

    suite = find_suite(arguments.suite, parse_settings(arguments.limit, "--limit"))
    limits = {key: getattr(suite.limits, key) for key in ("time", "memory", "threads")}
    if arguments.dask is not None:
        from benchmarks.dask_runner import dask_executor

        executor = dask_executor(arguments.dask)
    else:
        executor = local_executor(_workers(arguments.workers, suite.limits.threads))
    folder = Path(arguments.out) if arguments.out else LOCAL / suite.name
    open_store = Store if arguments.out else _fresh_or_same
    with open_store(folder, manifest(suite.name, suite.document, limits)) as store:
        rows, found = run_campaign(suite, store, executor)
    for pair in found:
        print(f"CONTRADICTION {pair}", file=sys.stderr)
    if arguments.json:
        print_json({"folder": str(folder), "rows": len(rows), "status": _statuses(rows)})
    else:
        print(_summary(suite.name, folder, rows))
        print(f"\n{ratio_report(rows, read_instances(folder, rows))}")
    return 1 if found or any(row["status"] == "wrong" for row in rows) else 0


def _workers(asked: int | None, threads: int) -> int:
    """How many runs at once: by default as many as the cores can take."""
    from benchmarks.provenance import usable_cores

    cores = usable_cores()
    workers = max(1, cores // threads) if asked is None else asked
    if workers < 1:
        raise InputError(f"--workers {workers}: must be at least 1")
    if workers * threads > cores:
        print(
            f"{workers} workers of {threads} thread(s) share {cores} cores: times will be too long",
            file=sys.stderr,
        )
    return workers


def _fresh_or_same(folder: Path, manifest: Mapping[str, Any]) -> Store:
    """The store in a default folder; one whose rows do not belong to this campaign is set aside."""
    try:
        return Store(folder, manifest)
    except MixedRows as mixed:
        aside = set_aside(folder)
        print(f"{str(mixed).rpartition(':')[0]}: moved to {aside}", file=sys.stderr)
        return Store(folder, manifest)


def _statuses(rows: list[Row]) -> dict[str, int]:
    return dict(Counter(row["status"] for row in rows).most_common())


def _summary(name: str, folder: Path, rows: list[Row]) -> str:
    from benchmarks.consistency import label

    table: dict[str, Counter[str]] = {}
    for row in rows:
        table.setdefault(label(row), Counter())[row["status"]] += 1
    statuses = list(_statuses(rows))
    lines: list[list[Any]] = [
        [method, *(counts[status] or None for status in statuses)]
        for method, counts in table.items()
    ]
    return (
        f"{tabulate(lines, headers=['method', *statuses])}\n\n"
        f"suite {name}: {len(rows)} rows in {folder}"
    )
