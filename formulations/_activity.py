"""Who is active when, and at which contention level: for starting a model from a schedule."""

from __future__ import annotations

from dataclasses import dataclass

from instances.instance import Instance
from instances.schedule import Schedule
from instances.simulator import simulate


@dataclass(frozen=True)
class Activity:
    """A schedule unrolled over slots.

    Attributes
    ----------
    completion : tuple of int
        Completion time of each job.
    level : dict of (int, int) to int
        p_j[t] for every job j and slot t in which it is active, eq. (6).
    """

    completion: tuple[int, ...]
    level: dict[tuple[int, int], int]


def unroll(instance: Instance, schedule: Schedule) -> Activity:
    """Simulate `schedule`, which the checker has approved, and record every slot."""
    completion = simulate(instance, schedule.starts, schedule.placements)
    assert completion is not None
    spanning: dict[tuple[int, int], int] = {}
    slots = [
        (job, t) for job, start in enumerate(schedule.starts) for t in range(start, completion[job])
    ]
    for job, t in slots:
        if len(schedule.placements[job]) > 1:
            for server, _ in schedule.placements[job]:
                spanning[server, t] = spanning.get((server, t), 0) + 1
    level = {
        (job, t): max(spanning[server, t] for server, _ in schedule.placements[job])
        if len(schedule.placements[job]) > 1
        else 0
        for job, t in slots
    }
    return Activity(completion, level)
