"""The oracle: the exact optimum of a tiny instance, by trying everything.

Slot by slot, every set of waiting jobs may start with every placement that fits; states that are
equal are met once. There is no argument about which decisions are worth trying, so that there is
nothing to doubt. Of the rest of the project it uses the instance and the rate phi_j(h, p) alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from instances.errors import TooLarge
from instances.instance import Instance
from instances.schedule import Placement, Schedule

Rate = Callable[[int, int, int], int]
"""phi of (job, number of servers, contention level)."""

State = tuple[tuple[Placement, int] | None, ...]
"""Per job its placement and the iterations left; None before it starts, ((), 0) once it is done."""

_DONE = ((), 0)


@dataclass(frozen=True)
class _Origin:
    """The state of the slot before, and the jobs that started then."""

    state: State
    started: tuple[tuple[int, Placement], ...]


def brute_force(
    instance: Instance, rate: Rate | None = None, limit: int = 1_000_000
) -> Schedule | None:
    """An optimal schedule, or None where the horizon admits none.

    Parameters
    ----------
    rate : callable, optional
        phi_j(h, p); default: the instance's. `uncontended` gives the one without contention.
    limit : int
        Largest number of states to keep.

    Raises
    ------
    TooLarge
        With the number of states that were met.
    """
    rate = instance.timing.rate if rate is None else rate
    placements = [every_placement(instance, job.gpus) for job in instance.jobs]
    layers: list[dict[State, _Origin | None]] = [{(None,) * len(instance.jobs): None}]
    met = 1
    for slot in range(instance.horizon):
        following: dict[State, _Origin | None] = {}
        for state in layers[-1]:
            for started in _starts(instance, placements, state):
                after = _one_slot(instance, rate, state, started)
                following.setdefault(after, _Origin(state, started))
            if met + len(following) > limit:
                raise TooLarge(f"brute force: more than {limit} states by slot {slot}")
        met += len(following)
        layers.append(following)
        if (_DONE,) * len(instance.jobs) in following:
            return _traced(layers)
    return None


def uncontended(instance: Instance) -> Rate:
    """phi_j with p taken as 1 for every job that spans servers: contention switched off."""
    return lambda job, servers, level: instance.timing.rate(job, servers, min(level, 1))


def every_placement(instance: Instance, gpus: int) -> list[Placement]:
    """All ways to spread `gpus` workers over the servers, eqs. (1), (2) and (5)."""
    found: list[dict[int, int]] = [{}]
    for server, capacity in enumerate(instance.servers):
        found = [
            {**counts, server: count}
            for counts in found
            for count in range(min(capacity.gpus, gpus - sum(counts.values())) + 1)
        ]
    return [
        tuple((server, count) for server, count in counts.items() if count)
        for counts in found
        if sum(counts.values()) == gpus
    ]


def _starts(
    instance: Instance, placements: list[list[Placement]], state: State
) -> Iterator[tuple[tuple[int, Placement], ...]]:
    """Every set of waiting jobs with every placement that fits beside what runs, eq. (2)."""
    free = [server.gpus for server in instance.servers]
    for entry in state:
        for server, count in entry[0] if entry else ():
            free[server] -= count
    partial: list[tuple[tuple[tuple[int, Placement], ...], list[int]]] = [((), free)]
    for job in (job for job, entry in enumerate(state) if entry is None):
        partial += [
            ((*started, (job, placement)), left)
            for started, room in partial
            for placement in placements[job]
            if (left := _without(room, placement)) is not None
        ]
    return (started for started, _ in partial)


def _without(room: list[int], placement: Placement) -> list[int] | None:
    """The room that is left beside a placement; None where it does not fit."""
    left = room.copy()
    for server, count in placement:
        left[server] -= count
        if left[server] < 0:
            return None
    return left


def _one_slot(
    instance: Instance, rate: Rate, state: State, started: tuple[tuple[int, Placement], ...]
) -> State:
    """The state after one slot, eqs. (6) and (9)."""
    after = list(state)
    for job, placement in started:
        after[job] = (placement, instance.jobs[job].iterations)
    active = [(job, entry) for job, entry in enumerate(after) if entry and entry != _DONE]
    spanning = [0] * len(instance.servers)
    for _, (placement, _) in active:
        for server, _ in placement if len(placement) > 1 else ():
            spanning[server] += 1
    for job, (placement, left) in active:
        level = max(spanning[server] for server, _ in placement) if len(placement) > 1 else 0
        left -= rate(job, len(placement), level)
        after[job] = (placement, left) if left > 0 else _DONE
    return tuple(after)


def _traced(layers: list[dict[State, _Origin | None]]) -> Schedule:
    """The decisions that led to the state in which all jobs are done."""
    makespan = len(layers) - 1
    state: State = (_DONE,) * len(next(iter(layers[0])))
    starts, placements = {}, {}
    for slot in range(makespan - 1, -1, -1):
        origin = layers[slot + 1][state]
        assert origin is not None
        for job, placement in origin.started:
            starts[job], placements[job] = slot, placement
        state = origin.state
    jobs = range(len(state))
    return Schedule(
        tuple(starts[job] for job in jobs), tuple(placements[job] for job in jobs), makespan
    )
