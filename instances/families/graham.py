"""Graham's worst case: on m GPUs, m(m-1) jobs of one slot come before one of m slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from instances.generation import SMALL_NETWORK, SMALL_REDUCE_SPEED, Draft, Streams, lasting
from instances.instance import Job, Known


@dataclass(frozen=True)
class Parameters:
    gpus: Annotated[int, Field(ge=2, le=64)] = 3


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """A greedy rule spreads the short jobs over m - 1 slots and ends at 2m - 1; nothing is random.

    R. L. Graham, Bounds for Certain Multiprocessing Anomalies, Bell System Technical Journal
    45 (1966).
    """
    m = parameters.gpus
    slots = [1] * (m * (m - 1)) + [m]
    jobs = [Job(f"j{i}", 1, 1, 0.01, 16, 0.0005, 0.012) for i in range(len(slots))]
    proof = (
        f"the last job takes {m} slots; on each of the other {m - 1} GPUs "
        f"{m} jobs of one slot follow each other"
    )
    draft = Draft([m], jobs, SMALL_NETWORK, SMALL_REDUCE_SPEED, known=Known(m, proof))
    return lasting(draft, slots)
