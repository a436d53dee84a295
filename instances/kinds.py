"""Jobs that are equal in all but name: exchanging them changes no schedule that matters."""

from __future__ import annotations

from dataclasses import astuple, replace

from instances.instance import Instance


def job_kinds(instance: Instance) -> tuple[tuple[int, ...], ...]:
    """Group equal jobs; kinds with the most GPUs first, among them the longest."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, job in enumerate(instance.jobs):
        groups.setdefault(astuple(replace(job, id="-", model=None)), []).append(index)

    def rank(jobs: list[int]) -> tuple[int, int, int]:
        return -instance.jobs[jobs[0]].gpus, -instance.timing.shortest[jobs[0]], jobs[0]

    return tuple(tuple(jobs) for jobs in sorted(groups.values(), key=rank))
