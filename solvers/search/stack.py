"""The stack of the search: one row of arrays for every decision on the current path."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from solvers.search.tables import Integers, Problem

_JOINING_LIMIT = 4_000_000
"""Largest number of entries of `joining`."""


class Stack(NamedTuple):
    """State by depth; every depth is a slot with some of its starts decided.

    Attributes
    ----------
    time : (depth,)
        The slot.
    waiting : (depth, kinds)
        Jobs of each kind that have not started.
    running : (depth,)
        Number of jobs that are active; they fill the first places of the next four.
    kind, servers, left : (depth, jobs)
        Kind of each active job, its h, and the iterations left to it.
    gpus : (depth, jobs, servers)
        Its placement.
    free, spanning : (depth, servers)
        Idle GPUs, and jobs that span servers and use this one.
    free_before, spanning_before : (depth, servers)
        The same in the slot before.
    owed : (depth, systems)
        What it costs at least to finish everything, in each price system.
    worth : (depth, systems)
        What the active jobs cost in one slot at their present levels.
    joining : (depths, systems, kinds, N + 1)
        What jobs that wait at the start of a slot, of this kind or a later one, can at most cost in
        one slot, by idle GPUs. Kept for every depth, or, where that takes too much memory, once.
    opened : (depth,)
        The depth at which the slot began, where `joining` has its knapsacks.
    started : (depth,)
        Whether this depth began with a start (of the last active job), not with a new slot.
    next_kind, next_servers : (depth,)
        What to try next.
    next_gpus : (depth, servers)
        The placement to try next, or the last one tried.
    fresh : (depth,)
        1 where `next_gpus` has not been tried, 0 where it has, 2 where all is tried.
    twin : (depth, servers)
        An earlier server that is interchangeable with this one, or -1.
    """

    time: Integers
    waiting: Integers
    running: Integers
    kind: Integers
    servers: Integers
    left: Integers
    gpus: Integers
    free: Integers
    spanning: Integers
    free_before: Integers
    spanning_before: Integers
    owed: Integers
    worth: Integers
    joining: Integers
    opened: Integers
    started: Integers
    next_kind: Integers
    next_servers: Integers
    next_gpus: Integers
    fresh: Integers
    twin: Integers


def make_stack(problem: Problem, slots: int, systems: int) -> Stack:
    """An empty stack, deep enough for every start and every slot."""
    kinds, servers = problem.copies.size, problem.capacity.size
    jobs = int(problem.copies.sum())
    depth = jobs + slots + 2

    def rows(*shape: int) -> Integers:
        return np.zeros((depth, *shape), dtype=np.int64)

    table = (systems, kinds + 1, int(problem.capacity.sum()) + 1)
    deep = depth * math.prod(table) <= _JOINING_LIMIT
    joining = np.zeros((depth if deep else 1, *table), dtype=np.int64)
    return Stack(
        time=rows(), waiting=rows(kinds), running=rows(),
        kind=rows(jobs), servers=rows(jobs), left=rows(jobs), gpus=rows(jobs, servers),
        free=rows(servers), spanning=rows(servers),
        free_before=rows(servers), spanning_before=rows(servers),
        owed=rows(systems), worth=rows(systems), joining=joining, opened=rows(), started=rows(),
        next_kind=rows(), next_servers=rows(), next_gpus=rows(servers), fresh=rows(),
        twin=rows(servers),
    )  # fmt: skip
