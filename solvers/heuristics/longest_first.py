"""Longest job first: what a practitioner would try; one server where it fits, with backfilling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instances.instance import Instance
from instances.schedule import Schedule
from solvers.dispatch import Cluster, dispatch


@dataclass(frozen=True)
class Options:
    """None."""


def schedule(instance: Instance, options: Options, seed: int) -> Schedule | None:
    """Start the longest job that has room; shorter ones may overtake one that has not.

    A job that some server can hold waits for a server with room (the one it fills best); a wider
    one waits until its fewest servers have room, the emptiest first.
    """
    shortest = instance.timing.shortest
    order = sorted(range(len(instance.jobs)), key=shortest.__getitem__, reverse=True)
    found = dispatch(instance, order, _next)
    return found if found is not None and found.makespan <= instance.horizon else None


def _next(cluster: Cluster) -> tuple[int, Sequence[int]] | None:
    idle = [cluster.idle_on(server) for server in range(len(cluster.gpus_of))]
    for job in cluster.waiting:
        gpus = _room(cluster.instance, job, idle)
        if gpus is not None:
            return job, gpus
    return None


def _room(instance: Instance, job: int, idle: list[list[int]]) -> Sequence[int] | None:
    """GPUs on the job's fewest servers, or None where these have no room now."""
    need, fewest = instance.jobs[job].gpus, instance.timing.fewest_servers[job]
    if fewest == 1:
        return min((gpus for gpus in idle if len(gpus) >= need), key=len, default=[])[:need] or None
    emptiest = sorted(idle, key=len, reverse=True)[:fewest]
    gpus = [gpu for server in emptiest for gpu in server]
    return gpus[:need] if len(gpus) >= need else None
