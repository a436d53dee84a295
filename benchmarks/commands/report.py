"""Write a report: one HTML page, Markdown tables, figures, and the rows as CSV and Parquet."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.commands import add_json, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="default: report/ in the first")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from benchmarks.report import write_report
    from benchmarks.results import read_results

    results = read_results(arguments.folders)
    if results.apart:
        print(f"kept apart: {results.apart}", file=sys.stderr)
    for pair in results.contradictions:
        print(f"CONTRADICTION {pair}", file=sys.stderr)
    files = write_report(results, arguments.out or Path(arguments.folders[0]) / "report")
    if arguments.json:
        print_json({"rows": len(results.rows), "files": [str(file) for file in files]})
    else:
        print("\n".join(f"{file}  {file.stat().st_size / 1000:.0f} kB" for file in files))
    return 1 if any(row["status"] == "wrong" for row in results.rows) else 0
