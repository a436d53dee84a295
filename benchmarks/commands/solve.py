"""Solve one instance, by a heuristic or to proven optimality."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from benchmarks.commands import add_json, add_settings, print_json, settings_of
from instances.errors import InputError
from instances.files import read_instance, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("instance")
    parser.add_argument("--heuristic", metavar="NAME")
    parser.add_argument("--formulation", metavar="NAME")
    parser.add_argument("--backend", metavar="NAME")
    parser.add_argument("--time-limit", type=positive, metavar="S")
    parser.add_argument("--memory-limit", type=positive, metavar="MB")
    parser.add_argument("--threads", type=_count, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    add_settings(parser)
    parser.add_argument("--schedule", metavar="FILE", help="write the schedule found")
    add_json(parser)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def positive(text: str) -> float:
    """A number of seconds or MB above 0, for argparse."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def run(arguments: argparse.Namespace) -> int:
    instance = read_instance(arguments.instance)
    if (arguments.heuristic is None) == (arguments.backend is None):
        raise InputError("solve: give either --heuristic NAME or --backend NAME")
    if arguments.heuristic is not None and arguments.formulation is not None:
        raise InputError("solve: a heuristic takes no --formulation")
    from benchmarks.methods import Method, Run
    from solvers.result import Limits

    method = Method(
        arguments.heuristic, arguments.formulation, arguments.backend, settings_of(arguments)
    )
    limits = Limits(arguments.time_limit, arguments.memory_limit, arguments.threads, arguments.seed)
    row, log = Run(instance, method, limits).isolated()
    if row["status"] == "error":
        print(log, end="", file=sys.stderr)
    if arguments.schedule is not None and row["schedule"] is not None:
        write_json(row["schedule"], arguments.schedule)
    if arguments.json:
        print_json(row)
    else:
        print(_line(row))
    return 1 if row["status"] == "wrong" else 0


def _line(row: dict[str, Any]) -> str:
    numbers = {key: row[key] for key in ("makespan", "bound") if row[key] is not None}
    shown = ", ".join(f"{key} {value}" for key, value in numbers.items())
    return " ".join(
        part
        for part in (f"{row['status']}:", shown, f"({row['wall_seconds']:.2f} s)", row["message"])
        if part
    )
