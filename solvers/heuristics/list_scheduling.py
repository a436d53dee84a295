"""List scheduling (LS): the available GPUs with the least load."""

from __future__ import annotations

from collections.abc import Sequence

from instances.instance import Instance
from instances.schedule import Schedule
from solvers.dispatch import Cluster
from solvers.load_limit import LoadOptions, dispatch_within, least_loaded, queue, search_limit

Options = LoadOptions


def schedule(instance: Instance, options: Options, seed: int) -> Schedule | None:
    """The paper's LS baseline (section 7), with a bisection of its own."""
    order = queue(instance, options.order)
    found = search_limit(
        instance,
        options.bisection,
        lambda limit: [dispatch_within(instance, order, limit, _least)],
    )
    return None if found is None else found.schedule


def _least(cluster: Cluster, job: int, available: list[int]) -> Sequence[int]:
    return least_loaded(cluster, available, cluster.instance.jobs[job].gpus)
