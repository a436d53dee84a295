"""The search over makespans: T = bound, bound + 1, ... until one is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from formulations import Prices
from instances.instance import Instance
from instances.schedule import Placement, Schedule
from instances.simulator import timed
from solvers.search.kernel import BUDGET, FOUND, cost_tables, explore, place_root
from solvers.search.memo import clear, make_memo
from solvers.search.stack import Stack, make_stack
from solvers.search.tables import Costs, Kinds, Problem, empty_costs

_CHUNK = 20_000
"""Nodes between two looks at the clock; well under a second."""


@dataclass(frozen=True)
class Search:
    """What the search has proven.

    Attributes
    ----------
    bound : int
        No schedule is shorter.
    schedule : Schedule or None
        A schedule of `bound` slots, if one was found.
    finished : bool
        False where the clock ended it.
    nodes : int
    """

    bound: int
    schedule: Schedule | None
    finished: bool
    nodes: int


def make_costs(coarse: Problem, grain: int, systems: list[Prices]) -> Costs:
    """The cost tables of the given price systems."""
    costs = empty_costs(coarse, grain, systems)
    for index, prices in enumerate(systems):
        cost_tables(coarse, prices.price, costs, index)
    return costs


def search(
    instance: Instance,
    kinds: Kinds,
    problem: Problem,
    costs: Costs,
    span: tuple[int, int],
    memory: int,
    ends: Callable[[], bool],
) -> Search:
    """Find a schedule of fewer than ``span[1]`` slots, or prove that there is none.

    Parameters
    ----------
    span : tuple of int
        A lower bound on the makespan, and the makespan to beat.
    memory : int
        Integers of 8 bytes that the memo may hold.
    ends : callable
        Whether time is up; asked several times a second.
    """
    lower, upper = span
    stack = make_stack(problem, upper, costs.table.shape[0])
    memo = make_memo(problem, memory)
    nodes = 0
    for slots in range(lower, upper):
        clear(memo)
        place_root(problem, costs, stack)
        if (stack.owed[0] > costs.unit * slots).any():
            continue
        state, depth = BUDGET, 0
        while state == BUDGET:
            if ends():
                return Search(slots, None, False, nodes)
            state, depth, visited = explore(problem, costs, stack, memo, depth, slots, _CHUNK)
            nodes += visited
        if state == FOUND:
            return Search(slots, _read(instance, kinds, stack, depth), True, nodes)
    return Search(max(lower, upper), None, True, nodes)


def _read(instance: Instance, kinds: Kinds, stack: Stack, depth: int) -> Schedule | None:
    """The schedule on the stack."""
    waiting = [list(jobs) for jobs in kinds.jobs]
    starts = [0] * len(instance.jobs)
    placements: list[Placement] = [()] * len(instance.jobs)
    for level in range(1, depth + 1):
        if stack.started[level]:
            last = int(stack.running[level]) - 1
            job = waiting[int(stack.kind[level, last])].pop()
            starts[job] = int(stack.time[level])
            counts = stack.gpus[level, last].tolist()
            placements[job] = tuple(
                sorted((kinds.servers[s], count) for s, count in enumerate(counts) if count)
            )
    return timed(instance, starts, placements)
