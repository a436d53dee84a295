"""A servers-by-time rectangle cut into jobs without a gap, so that the optimum is known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from instances.generation import Draft, Gpus, Jobs, Servers, Slots, Streams, small_draft
from instances.instance import Known
from instances.schedule import Placement, Schedule

GPU_SLOTS_PER_JOB = 12
"""Average work of a job where no makespan is given."""


@dataclass(frozen=True)
class Parameters:
    """Without ``makespan`` it grows with the number of jobs; ``reveal`` gives the schedule away."""

    jobs: Jobs = 12
    servers: Servers = 3
    gpus_per_server: Gpus = 4
    makespan: Slots | None = None
    reveal: bool = False


@dataclass(frozen=True)
class Piece:
    """A job to be: `gpus` from server `first` on, during [start, start + slots).

    It lies on one server, or on the fewest that hold it, all of them full but perhaps the last.
    Pieces are disjoint and only one-server pieces are ever cut off a last server that is not
    full, so a spanning piece never shares a server with another spanning one.
    """

    first: int
    gpus: int
    start: int
    slots: int

    def placement(self, capacity: int) -> Placement:
        """(server, GPUs) pairs."""
        full, rest = divmod(self.gpus, capacity)
        whole = [(self.first + i, capacity) for i in range(full)]
        return (*whole, (self.first + full, rest)) if rest else tuple(whole)


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """Cut until there are as many pieces as jobs, shuffle them, and let each last its length."""
    n, capacity, servers = parameters.jobs, parameters.gpus_per_server, parameters.servers
    makespan = parameters.makespan
    if makespan is None:
        makespan = max(10, math.ceil(GPU_SLOTS_PER_JOB * n / (capacity * servers)))
    area = servers * capacity * makespan
    if n > area:
        raise ValueError(f"jobs = {n}: servers x gpus_per_server x makespan has room for {area}")
    pieces = _cut(Piece(0, servers * capacity, 0, makespan), n, capacity, streams("cuts"))
    pieces = [pieces[i] for i in streams("order").permutation(n)]
    draft = small_draft(
        streams,
        [capacity] * servers,
        [piece.gpus for piece in pieces],
        (0.002, 0.02),
        [piece.slots for piece in pieces],
    )
    proof = (
        f"planted: the jobs need {servers * capacity} GPUs x {makespan} slots without contention, "
        "and a schedule without a gap exists (area bound met)"
    )
    starts = tuple(piece.start for piece in pieces)
    placements = tuple(piece.placement(capacity) for piece in pieces)
    schedule = Schedule(starts, placements, makespan) if parameters.reveal else None
    return replace(draft, known=Known(makespan, proof), schedule=schedule)


def _cut(whole: Piece, count: int, capacity: int, random: np.random.Generator) -> list[Piece]:
    """Cut pieces in two, the larger the likelier, until there are `count`."""
    pieces, areas = [whole], [whole.gpus * whole.slots]
    while len(pieces) < count:
        weights = np.where(np.array(areas) > 1, areas, 0.0)  # of 1 GPU-slot nothing can be cut
        chosen = int(random.choice(len(pieces), p=weights / weights.sum()))
        pair = _cut_in_two(pieces[chosen], capacity, random)
        pieces[chosen : chosen + 1] = pair
        areas[chosen : chosen + 1] = [piece.gpus * piece.slots for piece in pair]
    return pieces


def _cut_in_two(piece: Piece, capacity: int, random: np.random.Generator) -> list[Piece]:
    """Cut in time or in width, rather along the longer side."""
    widths = _widths(piece.gpus, capacity)
    in_time = piece.slots / (piece.slots + piece.gpus)
    if piece.slots > 1 and (not widths or random.random() < in_time):
        early = int(random.integers(1, piece.slots))
        late = replace(piece, start=piece.start + early, slots=piece.slots - early)
        return [replace(piece, slots=early), late]
    width = widths[int(random.integers(len(widths)))]
    beside = replace(piece, first=piece.first + width // capacity, gpus=piece.gpus - width)
    return [replace(piece, gpus=width), beside]


def _widths(gpus: int, capacity: int) -> list[int]:
    """Where a piece may be cut in width, so that both parts lie on the fewest servers.

    Anywhere on its last server, which leaves a one-server piece, and between two servers.
    """
    on_last = gpus - (gpus - 1) // capacity * capacity
    return [*range(capacity, gpus - on_last + 1, capacity), *range(gpus - on_last + 1, gpus)]
