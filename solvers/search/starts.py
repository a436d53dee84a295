"""Starting jobs: what the search and the pricing of configurations share."""

from __future__ import annotations

from solvers.search.compiled import compiled
from solvers.search.stack import Stack
from solvers.search.tables import Problem


@compiled
def open_slot(problem: Problem, stack: Stack, depth: int) -> None:
    """A new slot: every kind may start."""
    stack.next_kind[depth] = 0
    first_of_kind(problem, stack, depth)
    find_twins(problem, stack, depth)


@compiled
def first_of_kind(problem: Problem, stack: Stack, depth: int) -> None:
    kind = stack.next_kind[depth]
    if kind < problem.gpus.shape[0]:
        stack.next_servers[depth] = problem.least_servers[kind]
    first_on(problem, stack, depth)


@compiled
def first_on(problem: Problem, stack: Stack, depth: int) -> None:
    """Before the first placement on `next_servers` servers."""
    stack.next_gpus[depth] = 0
    kind = stack.next_kind[depth]
    if kind < problem.gpus.shape[0]:
        stack.next_gpus[depth, 0] = problem.gpus[kind] + 1
    stack.fresh[depth] = 1


@compiled
def place(problem: Problem, stack: Stack, depth: int) -> None:
    """The job and placement that come next at `depth` become active, one level deeper."""
    kind, servers = stack.next_kind[depth], stack.next_servers[depth]
    below = depth + 1
    copy_state(stack, depth, below)
    job = stack.running[depth]
    stack.running[below] = job + 1
    stack.kind[below, job], stack.servers[below, job] = kind, servers
    stack.left[below, job] = problem.iterations[kind]
    stack.waiting[below, kind] -= 1
    for s in range(problem.capacity.shape[0]):
        count = stack.next_gpus[depth, s]
        stack.gpus[below, job, s] = count
        stack.free[below, s] -= count
        stack.spanning[below, s] += count > 0 and servers > 1
    stack.started[below] = 1
    stack.next_kind[below], stack.next_servers[below] = kind, servers
    stack.next_gpus[below] = stack.next_gpus[depth]
    stack.fresh[below] = 1
    find_twins(problem, stack, below)


@compiled
def copy_state(stack: Stack, depth: int, below: int) -> None:
    """The state that a start or a slot changes only in part."""
    active = stack.running[depth]
    stack.time[below] = stack.time[depth]
    stack.waiting[below] = stack.waiting[depth]
    stack.kind[below, :active] = stack.kind[depth, :active]
    stack.servers[below, :active] = stack.servers[depth, :active]
    stack.left[below, :active] = stack.left[depth, :active]
    stack.gpus[below, :active] = stack.gpus[depth, :active]
    stack.free[below] = stack.free[depth]
    stack.spanning[below] = stack.spanning[depth]


@compiled
def level_of(problem: Problem, stack: Stack, depth: int, job: int) -> int:
    """p_j[t] of an active job, eq. (6)."""
    level = 0
    if stack.servers[depth, job] > 1:
        for s in range(problem.capacity.shape[0]):
            if stack.gpus[depth, job, s] > 0:
                level = max(level, stack.spanning[depth, s])
    return level


@compiled
def find_twins(problem: Problem, stack: Stack, depth: int) -> None:
    """For each server the last earlier one with which it could swap all it hosts and will host."""
    for s in range(problem.capacity.shape[0]):
        stack.twin[depth, s] = -1
        for other in range(s - 1, -1, -1):
            if _interchangeable(problem, stack, depth, other, s):
                stack.twin[depth, s] = other
                break


@compiled
def _interchangeable(problem: Problem, stack: Stack, depth: int, one: int, two: int) -> bool:
    """Equal capacity, the same share of every spanning job, equal jobs on one server each."""
    if problem.capacity[one] != problem.capacity[two]:
        return False
    if stack.free[depth, one] != stack.free[depth, two]:
        return False
    for job in range(stack.running[depth]):
        if stack.servers[depth, job] > 1:
            if stack.gpus[depth, job, one] != stack.gpus[depth, job, two]:
                return False
        elif stack.gpus[depth, job, one] or stack.gpus[depth, job, two]:
            balance = 0
            for other in range(stack.running[depth]):
                if (
                    stack.servers[depth, other] == 1
                    and stack.kind[depth, other] == stack.kind[depth, job]
                    and stack.left[depth, other] == stack.left[depth, job]
                ):
                    balance += (stack.gpus[depth, other, one] > 0) - (
                        stack.gpus[depth, other, two] > 0
                    )
            if balance != 0:
                return False
    return True
