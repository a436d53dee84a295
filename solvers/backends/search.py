"""Exact depth-first search over slots, compiled, with price bounds; needs no model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import numba
from pydantic import Field

from formulations import Bracket
from instances.errors import Unsupported
from instances.instance import Instance
from solvers.backends import Availability, Outcome
from solvers.bracket import narrowed
from solvers.result import Limits
from solvers.search.driver import make_costs, search
from solvers.search.tables import coarsened, find_kinds, gpu_prices, make_problem

PRELOAD = ("solvers.search.warm_up:warm_up",)

_MEMO_MB = 256


@dataclass(frozen=True)
class Options:
    memo_mb: Annotated[int, Field(ge=1, le=65536)] = _MEMO_MB


def availability() -> Availability:
    return Availability(True, True, f"numba {numba.__version__}")


def solve_instance(
    instance: Instance, bracket: Bracket, limits: Limits, options: Options
) -> Outcome:
    """Raise the bound slot by slot until a schedule of that length exists."""
    began = time.perf_counter()
    try:
        bracket = narrowed(instance, bracket, limits.time, limits.seed)
    except Unsupported as error:
        return Outcome("unsupported", message=str(error))
    if bracket.settled:
        seconds = time.perf_counter() - began
        return Outcome("optimal", bracket.incumbent, bracket.lower, 0, seconds)
    assert bracket.tariff is not None
    kinds = find_kinds(instance)
    problem = make_problem(instance, kinds)
    coarse, grain = coarsened(problem)
    costs = make_costs(coarse, grain, [gpu_prices(coarse), bracket.tariff.prices])
    upper = bracket.upper if bracket.incumbent is not None else instance.horizon + 1

    def ends() -> bool:
        return limits.time is not None and time.perf_counter() - began > limits.time

    found = search(
        instance, kinds, problem, costs, (bracket.lower, upper), options.memo_mb * 131072, ends
    )
    seconds = time.perf_counter() - began
    best = found.schedule or bracket.incumbent
    if best is None and found.finished:
        return Outcome("infeasible", nodes=found.nodes, seconds=seconds)
    return Outcome(
        "optimal" if found.finished else "limit", best, found.bound, found.nodes, seconds
    )
