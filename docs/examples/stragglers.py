"""Many short narrow jobs, and about one straggler in eight: long and two servers wide."""

from dataclasses import dataclass

import numpy as np

from instances.generation import Draft, Gpus, Jobs, Servers, Streams, small_draft


@dataclass(frozen=True)
class Parameters:
    jobs: Jobs = 10
    servers: Servers = 3
    gpus_per_server: Gpus = 4


def generate(parameters: Parameters, streams: Streams) -> Draft:
    n, capacity = parameters.jobs, parameters.gpus_per_server
    straggler = streams("kind").random(n) < 1 / 8
    narrow = streams("gpus").integers(1, capacity + 1, n)
    gpus = np.where(straggler, capacity * min(2, parameters.servers), narrow)
    slots = np.where(straggler, 20, streams("slots").integers(1, 7, n))
    servers = [capacity] * parameters.servers
    return small_draft(streams, servers, gpus.tolist(), (0.004, 0.01), slots.tolist())
