"""The judge is not the contestant: claims become results only through the checker."""

from __future__ import annotations

import math
from dataclasses import replace

from formulations import Bracket
from instances.checker import Verdict, check
from instances.instance import Instance
from instances.schedule import Schedule
from solvers.result import Result

INTEGRALITY = 1e-6
"""A dual bound at most this far above an integer is that integer (the solvers' own tolerance)."""


def verdict_on(instance: Instance, schedule: Schedule) -> Verdict:
    """What the checker says of a schedule and of the makespan that it claims."""
    return check(instance.document(), schedule.document(instance))


def round_up(bound: float) -> int:
    """Makespans are integers, so a dual bound of 11.2 is 12, but one of 11.0000003 is 11."""
    return math.ceil(bound - INTEGRALITY)


def judged(
    instance: Instance,
    result: Result,
    schedule: Schedule | None,
    bound: float | None = None,
    bracket: Bracket | None = None,
) -> Result:
    """Complete `result` with what the checker makes of `schedule` and `bound`.

    Parameters
    ----------
    schedule : Schedule or None
        What the method found.
    bound : float or None
        A lower bound on the makespan that the method claims to have proven.
    bracket : Bracket or None
        What was known before, for exact methods; a claim against it is ``wrong``.
    """
    proven = None if bound is None else round_up(bound)
    if bracket is not None and (proven is not None or schedule is not None):
        proven = max(bracket.lower, proven or 0)
    best = None if bracket is None else bracket.incumbent
    if best is not None and proven is not None and proven > best.makespan:
        message = f"claims the bound {proven}, but a checked schedule has makespan {best.makespan}"
        return replace(result, status="wrong", bound=proven, message=message)
    if schedule is None:
        return replace(result, bound=proven)
    verdict = verdict_on(instance, schedule)
    result = replace(result, bound=proven, schedule=schedule.document(instance))
    if not verdict.feasible:
        return replace(result, status="wrong", message="; ".join(verdict.violations))
    assert verdict.makespan is not None
    result = replace(result, makespan=verdict.makespan, status="feasible")
    if proven is None or proven < verdict.makespan:
        return result
    if proven == verdict.makespan:
        return replace(result, status="optimal")
    message = f"claims the bound {proven}, but its own schedule has makespan {verdict.makespan}"
    return replace(result, status="wrong", message=message)
