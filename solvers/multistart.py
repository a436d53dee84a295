"""Longest-first from many orders: a better incumbent within a second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formulations import Bracket
from instances.instance import Instance
from solvers.heuristics.longest_first import in_order
from solvers.judge import verdict_on

_TRIES = 1_000
_WIDTHS = (0.0, 0.5, 1.0)
"""Powers of G_j: by length alone up to by GPU-slots."""
_NOISE = (0.05, 0.6)


def improved(instance: Instance, bracket: Bracket, seed: int) -> Bracket:
    """The bracket with the best schedule of perturbed orders, approved by the checker.

    Jobs are sorted by rhohat_j G_j^w e^z, with w and the spread of the normal z drawn anew for
    every order. It ends as soon as the lower bound is met.
    """
    random = np.random.default_rng(seed)
    length = np.log([float(slots) for slots in instance.timing.shortest])
    width = np.log([float(job.gpus) for job in instance.jobs])
    upper, best = bracket.upper, None
    for _ in range(_TRIES):
        if upper <= bracket.lower:
            break
        noise = random.uniform(*_NOISE) * random.standard_normal(length.size)
        rank = length + random.choice(_WIDTHS) * width + noise
        found = in_order(instance, np.argsort(-rank).tolist())
        if found is not None and found.makespan < upper:
            upper, best = found.makespan, found
    if best is None or not verdict_on(instance, best).feasible:
        return bracket
    return replace(bracket, upper=upper, incumbent=best)
