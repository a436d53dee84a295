"""The dearest configuration: jobs that can run together, by branch and bound over placements."""

from __future__ import annotations

import numpy as np

from solvers.search.compiled import compiled
from solvers.search.placements import next_placement
from solvers.search.stack import Stack
from solvers.search.starts import first_of_kind, first_on, level_of, open_slot, place
from solvers.search.tables import Integers, Problem


@compiled
def dearest_configuration(
    problem: Problem, price: Integers, stack: Stack, found: Integers, budget: int
) -> tuple[int, int]:
    """Find a set of jobs that can run together, with the highest total price.

    Jobs join kind by kind in the order of `problem`. More jobs only raise the levels of those
    that are there, and a higher level costs no more, so that the price at the present levels plus
    a knapsack over the idle GPUs bounds what can still come. The same holds after a toll for
    links: on a server every spanning job has a level of at least the number of spanning jobs
    there, so that the sum of h / p over a configuration is at most the number of servers.

    Parameters
    ----------
    price : (kinds, h, p)
        Integers, not increasing in p.
    found : (kinds, h, p)
        Receives how many jobs of the best configuration run in each mode.
    budget : int
        Largest number of nodes.

    Returns
    -------
    tuple
        The highest price found, and one that no configuration exceeds: the same, unless the
        budget was used up.
    """
    toll = _best_toll(problem, price)
    net = _after_toll(problem, price, toll)
    later, later_net = _knapsack(problem, price), _knapsack(problem, net)
    tolls, idle = toll * problem.capacity.shape[0], problem.capacity.sum()
    stack.time[0] = 0
    stack.waiting[0] = problem.copies
    stack.running[0] = 0
    stack.free[0] = problem.capacity
    stack.spanning[0] = 0
    open_slot(problem, stack, 0)
    stack.owed[0, 0] = 0
    stack.owed[0, 1] = tolls
    best, depth, nodes = 0, 0, 0
    while depth >= 0:
        if not _find(problem, stack, depth, later, later_net, best):
            depth -= 1
            continue
        nodes += 1
        if nodes > budget:
            return best, min(later[0, idle], tolls + later_net[0, idle])
        place(problem, stack, depth)
        depth += 1
        stack.owed[depth, 0] = _value(problem, stack, depth, price)
        stack.owed[depth, 1] = tolls + _value(problem, stack, depth, net)
        if stack.owed[depth, 0] > best:
            best = stack.owed[depth, 0]
            _write(problem, stack, depth, found)
    return best, best


@compiled
def _find(
    problem: Problem, stack: Stack, depth: int, later: Integers, later_net: Integers, best: int
) -> bool:
    """Move to the next job and placement that may lead above `best`; False where none does."""
    idle = stack.free[depth].sum()
    item = 0
    for kind in range(stack.next_kind[depth]):
        item += problem.copies[kind]
    while stack.next_kind[depth] < problem.gpus.shape[0]:
        kind = stack.next_kind[depth]
        gpus, waiting = problem.gpus[kind], stack.waiting[depth, kind]
        first = item + problem.copies[kind] - waiting
        if stack.owed[depth, 0] + later[first, idle] <= best:
            return False
        if stack.owed[depth, 1] + later_net[first, idle] <= best:
            return False
        if waiting > 0 and idle >= gpus:
            while stack.next_servers[depth] <= problem.most_servers[kind]:
                servers = stack.next_servers[depth]
                if next_placement(
                    stack.next_gpus[depth], gpus, servers, stack.free[depth], stack.twin[depth],
                    stack.fresh[depth] == 1,
                ):  # fmt: skip
                    stack.fresh[depth] = 0
                    return True
                stack.next_servers[depth] += 1
                first_on(problem, stack, depth)
        item += problem.copies[kind]
        stack.next_kind[depth] += 1
        first_of_kind(problem, stack, depth)
    return False


@compiled
def _knapsack(problem: Problem, price: Integers) -> Integers:
    """By (first job that may still join, idle GPUs): the highest price of jobs that fit in number.

    Every job counts at its best mode.
    """
    total, jobs = problem.capacity.sum(), problem.copies.sum()
    later = np.zeros((jobs + 1, total + 1), dtype=np.int64)
    item = jobs
    for kind in range(problem.copies.shape[0] - 1, -1, -1):
        gpus, best = problem.gpus[kind], price[kind].max()
        for _ in range(problem.copies[kind]):
            item -= 1
            for idle in range(total + 1):
                later[item, idle] = later[item + 1, idle]
                if idle >= gpus:
                    with_it = best + later[item + 1, idle - gpus]
                    later[item, idle] = max(later[item, idle], with_it)
    return later


@compiled
def _after_toll(problem: Problem, price: Integers, toll: int) -> Integers:
    """The highest price less toll h / p at this level or a higher one, rounded up."""
    net = price.copy()
    for kind in range(net.shape[0]):
        for servers in range(2, net.shape[1]):
            for level in range(net.shape[2] - 1, 0, -1):
                net[kind, servers, level] -= toll * servers // level
                if level + 1 < net.shape[2]:
                    above = net[kind, servers, level + 1]
                    net[kind, servers, level] = max(net[kind, servers, level], above)
            net[kind, servers, 0] = 0
    return net


@compiled
def _best_toll(problem: Problem, price: Integers) -> int:
    """The toll with the lowest bound at the root, which is convex in it: by ternary search."""
    total, servers = problem.capacity.sum(), problem.capacity.shape[0]
    low, high = 0, price.max()
    while high - low > 2 + price.max() // 200:
        one, two = low + (high - low) // 3, high - (high - low) // 3
        bound_one = _knapsack(problem, _after_toll(problem, price, one))[0, total] + servers * one
        bound_two = _knapsack(problem, _after_toll(problem, price, two))[0, total] + servers * two
        if bound_one <= bound_two:
            high = two
        else:
            low = one
    return low


@compiled
def _value(problem: Problem, stack: Stack, depth: int, price: Integers) -> int:
    total = 0
    for job in range(stack.running[depth]):
        level = level_of(problem, stack, depth, job)
        total += price[stack.kind[depth, job], stack.servers[depth, job], level]
    return total


@compiled
def _write(problem: Problem, stack: Stack, depth: int, found: Integers) -> None:
    found[:] = 0
    for job in range(stack.running[depth]):
        level = level_of(problem, stack, depth, job)
        found[stack.kind[depth, job], stack.servers[depth, job], level] += 1
