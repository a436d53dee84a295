"""Event-driven simulation: who runs when, with all contention, eqs. (6)-(9).

Between two events (a start or a completion) nothing changes, so time jumps from event to event
and the cost does not depend on durations.
"""

from __future__ import annotations

from collections.abc import Sequence

from instances.instance import Instance
from instances.schedule import Placement, Schedule


class Simulation:
    """A cluster that runs jobs; the caller starts them and moves time.

    Attributes
    ----------
    time : int
        The current slot; jobs started now are active in it.
    completion : dict of int to int
        Completion time of every finished job.
    """

    def __init__(self, instance: Instance) -> None:
        self.time = 0
        self.completion: dict[int, int] = {}
        self._iterations = [job.iterations for job in instance.jobs]
        self._timing = instance.timing
        self._spanning = [0] * len(instance.servers)
        self._placement: dict[int, Placement] = {}
        self._remaining: dict[int, int] = {}
        self._rate: dict[int, int] = {}

    @property
    def running(self) -> tuple[int, ...]:
        """Jobs that are active in the current slot, in the order in which they started."""
        return tuple(self._placement)

    def start(self, job: int, placement: Placement) -> None:
        """Start `job` in the current slot; capacity is the caller's concern."""
        self._placement[job] = placement
        self._remaining[job] = self._iterations[job]
        if len(placement) == 1:
            self._rate[job] = self._timing.rate(job, 1, 0)
        else:
            self._count_spanning(placement, +1)

    def next_completion(self) -> int | None:
        """When the next running job ends if none starts before; None if none will."""
        times = [
            -(-left // self._rate[job]) for job, left in self._remaining.items() if self._rate[job]
        ]
        return self.time + min(times) if times else None

    def advance(self, to: int) -> list[int]:
        """Move to slot `to`, at most the next completion; return the jobs that ended."""
        slots, self.time = to - self.time, to
        ended = []
        for job in self._remaining:
            self._remaining[job] -= slots * self._rate[job]
            if self._remaining[job] <= 0:
                ended.append(job)
        for job in ended:
            self._finish(job)
        return ended

    def _finish(self, job: int) -> None:
        placement = self._placement.pop(job)
        del self._remaining[job], self._rate[job]
        self.completion[job] = self.time
        if len(placement) > 1:
            self._count_spanning(placement, -1)

    def _count_spanning(self, placement: Placement, change: int) -> None:
        """Update the spanning jobs per server and the rate of every job that spans, eq. (6)."""
        for server, _ in placement:
            self._spanning[server] += change
        for job, other in self._placement.items():
            if len(other) > 1:
                level = max(self._spanning[server] for server, _ in other)
                self._rate[job] = self._timing.rate(job, len(other), level)


def simulate(
    instance: Instance, starts: Sequence[int], placements: Sequence[Placement]
) -> tuple[int, ...] | None:
    """Completion times of all jobs, or None where some job never ends.

    Parameters
    ----------
    starts : sequence of int
        Start slot of each job.
    placements : sequence of Placement
        Placement of each job; capacities are not checked here.
    """
    simulation = Simulation(instance)
    waiting = sorted(range(len(starts)), key=starts.__getitem__, reverse=True)
    while waiting or simulation.running:
        while waiting and starts[waiting[-1]] == simulation.time:
            job = waiting.pop()
            simulation.start(job, placements[job])
        ahead = [starts[waiting[-1]]] if waiting else []
        completion = simulation.next_completion()
        if completion is not None:
            ahead.append(completion)
        if not ahead:
            return None
        simulation.advance(min(ahead))
    return tuple(simulation.completion[job] for job in range(len(starts)))


def timed(
    instance: Instance, starts: Sequence[int], placements: Sequence[Placement]
) -> Schedule | None:
    """The schedule of these decisions with its simulated makespan; None where a job never ends."""
    completion = simulate(instance, starts, placements)
    if completion is None:
        return None
    return Schedule(tuple(starts), tuple(placements), max(completion))
