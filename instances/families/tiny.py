"""A few small jobs on a few small servers, for brute force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from instances.degradations.linear import Degradation as Linear
from instances.generation import Draft, Streams
from instances.instance import Job, Network


@dataclass(frozen=True)
class Parameters:
    jobs: Annotated[int, Field(ge=1, le=6)] = 4
    servers: Annotated[int, Field(ge=1, le=4)] = 2
    gpus_per_server: Annotated[int, Field(ge=1, le=4)] = 2


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """Communication is heavy, so that a second job on a link often costs slots."""
    n = parameters.jobs
    capacities = streams("capacity").integers(1, parameters.gpus_per_server + 1, parameters.servers)
    widest = min(int(capacities.sum()), parameters.gpus_per_server + 1)
    gpus = streams("gpus").integers(1, widest + 1, n)
    iterations = streams("iterations").integers(2, 16, n)
    gradient = streams("gradient").integers(1, 9, n) * 0.01
    backward = streams("backward").integers(10, 30, n) * 0.01
    alpha = float(streams("alpha").integers(0, 4)) * 0.25
    xi1 = float(streams("xi1").integers(2, 5)) * 0.25
    jobs = [
        Job(f"j{i}", int(gpus[i]), int(iterations[i]), float(gradient[i].round(4)), 1, 0.0,
            float(backward[i].round(4)))
        for i in range(n)
    ]  # fmt: skip
    network = Network(2.0, 0.4, xi1, 0.01, Linear(alpha))
    return Draft(capacities.tolist(), jobs, network, 10.0)
