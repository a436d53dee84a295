"""Exact backends, one file each; the file's name is the backend's.

A file defines ``Options``, a frozen dataclass with defaults; ``availability()``; and one of

- ``KINDS``, the classes of programs it takes, and ``solve_program(program, limits, options)``,
  for a solver that takes a Pyomo model;
- ``solve_instance(instance, bracket, limits, options)``, for one that needs no model.

Both return an `Outcome`. ``limits.time`` is what is left for the solver alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from instances.registry import plugin, plugin_names
from instances.schedule import Schedule

Termination = Literal[
    "optimal", "limit", "infeasible", "unsupported", "unavailable", "licence_limit",
    "memory_limit", "error",
]  # fmt: skip


EXACT_GAP = 1 - 1e-4
"""Makespans are integers: a search may stop when bound > makespan - 1, never earlier. The margin is
wider than the tolerance with which a bound is rounded up (judge.INTEGRALITY)."""


@dataclass(frozen=True)
class Availability:
    """Whether a backend can be used here: is it there, may it run, what can it solve.

    Attributes
    ----------
    installed : bool
        Whether its package can be imported.
    licensed : bool
        Whether it may run; True where no licence is needed.
    version : str or None
        Version of the solver.
    reason : str
        Why it cannot be used, or what its licence limits; empty where there is nothing to say.
    """

    installed: bool
    licensed: bool
    version: str | None = None
    reason: str = ""

    @property
    def usable(self) -> bool:
        return self.installed and self.licensed


@dataclass(frozen=True)
class Outcome:
    """What a backend says; not yet judged.

    Attributes
    ----------
    termination : str
        "optimal" means that the solver has proven bound > makespan - 1.
    schedule : Schedule or None
        The incumbent that THIS solve produced, if it produced one.
    bound : float or None
        The solver's dual bound, if it is finite.
    seconds : float
        Time inside the solver.
    hand_over_seconds : float
        Time to translate the model for the solver; it counts as building.
    warm_start : bool or None
        Whether the solver took the start; None where none was offered or it does not say.
    """

    termination: Termination
    schedule: Schedule | None = None
    bound: float | None = None
    nodes: int | None = None
    seconds: float = 0.0
    hand_over_seconds: float = 0.0
    warm_start: bool | None = None
    message: str = ""
    log: str = ""


@dataclass(frozen=True)
class Backend:
    """A backend that was found."""

    name: str
    summary: str
    options: type[Any]
    kinds: frozenset[str]
    availability: Callable[[], Availability]
    solve_program: Callable[..., Outcome] | None
    solve_instance: Callable[..., Outcome] | None

    @property
    def needs_model(self) -> bool:
        return self.solve_program is not None


def backend_names() -> list[str]:
    """Names of all backends."""
    return plugin_names(sys.modules[__name__])


def find_backend(name: str) -> Backend:
    """Look up a backend; raises InputError where there is none of that name."""
    name = name.replace("_", "-")
    module: Any = plugin(sys.modules[__name__], "backend", name)
    return Backend(
        name=name,
        summary=(module.__doc__ or "").strip().partition("\n")[0],
        options=module.Options,
        kinds=frozenset(getattr(module, "KINDS", ())),
        availability=module.availability,
        solve_program=getattr(module, "solve_program", None),
        solve_instance=getattr(module, "solve_instance", None),
    )
