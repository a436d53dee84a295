"""Lower bounds on the makespan that need nothing but the timing table."""

from __future__ import annotations

from instances.instance import Instance


def longest_job(instance: Instance) -> int:
    """No schedule ends before the longest job, alone on its fewest servers, has ended."""
    return max(instance.timing.shortest)


def gpu_slots(instance: Instance) -> int:
    """Jobs need sum_j G_j rhohat_j GPU-slots at least, and the cluster offers N a slot."""
    needed = sum(
        job.gpus * slots for job, slots in zip(instance.jobs, instance.timing.shortest, strict=True)
    )
    return -(-needed // instance.total_gpus)


def simple_bound(instance: Instance) -> int:
    """The better of the two."""
    return max(longest_job(instance), gpu_slots(instance))
