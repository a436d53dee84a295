"""First fit (FF): the first available GPUs, server by server."""

from __future__ import annotations

from collections.abc import Sequence

from instances.instance import Instance
from instances.schedule import Schedule
from solvers.dispatch import Cluster
from solvers.load_limit import LoadOptions, dispatch_within, queue, search_limit

Options = LoadOptions


def schedule(instance: Instance, options: Options, seed: int) -> Schedule | None:
    """The paper's FF baseline (section 7), with a bisection of its own."""
    order = queue(instance, options.order)
    found = search_limit(
        instance,
        options.bisection,
        lambda limit: [dispatch_within(instance, order, limit, _first)],
    )
    return None if found is None else found.schedule


def _first(cluster: Cluster, job: int, available: list[int]) -> Sequence[int]:
    return available[: cluster.instance.jobs[job].gpus]
