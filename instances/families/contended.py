"""Heavy communication and, by default, no job that one server can hold."""

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
    """By default jobs have from one GPU more than a server up to two servers' worth."""

    jobs: Jobs = 5
    servers: Servers = 3
    gpus_per_server: Gpus = 4
    min_gpus: Gpus | None = None
    max_gpus: Gpus | None = None
    min_slots: Slots = 3
    max_slots: Slots = 15


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """A second job on its links makes one 1.5 to 1.8 times as long, a third 1.9 to 2.7 times."""
    capacity, servers = parameters.gpus_per_server, parameters.servers
    smallest, widest = _sizes(parameters)
    gpus = streams("gpus").integers(smallest, widest + 1, parameters.jobs)
    slots = uniform_slots(streams, parameters.jobs, parameters.min_slots, parameters.max_slots)
    return small_draft(streams, [capacity] * servers, gpus.tolist(), (0.008, 0.02), slots)


def _sizes(parameters: Parameters) -> tuple[int, int]:
    """The range of GPUs per job, within what the cluster has."""
    capacity, total = parameters.gpus_per_server, parameters.gpus_per_server * parameters.servers
    smallest = capacity + 1 if parameters.min_gpus is None else parameters.min_gpus
    widest = parameters.max_gpus
    if widest is None:
        widest = max(smallest, min(2 * capacity, total))
    if smallest > widest:
        raise ValueError(f"min_gpus = {smallest}: must be at most max_gpus = {widest}")
    if widest > total:
        raise ValueError(
            f"servers = {parameters.servers}: have {total} GPUs, fewer than a job of {widest}"
        )
    return smallest, widest
