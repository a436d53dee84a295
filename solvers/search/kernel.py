"""The search for a schedule of at most a given makespan.

Depth first over slots. In every slot the kinds of jobs are gone through in a fixed order, and for
each kind the placements in a fixed order; starting a job is tried before not starting it. This
order decides between schedules that are equally good, and every rule below leaves out only
schedules for which an earlier one exists (docs/exact-methods.md).
"""

from __future__ import annotations

import numpy as np

from solvers.search.compiled import compiled
from solvers.search.memo import Memo, met_before
from solvers.search.placements import next_placement
from solvers.search.stack import Stack
from solvers.search.starts import copy_state, first_of_kind, first_on, level_of, open_slot, place
from solvers.search.tables import Costs, Integers, Problem

BUDGET, FOUND, EXHAUSTED = 0, 1, 2
"""How `explore` ends: nodes used up, a schedule is on the stack, or there is none."""


@compiled
def place_root(problem: Problem, costs: Costs, stack: Stack) -> None:
    """Nothing has started, slot 0."""
    stack.time[0] = 0
    stack.waiting[0] = problem.copies
    stack.running[0] = 0
    stack.free[0] = problem.capacity
    stack.spanning[0] = 0
    stack.started[0] = 0
    for v in range(costs.fresh.shape[0]):
        stack.owed[0, v] = (costs.fresh[v] * problem.copies).sum()
        fill_joining(problem, costs, stack, 0, v)
    open_slot(problem, stack, 0)
    _find_worth(problem, costs, stack, 0)


@compiled
def explore(
    problem: Problem, costs: Costs, stack: Stack, memo: Memo, depth: int, slots: int, budget: int
) -> tuple[int, int, int]:
    """Go on with the search for a makespan of at most `slots`.

    Parameters
    ----------
    depth : int
        Where the search stands; 0 after `place_root`.
    budget : int
        Nodes to visit before it pauses.

    Returns
    -------
    tuple
        How it ended, the depth, and the nodes visited.
    """
    nodes = 0
    while nodes < budget:
        if _find_start(problem, costs, stack, depth, slots):
            nodes += 1
            depth += _start(problem, costs, stack, depth, slots)
        elif stack.fresh[depth] != 2:
            nodes += 1
            stack.fresh[depth] = 2
            if _wasteful(costs, stack, depth, problem.copies.shape[0], 0, slots):
                continue
            if stack.running[depth] == 0 or met_before(problem, stack, depth, memo):
                continue
            if _run(problem, costs, stack, depth, slots):
                depth += 1
                if stack.running[depth] == 0 and stack.waiting[depth].sum() == 0:
                    return FOUND, depth, nodes
        else:
            depth -= 1
            if depth < 0:
                return EXHAUSTED, 0, nodes
    return BUDGET, depth, nodes


@compiled
def _find_start(problem: Problem, costs: Costs, stack: Stack, depth: int, slots: int) -> bool:
    """Move to the next start worth trying in this slot; False where there is none."""
    time, idle = stack.time[depth], stack.free[depth].sum()
    if stack.fresh[depth] == 2:
        return False
    while stack.next_kind[depth] < problem.gpus.shape[0]:
        kind = stack.next_kind[depth]
        gpus = problem.gpus[kind]
        if _wasteful(costs, stack, depth, kind, idle, slots):
            stack.fresh[depth] = 2
            return False
        if stack.waiting[depth, kind] > 0 and idle >= gpus:
            while stack.next_servers[depth] <= problem.most_servers[kind]:
                servers = stack.next_servers[depth]
                rate = problem.rate[kind, servers, 1]
                if time + _slots(problem.iterations[kind], rate) > slots:
                    break
                while next_placement(
                    stack.next_gpus[depth], gpus, servers, stack.free[depth], stack.twin[depth],
                    stack.fresh[depth] == 1,
                ):  # fmt: skip
                    stack.fresh[depth] = 0
                    if _may_start(stack, depth, servers):
                        return True
                stack.next_servers[depth] += 1
                first_on(problem, stack, depth)
        stack.next_kind[depth] += 1
        first_of_kind(problem, stack, depth)
    return False


