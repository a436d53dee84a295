"""Generate an instance of a family."""

from __future__ import annotations

import argparse

from benchmarks.commands import add_settings, print_json, settings_of
from instances.errors import InputError
from instances.families import find_family
from instances.files import write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("family", help="see: ringbench list families")
    parser.add_argument("--seed", type=int, default=0)
    add_settings(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="default: stdout")
    parser.add_argument(
        "--schedule", metavar="FILE", help="write the schedule that is known by construction"
    )


def run(arguments: argparse.Namespace) -> int:
    instance = find_family(arguments.family).generate(arguments.seed, settings_of(arguments))
    if arguments.schedule is not None:
        if instance.known is None or instance.known.schedule is None:
            raise InputError(
                f"--schedule: {instance.name} reveals no schedule: use a family that knows one, "
                "with --set reveal=true"
            )
        write_json(instance.known.schedule, arguments.schedule)
    if arguments.output is None:
        print_json(instance.document())
    else:
        write_json(instance.document(), arguments.output)
    return 0
