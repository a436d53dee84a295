"""Lower bounds on the makespan of one instance: the simple ones and the configuration bound."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from tabulate import tabulate

from benchmarks.commands import add_json, print_json
from benchmarks.commands.solve import positive
from instances.bounds import gpu_slots, longest_job
from instances.files import read_instance
from instances.instance import Instance


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("instance")
    parser.add_argument("--time-limit", type=positive, default=60.0, metavar="S")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from benchmarks.process import run_isolated

    instance = read_instance(arguments.instance)
    ended = run_isolated(
        "benchmarks.commands.bound:configuration_task", instance.document(), arguments.time_limit
    )
    configuration, message = ended.answer or (None, ended.chatter.strip().rpartition("\n")[2])
    bounds = {
        "longest-job": longest_job(instance),
        "gpu-slots": gpu_slots(instance),
        "configuration": configuration,
    }
    best = max(bound for bound in bounds.values() if bound is not None)
    if arguments.json:
        print_json(
            {
                "instance": instance.name,
                "fingerprint": instance.fingerprint,
                "bounds": bounds,
                "bound": best,
                "message": message,
            }
        )
    else:
        print(tabulate(bounds.items(), headers=["bound", "slots"], missingval="none"))
        print(f"configuration: {message}", file=sys.stderr)
    return 0


def configuration_task(
    note: Callable[[Any], None], document: Any, seconds: float
) -> tuple[int | None, str]:
    """In a child, whose solver may print what it likes: the bound, and how it was found."""
    from solvers.configuration_bound import configuration_bound
    from solvers.search.warm_up import warm_up

    warm_up()
    began = time.perf_counter()
    bound, message = configuration_bound(Instance.from_document(document, "instance"), seconds)
    return bound, f"{message}, {time.perf_counter() - began:.2f} s"