@compiled
def _slots(iterations: int, rate: int) -> int:
    return -(-iterations // rate)


@compiled
def _may_start(stack: Stack, depth: int, servers: int) -> bool:
    """Whether the job could not have started one slot earlier without harm.

    It could, unless a server of its placement lacked room then, or it spans and a job that spans
    was active then on one of its servers.
    """
    if stack.time[depth] == 0:
        return True
    placement = stack.next_gpus[depth]
    for s in range(placement.shape[0]):
        if placement[s] > stack.free_before[depth, s]:
            return True
        if servers > 1 and placement[s] > 0 and stack.spanning_before[depth, s] > 0:
            return True
    return False


@compiled
def _start(problem: Problem, costs: Costs, stack: Stack, depth: int, slots: int) -> int:
    """Start the job that `_find_start` found, one level deeper; 0 where that is hopeless."""
    kind, servers = stack.next_kind[depth], stack.next_servers[depth]
    need, below = problem.iterations[kind] // costs.grain, depth + 1
    for v in range(costs.fresh.shape[0]):
        more = costs.table[v, costs.offset[kind, servers] + need] - costs.fresh[v, kind]
        stack.owed[below, v] = stack.owed[depth, v] + more
        if stack.owed[below, v] > costs.unit[v] * (slots - stack.time[depth]):
            return 0
    place(problem, stack, depth)
    stack.free_before[below] = stack.free_before[depth]
    stack.spanning_before[below] = stack.spanning_before[depth]
    stack.opened[below] = stack.opened[depth]
    _find_worth(problem, costs, stack, below)
    return 1


@compiled
def _wasteful(costs: Costs, stack: Stack, depth: int, kind: int, idle: int, slots: int) -> bool:
    """Whether this slot must leave too much of its worth unused, if kinds before `kind` do not
    start in it: what is owed sinks by at most what the active jobs cost.
    """
    row = stack.opened[depth]
    for v in range(costs.unit.shape[0]):
        most = stack.worth[depth, v] + stack.joining[row, v, kind, idle]
        if stack.owed[depth, v] - most > costs.unit[v] * (slots - stack.time[depth] - 1):
            return True
    return False


@compiled
def _find_worth(problem: Problem, costs: Costs, stack: Stack, depth: int) -> None:
    stack.worth[depth] = 0
    for job in range(stack.running[depth]):
        kind, servers = stack.kind[depth, job], stack.servers[depth, job]
        level = level_of(problem, stack, depth, job)
        for v in range(costs.unit.shape[0]):
            stack.worth[depth, v] += costs.price[v, kind, servers, level]


@compiled
def fill_joining(problem: Problem, costs: Costs, stack: Stack, depth: int, v: int) -> None:
    """Knapsacks over the waiting jobs, each at its dearest mode."""
    table = stack.joining[depth, v]
    total = table.shape[1] - 1
    table[problem.copies.shape[0]] = 0
    for kind in range(problem.copies.shape[0] - 1, -1, -1):
        table[kind] = table[kind + 1]
        gpus, dearest = problem.gpus[kind], costs.price[v, kind].max()
        for _ in range(stack.waiting[depth, kind]):
            for idle in range(total, gpus - 1, -1):
                table[kind, idle] = max(table[kind, idle], dearest + table[kind, idle - gpus])


@compiled
def _rate(problem: Problem, stack: Stack, depth: int, job: int) -> int:
    """phi_j[t] of an active job, eq. (6)."""
    level = level_of(problem, stack, depth, job)
    return int(problem.rate[stack.kind[depth, job], stack.servers[depth, job], level])


@compiled
def _run(problem: Problem, costs: Costs, stack: Stack, depth: int, slots: int) -> bool:
    """Let time pass, one level deeper; False where no schedule of `slots` slots can follow."""
    below = depth + 1
    passed = _slots_until_a_choice(problem, stack, depth)
    if passed == 0:
        return False
    rest = slots - stack.time[depth] - passed
    if rest < 0:
        return False
    copy_state(stack, depth, below)
    stack.time[below] = stack.time[depth] + passed
    stack.free_before[below] = stack.free[depth]
    stack.spanning_before[below] = stack.spanning[depth]
    stack.started[below] = 0
    active = 0
    for job in range(stack.running[depth]):
        left = stack.left[depth, job] - passed * _rate(problem, stack, depth, job)
        if left <= 0:
            _release(problem, stack, depth, below, job)
            continue
        kind, servers = stack.kind[depth, job], stack.servers[depth, job]
        if _slots(left, problem.rate[kind, servers, 1]) > rest:
            return False
        stack.kind[below, active], stack.servers[below, active] = kind, servers
        stack.left[below, active] = left
        stack.gpus[below, active] = stack.gpus[depth, job]
        active += 1
    stack.running[below] = active
    if not _affordable(problem, costs, stack, below, rest):
        return False
    open_slot(problem, stack, below)
    _find_worth(problem, costs, stack, below)
    if stack.joining.shape[0] > 1:
        stack.opened[below] = below
        for v in range(costs.unit.shape[0]):
            fill_joining(problem, costs, stack, below, v)
    return True


@compiled
def _release(problem: Problem, stack: Stack, depth: int, below: int, job: int) -> None:
    """A job has ended: its GPUs are idle."""
    for s in range(problem.capacity.shape[0]):
        count = stack.gpus[depth, job, s]
        stack.free[below, s] += count
        stack.spanning[below, s] -= count > 0 and stack.servers[depth, job] > 1


@compiled
def _affordable(problem: Problem, costs: Costs, stack: Stack, depth: int, rest: int) -> bool:
    """Whether what is left to do can fit into `rest` slots, by length and by every price."""
    for kind in range(problem.copies.shape[0]):
        if stack.waiting[depth, kind] > 0 and problem.shortest[kind] > rest:
            return False
    for v in range(costs.fresh.shape[0]):
        owed = 0
        for kind in range(problem.copies.shape[0]):
            owed += stack.waiting[depth, kind] * costs.fresh[v, kind]
        for job in range(stack.running[depth]):
            run = costs.offset[stack.kind[depth, job], stack.servers[depth, job]]
            owed += costs.table[v, run + stack.left[depth, job] // costs.grain]
        if owed > costs.unit[v] * rest:
            return False
        stack.owed[depth, v] = owed
    return True


@compiled
def _slots_until_a_choice(problem: Problem, stack: Stack, depth: int) -> int:
    """Slots until a job ends or may start; 0 where nothing will ever happen.

    Before the next completion only a job that spans can start, next to one that spans, since
    idle GPUs that suffice now have sufficed in the slot before.
    """
    ends = 0
    for job in range(stack.running[depth]):
        rate = _rate(problem, stack, depth, job)
        if rate > 0:
            slots = _slots(stack.left[depth, job], rate)
            ends = slots if ends == 0 else min(ends, slots)
    idle, beside = stack.free[depth].sum(), False
    for s in range(problem.capacity.shape[0]):
        beside |= stack.free[depth, s] > 0 and stack.spanning[depth, s] > 0
    for kind in range(problem.copies.shape[0]):
        if beside and stack.waiting[depth, kind] > 0 and 2 <= problem.gpus[kind] <= idle:
            return 1
    return ends


@compiled
def cost_tables(problem: Problem, price: Integers, costs: Costs, system: int) -> None:
    """Cheapest way to finish: for each kind and h, over every number of iterations left.

    With n_p slots at level p, sum_p phi(h, p) n_p >= left, it costs sum_p price(h, p) n_p; the
    cheapest integers n_p come from a knapsack recursion.

    Parameters
    ----------
    price : (kinds, h, p)
        Price of one slot.
    """
    levels = problem.rate.shape[2]
    for kind in range(problem.copies.shape[0]):
        cheapest = np.int64(-1)
        need = problem.iterations[kind]
        for servers in range(problem.least_servers[kind], problem.most_servers[kind] + 1):
            run = costs.offset[kind, servers]
            costs.table[system, run] = 0
            for left in range(1, need + 1):
                best = np.int64(-1)
                for level in range(0 if servers == 1 else 1, 1 if servers == 1 else levels):
                    rate = problem.rate[kind, servers, level]
                    if rate == 0:
                        continue
                    cost = price[kind, servers, level]
                    cost += costs.table[system, run + max(0, left - rate)]
                    if best < 0 or cost < best:
                        best = cost
                costs.table[system, run + left] = best
            if cheapest < 0 or costs.table[system, run + need] < cheapest:
                cheapest = costs.table[system, run + need]
        costs.fresh[system, kind] = cheapest
