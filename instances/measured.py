"""Measured constants: models, a 10 Gb Ethernet, and how many GPUs jobs ask for.

Sizes in MB, times in seconds. Every constant names where it was measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from instances.degradations.linear import Degradation as Linear
from instances.instance import Job, Network


@dataclass(frozen=True)
class Model:
    """A training job's model: gradient in MB, and its times per batch in seconds."""

    name: str
    gradient: float
    batch: int
    forward: float
    backward: float


MODELS = (
    Model("lstm-ptb", 251.8, 64, 0.032, 0.047),
    Model("vgg16", 526.4, 16, 0.036, 0.054),
    Model("resnet50", 99.2, 16, 0.025, 0.037),
    Model("inception3", 103.0, 16, 0.035, 0.052),
)
"""HKBU-HPML/dl-scheduling, online/job_master.py (simulator of arXiv 2002.10105)."""

LINK_DEGRADATION = 0.2745
"""alpha of eq. (7): 1 MB takes k 0.856 ms + (k - 1) 0.235 ms where k jobs share the link.

HKBU-HPML/dl-scheduling, online/cluster.py and online/job.py, on 10 Gb Ethernet.
"""


@dataclass(frozen=True)
class Fabric:
    """What connects servers: b_e in MB/s, and xi2 in seconds per server."""

    bandwidth: float
    overhead: float


ETHERNET = Fabric(1_168.0, 0.00006)
"""10 Gb Ethernet: 1 MB in 0.856 ms (dl-scheduling, as above); an all-reduce starts up in 0.523 ms
on 8 servers and in 0.908 ms on 16 (HKBU-HPML/MG-WFBP, distributed_optimizer.py).
"""

INFINIBAND = Fabric(5_720.0, 0.000012)
"""56 Gb InfiniBand: an all-reduce on 8 servers takes 0.0975 ms + 0.306 ms per MB (MG-WFBP, same
file), and by eq. (8) that is 2 (8-1)/8 / b_e.
"""

FABRICS = {"infiniband": INFINIBAND, "ethernet": ETHERNET}

SERVER_BANDWIDTH = 11_470.0
"""b_i in MB/s: 9.82 times b_e of the Ethernet.

Synchronisation took 15.7, 7.73, 4.06 and 18.9 times as long on 2 x 2 GPUs as on 4 GPUs of one
server (BERT, YOLOv3, DeepSpeech2, ResNet50; placement profiles of siasosp23); 9.82 is the
geometric mean.
"""

REDUCE_SPEED = 300_000.0
"""C in MB/s: a V100 has 900 GB/s of memory bandwidth (data sheet); a sum reads two numbers and
writes one.
"""

SIZES = (1, 2, 4, 8, 16, 32, 64)
"""GPUs per job; the measured classes 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64 by their upper ends."""

MIXES = {
    "paper": (50.0, 8.8, 16.3, 18.8, 5.0, 1.3, 0.0),  # section 7 of the paper
    "itp": (83.2, 2.1, 3.4, 10.1, 0.5, 0.5, 0.1),  # Microsoft ITP, ten clusters (ElasticFlow)
    "itp-03": (33.7, 2.8, 0.0, 59.0, 3.1, 0.8, 0.6),  # its cluster 03
    "itp-06": (44.8, 0.3, 6.2, 45.2, 2.5, 0.8, 0.3),  # its cluster 06
    "philly": (58.5, 4.9, 19.0, 14.6, 1.8, 1.1, 0.1),  # virtual clusters with multi-GPU jobs
    "helios": (44.1, 4.6, 8.4, 32.3, 5.2, 4.5, 0.7),  # Helios Venus, first 30,000 jobs
}
"""Per cent of jobs of each size."""


def measured_network(fabric: Fabric, slot_seconds: float) -> Network:
    """Measured bandwidths in MB per slot of this length.

    Sharing was measured on Ethernet alone, by jobs that transmitted all the time (xi1 = 1).
    """
    return Network(
        intra_bandwidth=SERVER_BANDWIDTH * slot_seconds,
        inter_bandwidth=fabric.bandwidth * slot_seconds,
        xi1=1.0,
        xi2=fabric.overhead / slot_seconds,
        degradation=Linear(LINK_DEGRADATION),
    )


def measured_job(name: str, gpus: int, model: Model, slot_seconds: float) -> Job:
    """A job of this model in slots of this length; its iterations are still to be set."""
    return Job(
        id=name,
        gpus=gpus,
        iterations=1,
        gradient_size=model.gradient,
        batch_size=model.batch,
        forward_time=model.forward / model.batch / slot_seconds,
        backward_time=model.backward / slot_seconds,
        model=model.name,
    )
