"""Unequal servers, and jobs that need just over half of one, or just over all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from instances.generation import (
    Draft,
    Gpus,
    Jobs,
    Servers,
    Slots,
    Streams,
    small_draft,
    uniform_slots,
)


@dataclass(frozen=True)
class Parameters:
    """``gpus_per_server`` is the largest capacity; the smallest is about half of it."""

    jobs: Jobs = 8
    servers: Servers = 3
    gpus_per_server: Gpus = 5
    min_slots: Slots = 3
    max_slots: Slots = 15


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """Each job looks at one server: half want just over half of it, a quarter one GPU more than
    it has, a quarter a single GPU. What is left beside them is of little use.
    """
    n, most = parameters.jobs, parameters.gpus_per_server
    capacities = streams("capacity").integers((most + 1) // 2, most + 1, parameters.servers)
    looked_at = capacities[streams("server").integers(0, parameters.servers, n)]
    kind = streams("kind").integers(0, 4, n)
    wanted = np.select([kind <= 1, kind == 2], [looked_at // 2 + 1, looked_at + 1], 1)
    gpus = np.minimum(wanted, capacities.sum())
    slots = uniform_slots(streams, n, parameters.min_slots, parameters.max_slots)
    return small_draft(streams, capacities.tolist(), gpus.tolist(), (0.004, 0.016), slots)
