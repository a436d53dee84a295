"""The command ``ringbench``: one file a subcommand in ``benchmarks/commands``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

import benchmarks.commands as commands
from instances.errors import InputError
from instances.registry import plugin, plugin_names

BAD_INPUT = 2
INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """Bad usage is one line and exit status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def make_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; only the command that `words` name is imported."""
    parser = _Parser(prog="ringbench", description="Exact optima for ring-all-reduce scheduling.")
    parser.add_argument("--version", action="version", version=f"ringbench {version('ringbench')}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    names = plugin_names(commands)
    wanted = next((word for word in words if word in names), None)
    for name in names if wanted is None else [wanted]:
        module = plugin(commands, "command", name)
        summary = (module.__doc__ or "").strip().partition("\n")[0]
        subparser = subparsers.add_parser(name, help=summary, description=module.__doc__)
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 1 something is wrong, 2 bad input."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = make_parser(words).parse_args(words)
        return int(arguments.run(arguments))
    except InputError as error:
        print(f"ringbench: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("ringbench: interrupted; rows already written are kept", file=sys.stderr)
        return INTERRUPTED


def entry() -> NoReturn:
    """The console script: what solvers print goes to stderr, so that stdout is the result alone."""
    result = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(result, "w")
    status = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), result)
    sys.exit(status)
