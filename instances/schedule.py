"""A schedule: for every job a start slot and a placement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from instances.instance import Instance

SCHEMA = "ringbench/schedule/1"

Placement = tuple[tuple[int, int], ...]
"""(server index, GPUs > 0) pairs, by server index."""


@dataclass(frozen=True)
class Schedule:
    """Decisions of a method, and the makespan that it claims for them.

    Attributes
    ----------
    starts : tuple of int
        Start slot a_j of each job, in the order of ``instance.jobs``.
    placements : tuple of Placement
        Where each job's GPUs sit for its whole life.
    makespan : int
        Claimed, in slots; the checker alone says what is true.
    """

    starts: tuple[int, ...]
    placements: tuple[Placement, ...]
    makespan: int

    def document(self, instance: Instance) -> dict[str, Any]:
        """The schedule as it stands in a JSON file."""
        return {
            "schema": SCHEMA,
            "instance": instance.name,
            "fingerprint": instance.fingerprint,
            "jobs": {
                job.id: {
                    "start": start,
                    "gpus": {instance.servers[s].id: count for s, count in placement},
                }
                for job, start, placement in zip(
                    instance.jobs, self.starts, self.placements, strict=True
                )
            },
            "makespan": self.makespan,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any], instance: Instance) -> Schedule:
        """Read back a document that the checker has approved for `instance`."""
        index = {server.id: s for s, server in enumerate(instance.servers)}
        entries = [document["jobs"][job.id] for job in instance.jobs]
        return cls(
            starts=tuple(entry["start"] for entry in entries),
            placements=tuple(
                tuple(sorted((index[name], count) for name, count in entry["gpus"].items()))
                for entry in entries
            ),
            makespan=document["makespan"],
        )
