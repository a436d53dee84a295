"""Compare backends, formulations or heuristics over the rows of campaigns."""

from __future__ import annotations

import argparse
import sys
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchmarks.commands import add_json, print_json

if TYPE_CHECKING:
    from benchmarks.comparison import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--by", choices=("backend", "formulation", "heuristic"))
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from benchmarks.comparison import compare
    from benchmarks.results import read_results

    results = read_results(arguments.folders)
    if results.apart:
        print(f"kept apart: {results.apart}", file=sys.stderr)
    for pair in results.contradictions:
        print(f"CONTRADICTION {pair}", file=sys.stderr)
    found = compare(results, arguments.by)
    if arguments.json:
        document = {
            "rows": len(results.rows),
            "comparisons": [asdict(comparison) for comparison in found],
            "disagreements": [str(pair) for pair in results.contradictions],
        }
        print_json(document)
    else:
        print("\n\n\n".join(map(_section, found)) or "nothing to compare")
    return 1 if any(row["status"] == "wrong" for row in results.rows) else 0


def _section(comparison: Comparison) -> str:
    from benchmarks.tables import table

    parts = [
        comparison.title.upper(),
        table(comparison.lines),
        table(comparison.win_lines()),
        table(comparison.profile_lines()),
        textwrap.fill(comparison.rule, 100),
        comparison.verdict,
    ]
    return "\n\n".join(filter(None, parts))
