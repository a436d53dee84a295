"""The cheapest way to get a job done, given the price of a slot at every h and p."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.search.compiled import compiled
from solvers.search.tables import Problem

Floats = NDArray[np.float64]


@compiled
def cheapest_profile(
    problem: Problem, kind: int, price: Floats, slots: Floats, work: Floats
) -> tuple[float, int]:
    """Integer slots n_p at each level with sum_p phi(h, p) n_p >= F, as cheap as possible.

    Parameters
    ----------
    price : (kinds, h, p)
        Price of one slot.
    slots : (p,)
        Receives n_p.
    work : (F_j + 1 or more,)
        Work space.

    Returns
    -------
    tuple
        The cost, and h.
    """
    best, chosen = np.inf, 0
    need = problem.iterations[kind]
    for servers in range(problem.least_servers[kind], problem.most_servers[kind] + 1):
        cost = _knapsack(problem, kind, servers, price, work)
        if cost < best - 1e-12:
            best, chosen = cost, servers
            slots[:] = 0.0
            left = need
            while left > 0:
                level = _level(problem, kind, servers, left, price, work)
                slots[level] += 1.0
                left = max(0, left - problem.rate[kind, servers, level])
    return best, chosen


@compiled
def _knapsack(problem: Problem, kind: int, servers: int, price: Floats, work: Floats) -> float:
    need = problem.iterations[kind]
    if servers == 1:
        rate = problem.rate[kind, 1, 0]
        for left in range(need + 1):
            work[left] = price[kind, 1, 0] * (-(-left // rate))
        return float(work[need])
    work[0] = 0.0
    for left in range(1, need + 1):
        level = _level(problem, kind, servers, left, price, work)
        rate = problem.rate[kind, servers, level]
        work[left] = price[kind, servers, level] + work[max(0, left - rate)]
    return float(work[need])


@compiled
def _level(
    problem: Problem, kind: int, servers: int, left: int, price: Floats, work: Floats
) -> int:
    """The level at which a slot is best spent with `left` iterations to go."""
    if servers == 1:
        return 0
    best, chosen = np.inf, 1
    for level in range(1, problem.rate.shape[2]):
        rate = problem.rate[kind, servers, level]
        if rate == 0:
            break  # phi does not increase in p
        cost = price[kind, servers, level] + work[max(0, left - rate)]
        if cost < best:
            best, chosen = cost, level
    return chosen
