"""Exact depth-first search over slots, compiled, with price bounds; needs no model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import numba
from pydantic import Field

from formulations import Bracket
from instances.instance import Instance
from solvers.backends import Availability, Outcome
from solvers.configuration_bound import configuration_prices, pricing_seconds
from solvers.multistart import improved
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
    kinds = find_kinds(instance)
    try:
        problem = make_problem(instance, kinds)
    except ValueError as error:
        return Outcome("unsupported", message=str(error))
    coarse, grain = coarsened(problem)
    prices, _ = configuration_prices(coarse, pricing_seconds(limits.time))
    costs = make_costs(coarse, grain, [gpu_prices(coarse), prices])
    bracket = improved(instance, bracket, limits.seed)
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
