"""The analytical model, eqs. (6)-(9), as exact integers.

Everything downstream sees the model only through phi_j(h, p), the iterations that job j completes
in one slot on h servers at contention level p. A number of an instance is the decimal that was
written, so tau and floor(1/tau) are computed in rationals, without any epsilon.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from instances.instance import Instance


def exact(value: float) -> Fraction:
    """The decimal that was written: 0.1 is 1/10, not the nearest binary fraction."""
    return Fraction(repr(float(value)))


class Timing:
    """phi_j(h, p) and what follows from it alone.

    Jobs are indices into ``instance.jobs``. ``servers`` is h, the number of servers a job uses;
    ``level`` is its contention level p: 0 on one server, else at least 1 since p counts the job
    itself.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._rates: dict[tuple[object, int, int], int] = {}
        self._classes = [
            (job.gpus, job.gradient_size, job.batch_size, job.forward_time, job.backward_time)
            for job in instance.jobs
        ]
        capacities = sorted((server.gpus for server in instance.servers), reverse=True)
        self.fewest_servers: tuple[int, ...] = tuple(
            _fewest(job.gpus, capacities) for job in instance.jobs
        )
        """Per job, the fewest servers that can hold it in an empty cluster."""
        wide = sum(job.gpus >= 2 for job in instance.jobs)
        self.max_level: int = max(1, min(max(capacities), wide))
        """No job can meet a higher contention level p: a server hosts at most O_s spanning jobs."""

    def tau(self, job: int, servers: int, level: int) -> Fraction:
        """Time of one iteration in slots, eq. (8)."""
        data, network = self._instance.jobs[job], self._instance.network
        share = exact(data.gradient_size) * (data.gpus - 1) / data.gpus
        return (
            2 * share / self._bandwidth(servers, level)
            + share / exact(self._instance.reduce_speed)
            + exact(network.xi2) * servers
            + exact(data.forward_time) * data.batch_size
            + exact(data.backward_time)
        )

    def rate(self, job: int, servers: int, level: int) -> int:
        """phi_j(h, p) = floor(1 / tau_j(h, p)), iterations per slot."""
        key = (self._classes[job], servers, level)
        found = self._rates.get(key)
        if found is None:
            tau = self.tau(job, servers, level)
            found = self._rates[key] = tau.denominator // tau.numerator
        return found

    def duration(self, job: int, servers: int, level: int) -> int | None:
        """Slots that F_j iterations take at a constant level; None where phi is 0."""
        rate = self.rate(job, servers, level)
        return -(-self._instance.jobs[job].iterations // rate) if rate else None

    @cached_property
    def shortest(self) -> tuple[int, ...]:
        """rhohat_j: slots each job takes alone in the cluster, on its fewest servers.

        It never exceeds the true execution time: more servers add overhead xi2, b_i >= b_e, and
        f does not decrease, so phi_j(h, p) is largest at the fewest servers without contention.
        """
        durations = (self.duration(j, h, int(h > 1)) for j, h in enumerate(self.fewest_servers))
        return tuple(d for d in durations if d is not None)

    def refuse_stalled_jobs(self) -> None:
        """Raise ValueError where f is no degradation, or a job completes nothing at its best."""
        factors = [self._factor(level) for level in range(1, self.max_level + 1)]
        if self._instance.network.degradation.factor(Fraction(1)) != 1 or factors != sorted(
            factors
        ):
            raise ValueError("network.degradation: f(1) must be 1 and f must not decrease")
        for index, servers in enumerate(self.fewest_servers):
            level = int(servers > 1)
            if self.tau(index, servers, level) == 0:
                raise ValueError(
                    f"jobs[{index}].backward_time: an iteration must take some time, "
                    "but every term of tau is 0"
                )
            if self.rate(index, servers, level) == 0:
                raise ValueError(
                    f"jobs[{index}]: one iteration takes more than a slot even alone on "
                    f"{servers} server(s) (phi = 0): use longer slots or a smaller gradient"
                )

    def _bandwidth(self, servers: int, level: int) -> Fraction:
        """B of eq. (7)."""
        network = self._instance.network
        if servers == 1:
            return exact(network.intra_bandwidth)
        return exact(network.inter_bandwidth) / self._factor(level)

    def _factor(self, level: int) -> Fraction:
        """f(max(1, xi1 p)): with xi1 < 1 a lone job must not get more than the link has."""
        network = self._instance.network
        return network.degradation.factor(max(Fraction(1), exact(network.xi1) * level))


def _fewest(gpus: int, capacities: list[int]) -> int:
    """How many of the `capacities`, largest first, hold `gpus`; all of them if none do."""
    held = 0
    for count, capacity in enumerate(capacities, start=1):
        held += capacity
        if held >= gpus:
            return count
    return len(capacities)
