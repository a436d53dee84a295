"""Longest-first from many orders: a better incumbent within a second or two."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from formulations import Bracket
from instances.instance import Instance
from solvers.heuristics.longest_first import in_order
from solvers.judge import verdict_on

_WORK = 40_000
"""Orders tried, times jobs: a count, not a time, so that a seed gives one schedule."""
_EACH = 10
"""But no more than so many for each order that there is."""
_FRESH = 0.3
"""Share of orders that are not made from the last good one."""


def improved(instance: Instance, bracket: Bracket, seed: int) -> Bracket:
    """The bracket with the best schedule of many orders, approved by the checker.

    A fresh order sorts jobs by rhohat_j G_j^w e^z, with the power w and the spread of the normal z
    drawn anew. Other orders move some jobs in the last order that was not worse than the one
    before. It ends as soon as the lower bound is met.
    """
    random = np.random.default_rng(seed % 2**63)  # a seed may be negative
    length = np.log([float(slots) for slots in instance.timing.shortest])
    width = np.log([float(job.gpus) for job in instance.jobs])
    best, upper = None, bracket.upper
    good, makespan = length, instance.horizon + 1
    for _ in range(min(_WORK // length.size, _EACH * math.factorial(min(length.size, 9)))):
        if upper <= bracket.lower:
            break
        noise = random.standard_normal(length.size)
        if random.random() < _FRESH:
            rank = (
                length + random.choice((0.0, 0.5, 1.0)) * width + random.uniform(0.05, 0.6) * noise
            )
        else:
            moved = random.random(length.size) < random.choice((0.1, 0.3, 1.0))
            rank = good + random.uniform(0.02, 0.3) * noise * moved
        found = in_order(instance, np.argsort(-rank).tolist())
        if found is None or found.makespan > makespan:
            continue
        good, makespan = rank, found.makespan
        if makespan < upper:
            best, upper = found, makespan
    if best is None or not verdict_on(instance, best).feasible:
        return bracket
    return replace(bracket, upper=upper, incumbent=best)
