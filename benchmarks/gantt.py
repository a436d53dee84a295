"""Schedules laid out on GPUs, for Gantt charts: who sits where, when, and when links are shared."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from instances.checker import check
from instances.instance import Instance

Block = tuple[int, int]
"""First GPU (numbered server by server) and how many."""
Interval = tuple[int, int, int]
"""From slot, to slot, contention level p."""


def layout(instance: Instance, schedule: Mapping[str, Any]) -> list[list[Any]]:
    """One entry per job, in the instance's order: [start, end, blocks, contended].

    Parameters
    ----------
    schedule : mapping
        A schedule document that the checker approves.

    Returns
    -------
    list of [int, int, list of Block, list of Interval]
        `contended` holds the slots in which a spanning job shares a link: p >= 2, eq. (6).
    """
    completion = check(instance.document(), schedule).completion
    names = [job.id for job in instance.jobs]
    entries = [schedule["jobs"][name] for name in names]
    spans = [(entry["start"], completion[name]) for entry, name in zip(entries, names, strict=True)]
    placements = [entry["gpus"] for entry in entries]
    blocks = _assign_gpus(instance, spans, placements)
    contended = _contended(spans, placements)
    return [[*spans[job], blocks[job], contended[job]] for job in range(len(names))]


def _assign_gpus(
    instance: Instance, spans: Sequence[Block], placements: Sequence[Mapping[str, int]]
) -> list[list[Block]]:
    """The lowest free GPUs of each server, job by job in order of start.

    A schedule says how many GPUs a job has on a server, not which; since jobs are intervals in
    time, taking the lowest free ones never fails.
    """
    free: dict[str, list[int]] = {}
    first = 0
    for server in instance.servers:
        free[server.id] = list(range(first, first + server.gpus))
        first += server.gpus
    held: list[tuple[int, str, list[int]]] = []
    blocks: list[list[Block]] = [[] for _ in spans]
    for job in sorted(range(len(spans)), key=lambda job: spans[job]):
        start = spans[job][0]
        for entry in [entry for entry in held if entry[0] <= start]:
            _, name, gpus = entry
            free[name] = sorted(free[name] + gpus)
            held.remove(entry)
        for name, count in placements[job].items():
            taken, free[name] = free[name][:count], free[name][count:]
            held.append((spans[job][1], name, taken))
            blocks[job] += _contiguous(taken)
    return blocks


def _contiguous(gpus: Sequence[int]) -> list[Block]:
    """Sorted GPU numbers as runs."""
    runs: list[Block] = []
    for gpu in gpus:
        if runs and gpu == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((gpu, 1))
    return runs


def _contended(
    spans: Sequence[Block], placements: Sequence[Mapping[str, int]]
) -> list[list[Interval]]:
    """For every job the slots with p >= 2, joined where p stays the same."""
    spanning = [job for job, placement in enumerate(placements) if len(placement) > 1]
    times = sorted({time for job in spanning for time in spans[job]})
    found: list[list[Interval]] = [[] for _ in spans]
    for begin, end in itertools.pairwise(times):
        active = [job for job in spanning if spans[job][0] <= begin < spans[job][1]]
        for job in active:
            level = max(
                sum(server in placements[other] for other in active) for server in placements[job]
            )
            if level < 2:
                continue
            last = found[job][-1] if found[job] else None
            if last is not None and last[1] == begin and last[2] == level:
                found[job][-1] = (last[0], end, level)
            else:
                found[job].append((begin, end, level))
    return found
