"""Heuristics, one file each; the file's name is the heuristic's.

A file defines ``Options``, a frozen dataclass with defaults, and
``schedule(instance, options, seed) -> Schedule | None``. The first line of its docstring
describes it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from instances.instance import Instance
from instances.registry import plugin, plugin_names
from instances.schedule import Schedule


@dataclass(frozen=True)
class Heuristic:
    """A heuristic that was found."""

    name: str
    summary: str
    options: type[Any]
    schedule: Callable[[Instance, Any, int], Schedule | None]


def heuristic_names() -> list[str]:
    """Names of all heuristics."""
    return plugin_names(sys.modules[__name__])


def find_heuristic(name: str) -> Heuristic:
    """Look up a heuristic; raises InputError where there is none of that name."""
    name = name.replace("_", "-")
    module = plugin(sys.modules[__name__], "heuristic", name)
    summary = (module.__doc__ or "").strip().partition("\n")[0]
    return Heuristic(name, summary, module.Options, module.schedule)
