"""What every generator family uses: random streams, and a draft that becomes an instance."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from instances.instance import Instance, Job, Known, Network, Server


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
    """

    servers: Sequence[int]
    jobs: Sequence[Job]
    network: Network
    reduce_speed: float
    horizon: int | None = None
    slot_seconds: float | None = None
    known: Known | None = None


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
    return instance
