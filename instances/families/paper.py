"""Section 7 of the paper: its mix of 160 jobs on 20 servers, at any scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from pydantic import Field

from instances.degradations.linear import Degradation as Linear
from instances.generation import Draft, Servers, Slots, Streams, assemble
from instances.instance import Job, Network
from instances.measured import LINK_DEGRADATION
from instances.timing import exact

MIX = {1: 80, 2: 14, 4: 26, 8: 30, 16: 8, 32: 2}
"""GPUs per job: number of jobs."""
SERVERS = 20
CAPACITIES = (4, 8, 16, 32)
ITERATIONS = (1_000, 6_000)
TAU = (0.01, 0.05)
"""Slots per iteration on the fewest servers, without contention."""
SHORTEST = 50
"""Slots that the shortest job takes; the longest, 300, has most iterations and the longest tau."""
GRAIN = 1_000_000
"""tau is drawn in steps of 1 / GRAIN slots."""


@dataclass(frozen=True)
class Parameters:
    """Defaults are the paper's; ``horizon`` is 1500 where it varies the number of ``servers``.

    ``scale`` multiplies the numbers of jobs and servers, keeping the mix. ``slot_length`` makes
    one slot of so many of the paper's: durations and horizon shrink, all else stays as it is.
    ``exchange`` is the largest share of an iteration that a job over several servers, alone on
    its links, spends on exchanging gradients.
    """

    scale: Annotated[float, Field(ge=0.01, le=50, allow_inf_nan=False)] = 1.0
    servers: Servers | None = None
    horizon: Slots = 1_200
    slot_length: Annotated[int, Field(ge=1, le=300)] = 1
    exchange: Annotated[float, Field(ge=0, le=0.5, allow_inf_nan=False)] = 0.04


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """The paper takes xi1 and xi2 as equal numbers; here each is drawn from a range of its own.

    With xi1 <= 0.5 two jobs on a link would not contend at all.
    """
    sizes = [size for size, count in MIX.items() for _ in range(_scaled(count, parameters.scale))]
    gpus = streams("order").permutation(sizes).tolist()
    servers = parameters.servers or max(1, _scaled(SERVERS, parameters.scale))
    network = Network(
        20.0,
        1.0,
        xi1=int(streams("xi1").integers(55, 101)) / 100,
        xi2=int(streams("xi2").integers(2, 11)) / 100_000,
        degradation=Linear(LINK_DEGRADATION),
    )
    iterations = streams("iterations").integers(ITERATIONS[0], ITERATIONS[1] + 1, len(gpus))
    taus = _taus(iterations.tolist(), streams)
    shares = streams("exchange").uniform(0.25, 1, len(gpus)) * parameters.exchange
    jobs = [
        _job(f"j{i}", gpus[i], int(iterations[i]), taus[i], float(shares[i]))
        for i in range(len(gpus))
    ]
    capacities = _capacities(streams("capacity"), servers, max(sizes))
    draft = Draft(capacities, jobs, network, 50.0, parameters.horizon)
    return _in_slots_of(parameters.slot_length, _with_taus(draft, taus))


def _scaled(count: int, scale: float) -> int:
    """`count` times `scale`, rounded, halves upwards."""
    return math.floor(count * exact(scale) + Fraction(1, 2))


def _capacities(random: np.random.Generator, servers: int, widest: int) -> list[int]:
    """Drawn again until the widest job fits."""
    while True:
        capacities: list[int] = random.choice(CAPACITIES, servers).tolist()
        if sum(capacities) >= widest:
            return capacities


def _taus(iterations: Sequence[int], streams: Streams) -> list[Fraction]:
    """tau_j above its least, such that F_j tau_j is at least the shortest duration."""
    drawn = streams("tau").random(len(iterations)).tolist()
    shortest, longest = (round(tau * GRAIN) for tau in TAU)
    taus = []
    for count, u in zip(iterations, drawn, strict=True):
        least = max(shortest + 1, -(-SHORTEST * GRAIN // count))
        taus.append(Fraction(least + math.floor(u * (longest - least + 1)), GRAIN))
    return taus


def _job(name: str, gpus: int, iterations: int, tau: Fraction, share: float) -> Job:
    """A job whose exchange over several servers, 2 m (w-1)/w / b_e, takes this share of tau.

    A quarter of tau is forward time; the backward time is what `_with_taus` finds left.
    """
    workers = max(gpus, 2)
    gradient = share * float(tau) * workers / (2 * (workers - 1))
    batch = 16
    forward = float(tau) / 4 / batch
    return Job(name, gpus, iterations, _rounded(gradient), batch, _rounded(forward), 0.0)


def _rounded(value: float) -> float:
    """Three significant digits, which keep the file legible."""
    return float(f"{value:.3g}")


def _with_taus(draft: Draft, taus: Sequence[Fraction]) -> Draft:
    """Backward times that bring each job to its tau, short of it by less than 1e-9 slots.

    So little changes no rate for the worse, and tau_j was drawn above the paper's least.
    """
    timing = assemble(draft, "draft", "draft", None, {}).timing
    jobs = []
    for j, (job, tau, servers) in enumerate(
        zip(draft.jobs, taus, timing.fewest_servers, strict=True)
    ):
        left = tau - timing.tau(j, servers, int(servers > 1))
        jobs.append(replace(job, backward_time=math.floor(left * 10**9) / 10**9))
    return replace(draft, jobs=jobs)


def _in_slots_of(length: int, draft: Draft) -> Draft:
    """The same cluster and jobs, timed in slots of `length` of the paper's."""
    assert draft.horizon is not None
    network = draft.network
    return replace(
        draft,
        jobs=[
            replace(
                job,
                forward_time=job.forward_time / length,
                backward_time=job.backward_time / length,
            )
            for job in draft.jobs
        ],
        network=replace(
            network,
            intra_bandwidth=network.intra_bandwidth * length,
            inter_bandwidth=network.inter_bandwidth * length,
            xi2=network.xi2 / length,
        ),
        reduce_speed=draft.reduce_speed * length,
        horizon=-(-draft.horizon // length),
    )
