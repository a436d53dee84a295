"""Check a schedule against its instance, independently of every model and solver."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from benchmarks.commands import add_json, print_json
from instances.checker import check
from instances.errors import InputError
from instances.files import read_instance, read_json
from instances.schedule import SCHEMA


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("instance")
    parser.add_argument("schedule")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    instance = read_instance(arguments.instance)
    schedule = read_json(arguments.schedule)
    schema = schedule.get("schema") if isinstance(schedule, Mapping) else None
    if schema != SCHEMA:
        raise InputError(f"{arguments.schedule}: schema = {schema!r}: must be {SCHEMA!r}")
    verdict = check(instance.document(), schedule)
    if arguments.json:
        print_json(verdict.document())
    elif verdict.feasible:
        print(f"feasible, makespan {verdict.makespan}")
    else:
        print("\n".join(verdict.violations))
    return 0 if verdict.feasible else 1
