"""Subcommands of ``ringbench``, one file each; the file's name is the command's.

A file defines ``add_arguments(parser)`` and ``run(arguments) -> int``, the exit status.
"""

from __future__ import annotations

import argparse
from typing import Any

from instances.files import dump_json
from instances.options import parse_settings


def add_settings(parser: argparse.ArgumentParser) -> None:
    """``--set KEY=VALUE``, as often as needed."""
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")


def settings_of(arguments: argparse.Namespace) -> dict[str, str]:
    """The ``--set`` words as a mapping; raises InputError."""
    return parse_settings(arguments.settings, "--set")


def add_json(parser: argparse.ArgumentParser) -> None:
    """``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )


def print_json(document: Any) -> None:
    """One JSON object on stdout."""
    print(dump_json(document, indent=None), end="")
