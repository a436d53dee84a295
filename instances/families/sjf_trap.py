"""Narrow jobs that spread over the whole cluster hold up one job as wide as half of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from instances.generation import SMALL_NETWORK, SMALL_REDUCE_SPEED, Draft, Streams, lasting
from instances.instance import Job, Known


@dataclass(frozen=True)
class Parameters:
    """``gpus`` in one server, and the optimum ``slots``; both even."""

    gpus: Annotated[int, Field(ge=2, le=1_000, multiple_of=2)] = 8
    slots: Annotated[int, Field(ge=2, le=1_000_000, multiple_of=2)] = 10


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """N jobs of one GPU and D/2 slots, then one of N/2 GPUs and D slots; nothing is random.

    Smallest job first takes D/2 slots on all N GPUs before the wide job can start: 3D/2.
    """
    n, d = parameters.gpus, parameters.slots
    gpus = [1] * n + [n // 2]
    jobs = [Job(f"j{i}", g, 1, 0.01, 16, 0.0005, 0.012) for i, g in enumerate(gpus)]
    proof = (
        f"the wide job takes {d} slots on one half of the GPUs; on each GPU of the other half "
        f"two jobs of {d // 2} slots follow each other"
    )
    draft = Draft([n], jobs, SMALL_NETWORK, SMALL_REDUCE_SPEED, known=Known(d, proof))
    return lasting(draft, [d // 2] * n + [d])
