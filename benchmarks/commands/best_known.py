"""Take what campaigns improved into the file of best-known values, through the checker."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.commands import add_json, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--file", type=Path, help="default: results/best_known.json")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from benchmarks.best_known import FILE, improved, read_best_known, write_best_known
    from benchmarks.results import read_results

    file = arguments.file or FILE
    entries = read_best_known(file)
    results = read_results(arguments.folders, file)
    for pair in results.contradictions:
        print(f"CONTRADICTION {pair}", file=sys.stderr)
    changed = set()
    for row in results.rows:
        fingerprint = row["fingerprint"]
        permuted = row.get("permutation")  # stands for its base, which has rows of its own
        if row["status"] == "wrong" or permuted or fingerprint not in results.instances:
            continue
        entry = improved(entries.get(fingerprint), row, results.instances[fingerprint].document())
        if entry != entries.get(fingerprint):
            entries[fingerprint] = entry
            changed.add(fingerprint)
    write_best_known(entries, file)
    proven = sum(_closed(entry) for entry in entries.values())
    if arguments.json:
        print_json({"file": str(file), "instances": len(entries), "improved": len(changed),
                    "proven": proven})  # fmt: skip
    else:
        print(f"{file}: {len(entries)} instances, {proven} proven, {len(changed)} improved")
    return 1 if results.contradictions else 0


def _closed(entry: dict[str, dict[str, int] | None]) -> bool:
    makespan, bound = entry["makespan"], entry["bound"]
    return makespan is not None and bound is not None and makespan["value"] == bound["value"]
