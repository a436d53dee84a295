"""Two to four small jobs on one to three small servers, for brute force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from instances.degradations.linear import Degradation as Linear
from instances.generation import Draft, Streams
from instances.instance import Job, Network


@dataclass(frozen=True)
class Parameters:
    """``jobs`` and ``servers`` are drawn where they are not given."""

    jobs: Annotated[int, Field(ge=1, le=6)] | None = None
    servers: Annotated[int, Field(ge=1, le=4)] | None = None
    gpus_per_server: Annotated[int, Field(ge=1, le=4)] = 2


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """Most jobs want one GPU more than a server has, so that some must share a link.

    Communication is so heavy that it is often better for them to wait for each other.
    """
    servers = parameters.servers or int(streams("servers").choice([1, 2, 3, 3, 3, 3]))
    n = parameters.jobs or int(streams("jobs").choice([2, 3, 3, 4]))
    most = parameters.gpus_per_server
    capacities = np.where(streams("capacity").random(servers) < 0.9, most, (most + 1) // 2)
    narrow = streams("narrow").integers(1, most + 1, n)
    gpus = np.where(streams("wide").random(n) < 0.6, most + 1, narrow)
    gpus = np.minimum(gpus, capacities.sum())
    iterations = streams("iterations").integers(2, 10, n)
    gradient = streams("gradient").integers(2, 7, n)
    backward = streams("backward").integers(10, 30, n)
    jobs = [
        Job(f"j{i}", int(gpus[i]), int(iterations[i]), int(gradient[i]) / 100, 1, 0.0,
            int(backward[i]) / 100)
        for i in range(n)
    ]  # fmt: skip
    alpha = int(streams("alpha").integers(0, 4)) / 4
    xi1 = float(streams("xi1").choice([0.5, 0.75, 1.0, 1.0]))
    network = Network(2.0, 0.4, xi1, 0.01, Linear(alpha))
    return Draft(capacities.tolist(), jobs, network, 10.0)
