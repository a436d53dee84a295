"""Strict-order dispatching under a load limit theta_u, and the search for the limit (section 5).

The paper's heuristics differ in which GPUs a job gets. They share the rest: jobs start in a fixed
order, no job overtakes another, and no GPU is given more than theta_u slots of estimated work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from instances.instance import Instance
from instances.schedule import Schedule
from solvers.dispatch import Cluster, dispatch

Order = Literal["arrival", "sjf"]
Bisection = Literal["as-printed", "tightest"]
Choice = Callable[[Cluster, int, list[int]], Sequence[int] | None]
"""``choose(cluster, job, available)``: G_j of the available GPUs, or None to wait for others."""


@dataclass(frozen=True)
class LoadOptions:
    """Options of the baselines: the order of jobs and how theta_u is searched."""

    order: Order = "arrival"
    bisection: Bisection = "as-printed"


@dataclass(frozen=True)
class Found:
    """A schedule and the limit theta~ at which it was found."""

    schedule: Schedule
    limit: int


def queue(instance: Instance, order: Order) -> list[int]:
    """Jobs as they came, or smallest G_j first (ties as they came)."""
    jobs = range(len(instance.jobs))
    return sorted(jobs, key=lambda job: instance.jobs[job].gpus) if order == "sjf" else list(jobs)


def least_loaded(cluster: Cluster, gpus: Iterable[int], count: int) -> list[int]:
    """The `count` GPUs with least U_g; ties by server, then by GPU, as GPUs are numbered."""
    return sorted(gpus, key=cluster.load.__getitem__)[:count]


def dispatch_within(
    instance: Instance, order: Sequence[int], limit: int, choose: Choice
) -> Schedule | None:
    """Dispatch in strict order; None where the limit or the horizon does not allow it.

    A GPU is available to job j if it is idle and U_g + rhohat_j <= limit. The makespan must stay
    below the horizon T, as in the paper.
    """

    def policy(cluster: Cluster) -> tuple[int, Sequence[int]] | None:
        job = cluster.waiting[0]
        room = limit - instance.timing.shortest[job]
        available = [
            gpu
            for gpu, (idle, load) in enumerate(zip(cluster.idle, cluster.load, strict=True))
            if idle and load <= room
        ]
        if len(available) < instance.jobs[job].gpus:
            return None
        gpus = choose(cluster, job, available)
        return None if gpus is None else (job, gpus)

    schedule = dispatch(instance, order, policy)
    return schedule if schedule is not None and schedule.makespan < instance.horizon else None


def search_limit(
    instance: Instance,
    bisection: Bisection,
    attempts: Callable[[int], Iterable[Schedule | None]],
) -> Found | None:
    """Bisect integer theta_u in [1, T] over ``attempts(theta_u)``; the first of the best wins.

    ``as-printed`` lowers the limit only after the makespan has strictly improved, and returns the
    best schedule of all limits visited. ``tightest`` lowers it whenever some attempt is feasible,
    and returns the best at the smallest feasible limit visited; Lemma 2 needs this one.
    """
    found: Found | None = None
    left, right = 1, instance.horizon
    while left <= right:
        limit = (left + right) // 2
        best = min(
            (schedule for schedule in attempts(limit) if schedule is not None),
            key=lambda schedule: schedule.makespan,
            default=None,
        )
        improves = best is not None and (
            bisection == "tightest" or found is None or best.makespan < found.schedule.makespan
        )
        if improves and best is not None:
            found = Found(best, limit)
            right = limit - 1
        else:
            left = limit + 1
    return found
