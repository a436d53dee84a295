"""Measured models on a measured 10 Gb Ethernet, with job sizes mixed as in a real cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from instances.generation import (
    Draft,
    Gpus,
    Jobs,
    Servers,
    Slots,
    Streams,
    lasting,
    log_uniform_slots,
)
from instances.measured import (
    ETHERNET,
    MIXES,
    MODELS,
    REDUCE_SPEED,
    SIZES,
    measured_job,
    measured_network,
)


@dataclass(frozen=True)
class Parameters:
    """``mix`` names a column of measured job sizes; sizes beyond the cluster are left out of it."""

    jobs: Jobs = 8
    servers: Servers = 3
    gpus_per_server: Gpus = 4
    slot_seconds: Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)] = 60.0
    mix: Literal["paper", "itp", "itp-03", "itp-06", "philly", "helios"] = "philly"
    min_slots: Slots = 2
    max_slots: Slots = 15


def generate(parameters: Parameters, streams: Streams) -> Draft:
    """Durations are log-uniform: as measured, most jobs are short, though far shorter than real."""
    n, slot = parameters.jobs, parameters.slot_seconds
    total = parameters.servers * parameters.gpus_per_server
    sizes = [size for size in SIZES if size <= total]
    shares = np.array(MIXES[parameters.mix][: len(sizes)])
    gpus = streams("gpus").choice(sizes, n, p=shares / shares.sum())
    models = streams("model").integers(0, len(MODELS), n)
    jobs = [measured_job(f"j{i}", int(gpus[i]), MODELS[models[i]], slot) for i in range(n)]
    slots = log_uniform_slots(streams, n, parameters.min_slots, parameters.max_slots)
    draft = Draft(
        [parameters.gpus_per_server] * parameters.servers,
        jobs,
        measured_network(ETHERNET, slot),
        REDUCE_SPEED * slot,
        slot_seconds=slot,
    )
    return lasting(draft, slots)
