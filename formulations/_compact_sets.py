"""Index sets of formulations/compact: only what can be nonzero within the slots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from instances.errors import Unsupported
from instances.instance import Instance
from instances.kinds import job_kinds
from instances.schedule import Schedule


@dataclass(frozen=True)
class Sets:
    """What the model is indexed by.

    Attributes
    ----------
    upper : int
        Slots covered.
    groups : dict of int to tuple of (int, tuple of int)
        For a spanning job its widths, fastest first: the most servers h of the width, and
        phi_j(h, p) for p = 1, 2, ... The h of one width have equal rates at all levels.
    """

    instance: Instance
    upper: int
    groups: dict[int, tuple[tuple[int, tuple[int, ...]], ...]]

    @cached_property
    def jobs(self) -> range:
        return range(len(self.instance.jobs))

    @cached_property
    def servers(self) -> range:
        return range(len(self.instance.servers))

    @cached_property
    def slots(self) -> range:
        return range(self.upper)

    @cached_property
    def gpus(self) -> list[int]:
        return [job.gpus for job in self.instance.jobs]

    @cached_property
    def iterations(self) -> list[int]:
        return [job.iterations for job in self.instance.jobs]

    @cached_property
    def capacity(self) -> list[int]:
        return [server.gpus for server in self.instance.servers]

    @cached_property
    def fewest(self) -> dict[int, int]:
        """Per spanning job, the fewest servers if it spans."""
        return {j: max(2, self.instance.timing.fewest_servers[j]) for j in self.groups}

    @cached_property
    def duration(self) -> dict[int, int]:
        """Slots that a job takes on one server."""
        found = {j: self.instance.timing.duration(j, 1, 0) for j in self.jobs}
        return {j: d for j, d in found.items() if d is not None}

    @cached_property
    def least(self) -> dict[int, int]:
        """Per spanning job, the slots it takes at least."""
        return {j: -(-self.iterations[j] // widths[0][1][0]) for j, widths in self.groups.items()}

    @cached_property
    def levels(self) -> int:
        """The highest contention level that any job can meet."""
        return max(1, min(self.instance.timing.max_level, len(self.groups)))

    @cached_property
    def spanners(self) -> list[int]:
        """Jobs that can complete within the slots although they span."""
        return list(self.groups)

    @cached_property
    def single(self) -> list[tuple[int, int, int]]:
        """(j, s, a): j can start at a on s alone."""
        return [
            (j, s, a)
            for j in self.jobs
            for s in self.servers
            if self.gpus[j] <= self.capacity[s] and j in self.duration
            for a in range(self.upper - self.duration[j] + 1)
        ]

    def single_of(self, job: int, server: int) -> list[tuple[int, int, int]]:
        return [index for index in self.single if index[:2] == (job, server)]

    def starts(self, job: int) -> range:
        """Slots in which `job` can start if it spans."""
        return range(self.upper - self.least[job] + 1) if job in self.groups else range(0)

    @cached_property
    def spanning_starts(self) -> list[tuple[int, int]]:
        return [(j, a) for j in self.spanners for a in self.starts(j)]

    @cached_property
    def spanning_servers(self) -> list[tuple[int, int]]:
        return [(j, s) for j in self.spanners for s in self.servers]

    @cached_property
    def spanning_slots(self) -> list[tuple[int, int]]:
        return [(j, t) for j in self.spanners for t in self.slots]

    @cached_property
    def held(self) -> list[tuple[int, int, int]]:
        return [(j, s, t) for j, s in self.spanning_servers for t in self.slots]

    @cached_property
    def rates(self) -> list[tuple[int, int, int, int]]:
        return [
            (j, t, k, p)
            for j, t in self.spanning_slots
            for k in self.widths(j)
            for p in self.levels_of(j, k)
        ]

    def widths(self, job: int) -> range:
        return range(len(self.groups[job]))

    def most_servers(self, job: int, width: int) -> int:
        return self.groups[job][width][0]

    def width(self, job: int, servers: int) -> int:
        """The width that `servers` servers belong to."""
        return next(k for k in self.widths(job) if servers <= self.most_servers(job, k))

    def most_workers(self, job: int, server: int) -> int:
        """Workers of a spanning job on one server: not all."""
        return min(self.capacity[server], self.gpus[job] - 1)

    def levels_of(self, job: int, width: int) -> list[int]:
        """Of levels with equal rates only the highest, which allows most."""
        rates = self.groups[job][width][1]
        return [p for p in range(1, len(rates) + 1) if p == len(rates) or rates[p] < rates[p - 1]]

    def slowest(self, job: int, width: int, level: int) -> int:
        """The level in `levels_of` that stands for `level`."""
        return next(p for p in self.levels_of(job, width) if p >= level)

    def rate(self, job: int, width: int, level: int) -> int:
        return self.groups[job][width][1][level - 1]

    @cached_property
    def equal_jobs(self) -> list[tuple[int, int]]:
        return [pair for kind in job_kinds(self.instance) for pair in pairwise(kind)]

    @cached_property
    def equal_servers(self) -> list[tuple[int, int]]:
        """Neighbours in order of capacity that have equal capacities."""
        order = sorted(self.servers, key=lambda s: (self.capacity[s], s))
        return [(r, s) for r, s in pairwise(order) if self.capacity[r] == self.capacity[s]]

    @cached_property
    def first(self) -> int:
        """The job that breaks the symmetry of equal servers."""
        return job_kinds(self.instance)[0][0]

    def canonical(self, schedule: Schedule) -> Schedule:
        """The same schedule but for names: equal jobs in order, `first` on the first servers."""
        source = list(self.jobs)
        for kind in job_kinds(self.instance):
            for job, other in zip(
                kind, sorted(kind, key=lambda j: schedule.starts[j]), strict=True
            ):
                source[job] = other
        workers = dict(schedule.placements[source[self.first]])
        old = sorted(self.servers, key=lambda s: (self.capacity[s], -workers.get(s, 0), s))
        new = sorted(self.servers, key=lambda s: (self.capacity[s], s))
        name = dict(zip(old, new, strict=True))
        return Schedule(
            tuple(schedule.starts[j] for j in source),
            tuple(
                tuple(sorted((name[s], count) for s, count in schedule.placements[j]))
                for j in source
            ),
            schedule.makespan,
        )


def make_sets(instance: Instance, upper: int) -> Sets:
    """Group the numbers of servers of each job by rates; leave out what takes too long."""
    groups = {}
    for j, job in enumerate(instance.jobs):
        fewest = max(2, instance.timing.fewest_servers[j])
        most = min(job.gpus, len(instance.servers))
        widths = _widths(instance, j, range(fewest, most + 1))
        if widths and widths[0][1][0] * upper >= job.iterations:
            groups[j] = widths
    return Sets(instance, upper, groups)


def _widths(
    instance: Instance, job: int, servers: range
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Largest h and rates for each distinct vector of rates."""
    top: dict[tuple[int, ...], int] = {}
    for h in servers:
        rates = tuple(
            instance.timing.rate(job, h, p) for p in range(1, instance.timing.max_level + 1)
        )
        if any(a < b for a, b in pairwise(rates)) or any(
            a < b for known in top for a, b in zip(known, rates, strict=True)
        ):
            raise Unsupported(f"jobs[{job}]: a rate increases with servers or contention")
        top[rates] = h
    return tuple((h, rates) for rates, h in top.items() if rates[0])
