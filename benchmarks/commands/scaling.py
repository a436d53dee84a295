"""Measure how far each formulation gets on each backend; same FILE again = what is missing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.commands.solve import positive
from instances.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="JSON lines, appended to")
    parser.add_argument("--time-limit", type=positive, default=60.0, metavar="S", help="per run")
    parser.add_argument("--max-jobs", type=int, default=30, metavar="N")


def run(arguments: argparse.Namespace) -> int:
    if arguments.max_jobs < 1:
        raise InputError(f"scaling: --max-jobs {arguments.max_jobs}: must be at least 1")
    from benchmarks.audit import audited_methods
    from benchmarks.scaling import measure, read_scaling, scaling_table
    from formulations import find_formulation

    methods = [
        method
        for method in audited_methods()[0]
        if method.formulation is None
        or find_formulation(method.formulation).minimises == "makespan"
    ]
    file = Path(arguments.file)
    measure(
        file,
        methods,
        arguments.time_limit,
        arguments.max_jobs,
        lambda row: print(
            f"{row['family']} {row['method']} jobs {row['jobs']}: {row['status']}", file=sys.stderr
        ),
    )
    print(scaling_table(read_scaling(file)))
    return 0
