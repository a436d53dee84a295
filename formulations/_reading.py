"""From decisions that were read off a model to the schedule that they make."""

from __future__ import annotations

from collections.abc import Sequence

from instances.instance import Instance
from instances.schedule import Placement, Schedule
from instances.simulator import timed


def claimed(
    instance: Instance, starts: Sequence[int], placements: Sequence[Placement], makespan: int
) -> Schedule:
    """The schedule with its true makespan, but never a later one than the model claims.

    An incumbent may let a job run longer than it must, and then truly ends before the `makespan`
    that the model states. One that truly ends later is left as it was claimed, for the checker.
    """
    true = timed(instance, starts, placements)
    if true is None or true.makespan > makespan:
        return Schedule(tuple(starts), tuple(placements), makespan)
    return true
