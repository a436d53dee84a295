"""The mathematical programs in Pyomo, one file each; the file's name is the formulation's.

A file defines ``Options``, a frozen dataclass with defaults, and
``build(instance, bracket, options) -> Program``. The first line of its docstring describes it.
A file whose model minimises something else than the makespan says so in ``MINIMISES``; one that
wants a bracket as narrow as can be had has ``BRACKET = "narrow"``, and may define
``restriction(instance, bracket, options) -> Program``, a smaller model, to be solved first for an
incumbent.
A formulation knows no solver: what solvers found enters as a `Bracket`, what they are to solve
leaves as a `Program`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from instances.instance import Instance
from instances.registry import plugin, plugin_names
from instances.schedule import Schedule

ProgramClass = Literal["MILP", "MINLP"]
Objective = Literal["makespan", "bound", "load"]
"""What a formulation minimises. "bound" and "load" give a lower bound on the makespan, and no
schedule; "load" is the theta* of eqs. (14)-(16)."""


Width = Literal["simple", "narrow"]
"""Bracket of a formulation: simple bounds and the heuristics as they are, or the configuration
bound and the best of many orders."""


@dataclass(frozen=True)
class Prices:
    """A price for one slot of one job in each mode; equal jobs form one kind.

    Attributes
    ----------
    price : (kinds, h, p)
        Integers, not increasing in p; p is 0 on one server.
    unit : int
        No jobs that can run together cost more: what a slot of the whole cluster is worth.
    """

    price: NDArray[np.int64]
    unit: int


@dataclass(frozen=True)
class Tariff:
    """Prices, and what whole jobs cost under them; docs/exact-methods.md, the configuration bound.

    Attributes
    ----------
    prices : Prices
    copies, cheapest : (kinds,)
        Jobs of each kind, and the cheapest way to get one done.
    cost : (kinds, h, p)
        The cheapest way that spends a slot in that mode.
    """

    prices: Prices
    copies: NDArray[np.int64]
    cheapest: NDArray[np.int64]
    cost: NDArray[np.int64]

    @property
    def owed(self) -> int:
        """What all jobs cost at least."""
        return int(self.copies @ self.cheapest)

    @property
    def bound(self) -> int:
        """Slots that are worth as much: a lower bound on the makespan."""
        return -(-self.owed // self.prices.unit)

    def affordable(self, kind: int, servers: int, level: int, slots: int) -> bool:
        """Whether a schedule of `slots` slots may have a job of `kind` in that mode."""
        more = self.cost[kind, servers, level] - self.cheapest[kind]
        return bool(self.owed + more <= slots * self.prices.unit)


@dataclass(frozen=True)
class Bracket:
    """What is known of the makespan before a model is built.

    Attributes
    ----------
    lower : int
        A proven lower bound on the makespan.
    upper : int
        Slots the model needs to cover: the makespan of `incumbent`, else the horizon.
    incumbent : Schedule or None
        The best schedule so far, approved by the checker.
    tariff : Tariff or None
        The prices behind the configuration bound, where it was asked for.
    """

    lower: int
    upper: int
    incumbent: Schedule | None
    tariff: Tariff | None = None

    @property
    def settled(self) -> bool:
        """Whether the incumbent meets the lower bound."""
        return self.incumbent is not None and self.upper <= self.lower


@dataclass(frozen=True)
class Program:
    """A model ready for a backend.

    Attributes
    ----------
    model : pyomo.environ.ConcreteModel
        Minimises an integer number of slots, the makespan unless the formulation says otherwise.
    kind : {"MILP", "MINLP"}
        What a backend must be able to solve.
    read : callable
        Reads the schedule off the variables, rounded; only after a backend has loaded a solution.
    start : callable or None
        Sets every variable, the makespan included, from a checked schedule.
    message : str
        What a reader of the row should know of this model.
    presolve : bool
        Whether presolving is known to be worth its time.
    """

    model: pyo.ConcreteModel
    kind: ProgramClass
    read: Callable[[], Schedule | None]
    start: Callable[[Schedule], None] | None = None
    message: str = ""
    presolve: bool = True


@dataclass(frozen=True)
class Formulation:
    """A formulation that was found."""

    name: str
    summary: str
    options: type[Any]
    minimises: Objective
    program: Callable[[Instance, Bracket, Any], Program]
    """``program(instance, bracket, options)`` builds the model; raises TooLarge where it
    enumerates and there is more than its limit."""
    bracket: Width
    restriction: Callable[[Instance, Bracket, Any], Program] | None


def formulation_names() -> list[str]:
    """Names of all formulations."""
    return plugin_names(sys.modules[__name__])


def find_formulation(name: str) -> Formulation:
    """Look up a formulation; raises InputError where there is none of that name."""
    name = name.replace("_", "-")
    module = plugin(sys.modules[__name__], "formulation", name)
    summary = (module.__doc__ or "").strip().partition("\n")[0]
    minimises: Objective = getattr(module, "MINIMISES", "makespan")
    return Formulation(
        name=name,
        summary=summary,
        options=module.Options,
        minimises=minimises,
        program=module.build,
        bracket=getattr(module, "BRACKET", "simple"),
        restriction=getattr(module, "restriction", None),
    )
