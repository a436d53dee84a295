"""Make an instance of jobs from the trace of a real cluster."""  # noqa: N999

from __future__ import annotations

import argparse
import sys

from benchmarks.commands import add_settings, print_json, settings_of
from instances.files import write_json
from instances.instance import Instance
from instances.options import parse_settings
from instances.traces.formats import format_names
from instances.traces.importing import Request, import_trace
from instances.traces.jobs import SECONDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace")
    parser.add_argument("--format", required=True, metavar="NAME", help=", ".join(format_names()))
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help="column that holds gpus, duration, submit, id or model",
    )
    parser.add_argument("--time-unit", choices=list(SECONDS), help="of durations; default s")
    parser.add_argument("--jobs", type=int, metavar="N", help="first N accepted; default: all")
    parser.add_argument("--seed", type=int, default=0, help="for models the trace does not name")
    add_settings(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="default: stdout")


def run(arguments: argparse.Namespace) -> int:
    instance = import_trace(
        Request(
            path=arguments.trace,
            format=arguments.format,
            mapping=parse_settings(arguments.map, "--map"),
            jobs=arguments.jobs,
            settings=settings_of(arguments),
            time_unit=arguments.time_unit,
            seed=arguments.seed,
        )
    )
    _report(instance)
    if arguments.output is None:
        print_json(instance.document())
    else:
        write_json(instance.document(), arguments.output)
    return 0


def _report(instance: Instance) -> None:
    """What became of the rows, on stderr."""
    counts = instance.parameters
    print(
        f"{counts['trace']}: {counts['rows']} rows, {counts['accepted']} accepted, "
        f"{len(instance.jobs)} taken, on {len(instance.servers)} servers",
        file=sys.stderr,
    )
    for reason, count in counts["skipped"].items():
        print(f"  skipped {count}: {reason}", file=sys.stderr)
