"""Modes of jobs that span: those worth a variable, equal ones grouped, hopeless ones left out.

Where prices are known, a mode is hopeless if a schedule of `slots` slots cannot pay for a job that
spends a slot in it, with every other job at its cheapest.
"""

from __future__ import annotations

from itertools import groupby

from formulations import Bracket
from instances.instance import Instance
from instances.kinds import job_kinds


class Modes:
    """The modes of every job in schedules of at most `bracket.upper` slots."""

    def __init__(self, instance: Instance, bracket: Bracket) -> None:
        self._instance, self._tariff, self.slots = instance, bracket.tariff, bracket.upper
        self._kind = {j: k for k, jobs in enumerate(job_kinds(instance)) for j in jobs}
        self._levels = range(1, instance.timing.max_level + 1)

    def affordable(self, j: int, servers: int, level: int) -> bool:
        """Whether the prices, if there are any, allow this mode."""
        tariff = self._tariff
        return tariff is None or tariff.affordable(self._kind[j], servers, level, self.slots)

    def fewest_slots(self, j: int) -> int:
        """Slots that a job takes if it spans as few servers as it can, alone on its links."""
        timing = self._instance.timing
        rate = timing.rate(j, max(2, timing.fewest_servers[j]), 1)
        return -(-self._instance.jobs[j].iterations // rate) if rate else self.slots + 1

    def spans(self, j: int) -> bool:
        """Whether a job may span and end in time."""
        return self.fewest_slots(j) <= self.slots and bool(self.widths(j))

    def widths(self, j: int) -> list[range]:
        """Numbers of servers, grouped where all rates are equal; none at which nothing moves."""
        job, timing = self._instance.jobs[j], self._instance.timing

        def row(h: int) -> tuple[int, ...]:
            return tuple(timing.rate(j, h, p) for p in self._levels)

        most = min(job.gpus, len(self._instance.servers))
        hs = [
            h
            for h in range(max(2, timing.fewest_servers[j]), most + 1)
            if row(h)[0] and any(self.affordable(j, h, p) for p in self._levels)
        ]
        groups = [list(group) for _, group in groupby(hs, key=row)]
        return [range(group[0], group[-1] + 1) for group in groups]

    def levels(self, j: int) -> list[int]:
        """Of levels with equal rates the highest, if one of them is affordable."""
        rate, widths = self._instance.timing.rate, self.widths(j)
        groups = groupby(self._levels, key=lambda p: [rate(j, w[0], p) for w in widths])
        equal = [list(group) for _, group in groups]
        return [
            group[-1]
            for group in equal
            if any(self.affordable(j, h, p) for p in group for w in widths for h in w)
        ]

    def alone(self, j: int) -> bool:
        """Whether a job that spans must be the only one to do so on its servers, all the time."""
        return self.levels(j) == [1]
