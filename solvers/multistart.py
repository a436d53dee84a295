"""List scheduling from many orders: a better incumbent within a second."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from formulations import Bracket
from instances.instance import Instance
from instances.schedule import Placement, Schedule
from instances.simulator import timed
from solvers.judge import verdict_on
from solvers.search.orders import Board, best_of_orders, make_board, make_plan, place_in_order
from solvers.search.tables import Kinds, find_kinds, make_problem

_WORK = 3_000_000
"""Orders tried, times jobs: a count, not a time, so that a seed gives one schedule."""
_EACH = 100
"""But no more than so many for each order that there is."""


def improved(instance: Instance, bracket: Bracket, seed: int) -> Bracket:
    """The bracket with the best schedule of many orders, approved by the checker.

    It ends as soon as the lower bound is met.

    Raises
    ------
    Unsupported
        Where phi increases with contention or with the number of servers.
    """
    kinds = find_kinds(instance)
    problem = make_problem(instance, kinds)
    board, plan = make_board(problem), make_plan(problem)
    random = np.random.default_rng(seed % 2**63)  # a seed may be negative
    jobs = board.kind.size
    tries = min(_WORK // jobs, _EACH * math.factorial(min(jobs, 9)))
    upper = bracket.upper + (bracket.incumbent is None)
    makespan = best_of_orders(problem, board, plan, random, tries, bracket.lower, upper)
    if makespan == upper:
        return bracket
    place_in_order(problem, board, plan, np.argsort(-plan.rank), makespan, 0)
    best = read_board(instance, kinds, board)
    if best is None or not verdict_on(instance, best).feasible:
        return bracket
    return replace(bracket, upper=best.makespan, incumbent=best)


def read_board(instance: Instance, kinds: Kinds, board: Board) -> Schedule | None:
    """The schedule on the board."""
    starts = [0] * len(instance.jobs)
    placements: list[Placement] = [()] * len(instance.jobs)
    for item, job in enumerate(job for jobs in kinds.jobs for job in jobs):
        starts[job] = int(board.starts[item])
        counts = enumerate(board.gpus[item].tolist())
        placements[job] = tuple(sorted((kinds.servers[s], n) for s, n in counts if n))
    return timed(instance, starts, placements)
