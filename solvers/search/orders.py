"""List scheduling, compiled: many orders of the jobs, each in microseconds.

Whatever comes out of here is an incumbent at best: it is timed by the simulator and judged by the
checker, so that a fault costs quality and never a number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.search.compiled import compiled
from solvers.search.profiles import Floats
from solvers.search.tables import Integers, Problem

_FRESH = 0.3
"""Share of plans that are not made from the last good one."""
_TOLERANCE = 2.0
"""Mean excess, in GPU-slots, by which a plan may be worse than its predecessor."""


class Plan(NamedTuple):
    """How to schedule; jobs are numbered kind by kind, in the order of `Problem`.

    Attributes
    ----------
    rank : (jobs,)
        The job of highest rank that has room starts first.
    spreads : (jobs,)
        1 where a job that fits on one server spans if none has room.
    avoids : (jobs,)
        1 where a job does not share a link with jobs that are active when it starts.
    """

    rank: Floats
    spreads: Integers
    avoids: Integers


class Board(NamedTuple):
    """What a plan comes to, and the state of the cluster on the way.

    Attributes
    ----------
    starts : (jobs,)
        Start slots.
    gpus : (jobs, servers)
        Placements.
    kind, servers, left : (jobs,)
        Kind of each job, its h, and the iterations left to it.
    free, spanning, taken : (servers,)
        Idle GPUs, active jobs that span, and GPUs for the job that is being placed.
    """

    starts: Integers
    gpus: Integers
    kind: Integers
    servers: Integers
    left: Integers
    free: Integers
    spanning: Integers
    taken: Integers


def make_board(problem: Problem) -> Board:
    """A board for as many jobs as there are."""
    kind = np.repeat(np.arange(problem.copies.size), problem.copies)
    jobs, servers = kind.size, problem.capacity.size

    def row(length: int) -> Integers:
        return np.zeros(length, dtype=np.int64)

    return Board(
        row(jobs), np.zeros((jobs, servers), dtype=np.int64), kind, row(jobs), row(jobs),
        row(servers), row(servers), row(servers),
    )  # fmt: skip


def make_plan(problem: Problem) -> Plan:
    """Longest first."""
    rank = np.repeat(np.log(problem.shortest.astype(np.float64)), problem.copies)
    return Plan(rank, np.zeros(rank.size, dtype=np.int64), np.zeros(rank.size, dtype=np.int64))


@compiled
def best_of_orders(
    problem: Problem,
    board: Board,
    best: Plan,
    random: np.random.Generator,
    tries: int,
    lower: int,
    upper: int,
) -> int:
    """Look for a plan of fewer than `upper` slots; stop at `lower`.

    A fresh plan ranks jobs by rhohat_j G_j^w e^z, with the power w and the spread of the normal z
    drawn anew. Other plans move some jobs of the last plan that was hardly worse than its
    predecessor (threshold accepting). Plans are compared by their excess over `upper` - 1.

    Parameters
    ----------
    best : Plan
        Receives the best plan, if one is found.

    Returns
    -------
    int
        Its makespan, or `upper`.
    """
    length = np.log(problem.shortest[board.kind].astype(np.float64))
    width = np.log(problem.gpus[board.kind].astype(np.float64))
    good, trial = _copy(best), _copy(best)
    reached = 2**62
    for _ in range(tries):
        if upper <= lower:
            break
        if random.random() < _FRESH:
            _draw(trial, length, width, random)
        else:
            _vary(trial, good, random)
        order = np.argsort(-trial.rank)
        tolerated = reached + int(random.exponential(_TOLERANCE))
        excess, makespan = place_in_order(problem, board, trial, order, upper - 1, tolerated)
        if excess > tolerated:
            continue
        reached = excess
        _assign(good, trial)
        if excess == 0:
            upper = makespan
            _assign(best, trial)
            reached, _ = place_in_order(problem, board, trial, order, upper - 1, 2**62)
    return upper


@compiled
def _copy(plan: Plan) -> Plan:
    return Plan(plan.rank.copy(), plan.spreads.copy(), plan.avoids.copy())


@compiled
def _assign(to: Plan, plan: Plan) -> None:
    to.rank[:] = plan.rank
    to.spreads[:] = plan.spreads
    to.avoids[:] = plan.avoids


@compiled
def _draw(plan: Plan, length: Floats, width: Floats, random: np.random.Generator) -> None:
    power, noise = 0.5 * random.integers(0, 3), random.uniform(0.05, 0.6)
    spreading, avoiding = _share(random), _share(random)
    for job in range(length.size):
        plan.rank[job] = length[job] + power * width[job] + noise * random.standard_normal()
        plan.spreads[job] = random.random() < spreading
        plan.avoids[job] = random.random() < avoiding


@compiled
def _share(random: np.random.Generator) -> float:
    """Mostly nobody."""
    return max(0.0, random.uniform(-1.0, 1.0))


@compiled
def _vary(plan: Plan, good: Plan, random: np.random.Generator) -> None:
    moving, noise = random.uniform(0.05, 0.5), random.uniform(0.02, 0.3)
    for job in range(plan.rank.size):
        plan.rank[job] = good.rank[job]
        plan.spreads[job] = good.spreads[job]
        plan.avoids[job] = good.avoids[job]
        if random.random() < moving:
            plan.rank[job] += noise * random.standard_normal()
            if random.random() < 0.1:
                plan.spreads[job] = 1 - plan.spreads[job]
            if random.random() < 0.1:
                plan.avoids[job] = 1 - plan.avoids[job]


@compiled
def place_in_order(
    problem: Problem,
    board: Board,
    plan: Plan,
    order: NDArray[np.intp],
    target: int,
    limit: int,
) -> tuple[int, int]:
    """Start whatever has room, at slot 0 and at completions; the excess and the makespan.

    A job that fits on one server takes the one that it fills best; a wider one takes the emptiest
    servers, as few as will do. The excess is the sum of G_j max(0, C_j - target), in GPU-slots:
    unlike the makespan it tells plans apart that end in the same slot. A plan of more than `limit`
    is given up.
    """
    jobs = order.size
    waiting, active = order.copy(), order.copy()
    queued, running, time, excess = jobs, 0, 0, 0
    board.free[:] = problem.capacity
    board.spanning[:] = 0
    idle = problem.capacity.sum()
    while True:
        still = 0
        for place in range(queued):
            job = waiting[place]
            kind = board.kind[job]
            gpus = problem.gpus[kind]
            if gpus > idle or not _has_room(
                gpus, problem.least_servers[kind], problem.most_servers[kind], board.free,
                board.spanning, board.taken, plan.spreads[job], plan.avoids[job],
            ):  # fmt: skip
                waiting[still] = job
                still += 1
                continue
            _take(board, job)
            board.starts[job], board.left[job] = time, problem.iterations[kind]
            idle -= gpus
            active[running] = job
            running += 1
        queued = still
        slots = _next_completion(problem, board, active, running)
        time += slots
        if slots == 0 or excess > limit:
            return limit + 1, time
        still = 0
        for place in range(running):
            job = active[place]
            if board.left[job] <= 0:
                idle += problem.gpus[board.kind[job]]
                excess += max(0, time - target) * problem.gpus[board.kind[job]]
                _release(board, job)
            else:
                active[still] = job
                still += 1
        running = still
        if queued + running == 0:
            return excess, time


@compiled
def _has_room(
    gpus: int, least: int, most: int, free: Integers, spanning: Integers, taken: Integers,
    spreads: int, avoids: int,
) -> bool:  # fmt: skip
    """Fill `taken` with a placement for the job; False where it has to wait."""
    taken[:] = 0
    if least == 1:
        tightest = -1
        for s in range(free.size):
            if free[s] >= gpus and (tightest < 0 or free[s] < free[tightest]):
                tightest = s
        if tightest >= 0:
            taken[tightest] = gpus
            return True
        if not spreads:
            return False
        least = most
    rest = gpus
    for _ in range(least):
        emptiest = -1
        for s in range(free.size):
            if taken[s] > 0 or free[s] == 0 or (avoids and spanning[s] > 0):
                continue
            if emptiest < 0 or free[s] > free[emptiest]:
                emptiest = s
        if emptiest < 0:
            return False
        taken[emptiest] = min(rest, free[emptiest])
        rest -= taken[emptiest]
        if rest == 0:
            return True
    return False


@compiled
def _take(board: Board, job: int) -> None:
    servers = 0
    for s in range(board.free.size):
        board.gpus[job, s] = board.taken[s]
        board.free[s] -= board.taken[s]
        servers += board.taken[s] > 0
    board.servers[job] = servers
    if servers > 1:
        for s in range(board.free.size):
            board.spanning[s] += board.taken[s] > 0


@compiled
def _release(board: Board, job: int) -> None:
    for s in range(board.free.size):
        board.free[s] += board.gpus[job, s]
        board.spanning[s] -= board.servers[job] > 1 and board.gpus[job, s] > 0


@compiled
def _next_completion(problem: Problem, board: Board, active: NDArray[np.intp], running: int) -> int:
    """Let the active jobs run until one ends; the slots that takes, 0 where nothing moves."""
    soonest = 0
    for place in range(running):
        job = active[place]
        rate = problem.rate[board.kind[job], board.servers[job], _level(board, job)]
        if rate > 0:
            slots = -(-board.left[job] // rate)
            soonest = slots if soonest == 0 else min(soonest, slots)
    for place in range(running):
        job = active[place]
        rate = problem.rate[board.kind[job], board.servers[job], _level(board, job)]
        board.left[job] -= soonest * rate
    return soonest


@compiled
def _level(board: Board, job: int) -> int:
    """p_j[t], eq. (6)."""
    level = 0
    if board.servers[job] > 1:
        for s in range(board.spanning.size):
            if board.gpus[job, s] > 0:
                level = max(level, board.spanning[s])
    return level
