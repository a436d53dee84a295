"""Instances and schedules that several tests need."""

import functools

from hypothesis import settings

from instances.degradations.linear import Degradation as Linear
from instances.families import find_family
from instances.generation import Draft, assemble
from instances.instance import Instance, Job, Network

settings.register_profile("ringbench", deadline=None)  # no time bounds in tests
settings.load_profile("ringbench")


@functools.cache
def tiny(seed, **parameters):
    """An instance that brute force can solve."""
    return find_family("tiny").generate(seed, parameters)


def jobs_of_slots(servers, jobs, horizon=None) -> Instance:
    """An instance without communication: jobs are (gpus, slots) pairs, one iteration a slot."""
    made = [Job(f"j{i}", g, d, 0.0, 1, 0.0, 1.0) for i, (g, d) in enumerate(jobs)]
    network = Network(1.0, 1.0, 1.0, 0.0, Linear(0.0))
    return assemble(Draft(servers, made, network, 1.0, horizon), "slots", "slots", None, {})
