"""What every generator family uses: random streams, and a draft that becomes an instance."""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from instances.degradations.linear import Degradation as Linear
from instances.instance import Instance, Job, Known, Network, Server
from instances.measured import LINK_DEGRADATION
from instances.schedule import Schedule

Jobs = Annotated[int, Field(ge=1, le=10_000)]
Servers = Annotated[int, Field(ge=1, le=10_000)]
Gpus = Annotated[int, Field(ge=1, le=10_000)]
Slots = Annotated[int, Field(ge=1, le=1_000_000)]
"""Parameters that many families share."""

SMALL_NETWORK = Network(20.0, 1.0, 1.0, 0.0005, Linear(LINK_DEGRADATION))
"""Bandwidth between servers is the unit of data per slot; inside one it is 20 times as much.

(Measured between 4 and 19 times, siasosp23 placement profiles.)
"""
SMALL_REDUCE_SPEED = 50.0
"""Data that one GPU reduces per slot, in the same unit."""


@dataclass(frozen=True)
class Streams:
    """One independent random stream per attribute.

    A longer list of jobs therefore keeps its prefix, and a new attribute changes no other.
    """

    seed: int

    def __call__(self, attribute: str) -> np.random.Generator:
        """A fresh generator for `attribute`, the same for the same seed."""
        return np.random.default_rng([self.seed, zlib.crc32(attribute.encode())])


@dataclass(frozen=True)
class Draft:
    """What a family decides; the rest of an instance follows.

    Attributes
    ----------
    servers : sequence of int
        GPUs per server.
    jobs : sequence of Job
        In arrival order.
    horizon : int, optional
        Default: 1 + the sum of uncontended durations at fewest servers.
    schedule : Schedule, optional
        One that meets the known optimum, to be revealed with it.
    """

    servers: Sequence[int]
    jobs: Sequence[Job]
    network: Network
    reduce_speed: float
    horizon: int | None = None
    slot_seconds: float | None = None
    known: Known | None = None
    schedule: Schedule | None = None


def lasting(draft: Draft, slots: Sequence[float | Fraction]) -> Draft:
    """The draft with iterations such that each job, alone on its fewest servers, lasts `slots`.

    F_j = ceil(phi_j x) makes the duration ceil(x) slots exactly, since
    x <= ceil(phi_j x) / phi_j <= ceil(x) for every x > 0. Iterations of the draft are replaced.
    """
    timing = assemble(draft, "draft", "draft", None, {}).timing
    rates = (timing.rate(j, h, int(h > 1)) for j, h in enumerate(timing.fewest_servers))
    jobs = [
        dataclasses.replace(job, iterations=max(1, math.ceil(rate * Fraction(x))))
        for job, rate, x in zip(draft.jobs, rates, slots, strict=True)
    ]
    return dataclasses.replace(draft, jobs=jobs)


def uniform_slots(streams: Streams, jobs: int, shortest: int, longest: int) -> list[float]:
    """Durations for `lasting`: rounded up, every number of slots in the range is equally likely."""
    _refuse_empty_range(shortest, longest)
    drawn: list[float] = streams("slots").uniform(shortest - 1, longest, jobs).tolist()
    return drawn


def log_uniform_slots(streams: Streams, jobs: int, shortest: int, longest: int) -> list[float]:
    """Durations for `lasting` from the same range, most of them short."""
    _refuse_empty_range(shortest, longest)
    exponents = streams("slots").uniform(math.log(shortest - 0.5), math.log(longest), jobs)
    drawn: list[float] = np.minimum(np.exp(exponents), longest).tolist()
    return drawn


def _refuse_empty_range(shortest: int, longest: int) -> None:
    if shortest > longest:
        raise ValueError(f"min_slots = {shortest}: must be at most max_slots = {longest}")


def small_draft(
    streams: Streams,
    servers: Sequence[int],
    gpus: Sequence[int],
    gradient: tuple[float, float],
    slots: Sequence[float],
) -> Draft:
    """A draft for exact programs, with some 10 to 50 iterations a slot.

    Parameters
    ----------
    servers, gpus : sequence of int
        GPUs of each server; GPUs of each job.
    gradient : (float, float)
        Range of m_j, in data that a link between servers carries in one slot. An iteration
        computes for 0.018 to 0.024 slots, and alone on several servers exchanges for nearly 2 m_j.
    slots : sequence of float
        How long each job lasts alone on its fewest servers.
    """
    n = len(gpus)
    gradients = streams("gradient").uniform(*gradient, n).round(4)
    backward = streams("backward").integers(10, 17, n) / 1_000
    jobs = [
        Job(f"j{i}", int(gpus[i]), 1, float(gradients[i]), 16, 0.0005, float(backward[i]))
        for i in range(n)
    ]
    return lasting(Draft(servers, jobs, SMALL_NETWORK, SMALL_REDUCE_SPEED), slots)


def assemble(
    draft: Draft, name: str, family: str, seed: int | None, parameters: dict[str, Any]
) -> Instance:
    """The instance of a draft."""
    instance = Instance(
        name=name,
        family=family,
        seed=seed,
        parameters=parameters,
        slot_seconds=draft.slot_seconds,
        servers=tuple(Server(f"s{i}", int(gpus)) for i, gpus in enumerate(draft.servers)),
        network=draft.network,
        reduce_speed=draft.reduce_speed,
        horizon=draft.horizon or 1,
        jobs=tuple(draft.jobs),
        known=draft.known,
    )
    if draft.horizon is None:
        instance = dataclasses.replace(instance, horizon=1 + sum(instance.timing.shortest))
    if instance.known is not None and draft.schedule is not None:
        document = draft.schedule.document(instance)  # `known` does not enter its fingerprint
        known = dataclasses.replace(instance.known, schedule=document)
        instance = dataclasses.replace(instance, known=known)
    return instance
