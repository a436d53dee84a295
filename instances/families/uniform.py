"""Equal servers; sizes from one GPU to one and a half servers, all attributes uniform."""

from __future__ import annotations

from dataclasses import dataclass

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
    jobs: Jobs = 8
    servers: Servers = 3
    gpus_per_server: Gpus = 4
    min_slots: Slots = 3
    max_slots: Slots = 15


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """A job that must span servers exchanges gradients for 12 to 43 % of its time alone."""
    capacity, servers = parameters.gpus_per_server, parameters.servers
    widest = min(capacity + capacity // 2, capacity * servers)
    gpus = streams("gpus").integers(1, widest + 1, parameters.jobs)
    slots = uniform_slots(streams, parameters.jobs, parameters.min_slots, parameters.max_slots)
    return small_draft(streams, [capacity] * servers, gpus.tolist(), (0.002, 0.008), slots)
