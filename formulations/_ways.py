"""Ways to run a job whose duration is known when it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

from instances.instance import Instance
from instances.schedule import Placement

_MOST = 64
"""Placements that span, of one job, in the restriction."""


@dataclass(frozen=True)
class Way:
    """A placement, the slots that the job then takes, and the level it counts on (0: none)."""

    placement: Placement
    slots: int
    level: int


def on_one_server(instance: Instance, j: int) -> list[Way]:
    """Every server that can hold the job."""
    gpus, slots = instance.jobs[j].gpus, instance.timing.shortest[j]
    return [
        Way(((s, gpus),), slots, 0)
        for s, server in enumerate(instance.servers)
        if server.gpus >= gpus
    ]


def at_known_pace(instance: Instance, j: int) -> list[Way]:
    """One server where the job fits one; else its fewest servers, all but one filled, at level 1
    or 2.
    """
    if instance.timing.fewest_servers[j] == 1:
        return on_one_server(instance, j)
    h = instance.timing.fewest_servers[j]
    found = []
    for level in range(1, min(2, instance.timing.max_level) + 1):
        rate = instance.timing.rate(j, h, level)
        if rate:
            slots = -(-instance.jobs[j].iterations // rate)
            spread = islice(_filled(instance, instance.jobs[j].gpus, h), _MOST)
            found += [Way(placement, slots, level) for placement in spread]
    return found


def _filled(instance: Instance, gpus: int, h: int) -> Iterator[Placement]:
    """Placements on h servers that take all GPUs of all but one."""
    for chosen in combinations(range(len(instance.servers)), h):
        for last in chosen:
            full = [(s, instance.servers[s].gpus) for s in chosen if s != last]
            rest = gpus - sum(count for _, count in full)
            if 1 <= rest <= instance.servers[last].gpus:
                yield tuple(sorted([*full, (last, rest)]))
