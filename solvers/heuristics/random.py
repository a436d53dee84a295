"""Random placement (RAND): any available GPUs, with theta_u = T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instances.instance import Instance
from instances.schedule import Schedule
from solvers.dispatch import Cluster
from solvers.load_limit import Order, dispatch_within, queue


@dataclass(frozen=True)
class Options:
    """The order of jobs."""

    order: Order = "arrival"


def schedule(instance: Instance, options: Options, seed: int) -> Schedule | None:
    """The paper's RAND baseline (section 7); the same seed gives the same schedule."""
    generator = np.random.default_rng(seed)

    def choose(cluster: Cluster, job: int, available: list[int]) -> Sequence[int]:
        chosen = generator.choice(available, cluster.instance.jobs[job].gpus, replace=False)
        return [int(gpu) for gpu in chosen]

    return dispatch_within(instance, queue(instance, options.order), instance.horizon, choose)
