"""Ways to run a job whose duration is known when it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product

from formulations._modes import Modes
from instances.instance import Instance
from instances.schedule import Placement

_MOST = 64
"""Placements of one job that span."""


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


def alone_on_links(instance: Instance, modes: Modes, j: int) -> list[Way] | None:
    """Every placement that spans, at level 1; None where there are too many, or another level."""
    if not modes.alone(j):
        return None
    found = []
    for h in (h for width in modes.widths(j) for h in width):
        slots = -(-instance.jobs[j].iterations // instance.timing.rate(j, h, 1))
        for placement in _placements(instance, instance.jobs[j].gpus, h):
            found.append(Way(placement, slots, 1))
            if len(found) > _MOST:
                return None
    return found


def _placements(instance: Instance, gpus: int, h: int) -> Iterator[Placement]:
    """Every placement on h servers."""
    for chosen in combinations(range(len(instance.servers)), h):
        most = [min(gpus, instance.servers[s].gpus) for s in chosen[:-1]]
        for counts in product(*(range(1, n + 1) for n in most)):
            rest = gpus - sum(counts)
            if 1 <= rest <= instance.servers[chosen[-1]].gpus:
                yield tuple(zip(chosen, (*counts, rest), strict=True))


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
