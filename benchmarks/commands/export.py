"""Write the model of a formulation as an MPS, LP or NL file, for other solvers."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.commands import add_settings, settings_of
from instances.errors import InputError, TooLarge, Unsupported
from instances.files import read_instance

SUFFIXES = (".mps", ".lp", ".nl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("instance")
    parser.add_argument("--formulation", required=True, metavar="NAME")
    add_settings(parser)
    parser.add_argument("-o", required=True, dest="output", metavar="FILE.{mps,lp,nl}")


def run(arguments: argparse.Namespace) -> int:
    output = Path(arguments.output)
    if output.suffix not in SUFFIXES:
        raise InputError(f"export: -o {output}: give a name that ends in {' or '.join(SUFFIXES)}")
    instance = read_instance(arguments.instance)
    from formulations import find_formulation
    from instances.options import make_options
    from solvers.bracket import find_bracket

    found = find_formulation(arguments.formulation)
    options = make_options(
        found.options, settings_of(arguments), f"formulation {arguments.formulation}"
    )
    bracket = find_bracket(instance)
    if bracket.lower > bracket.upper:
        raise InputError(
            f"export: {arguments.instance}: makespan is at least {bracket.lower}, horizon is "
            f"{bracket.upper}: raise the horizon"
        )
    try:
        program = found.program(instance, bracket, options)
    except (TooLarge, Unsupported) as error:
        raise InputError(f"export: {arguments.instance}: {error}") from error
    if program.kind != "MILP" and output.suffix != ".nl":
        raise InputError(
            f"export: -o {output}: {found.name} is a {program.kind}, which only NL holds: "
            "give a name that ends in .nl"
        )
    try:
        # The variables' own names, so that a solution can be read.
        program.model.write(str(output), io_options={"symbolic_solver_labels": True})
    except OSError as error:
        raise InputError(f"export: -o {output}: cannot be written: {error.strerror}") from error
    return 0
