"""The event-driven dispatcher that every heuristic shares.

A policy says which waiting job starts now and on which GPUs; where it says None, time moves to the
next completion. The cost does not depend on durations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from instances.instance import Instance
from instances.schedule import Placement, Schedule
from instances.simulator import Simulation


class Cluster:
    """What a policy sees: GPUs numbered server by server, and the jobs that still wait.

    Attributes
    ----------
    server_of : tuple of int
        Server of each GPU.
    gpus_of : tuple of range
        GPUs of each server.
    idle : list of bool
        Whether each GPU is idle now.
    load : list of int
        U_g, the estimated work given to each GPU so far, in slots.
    waiting : list of int
        Jobs not started yet, in queue order.
    """

    def __init__(self, instance: Instance, order: Sequence[int]) -> None:
        self.instance = instance
        self.waiting = list(order)
        self.gpus_of: tuple[range, ...] = ()
        first = 0
        for server in instance.servers:
            self.gpus_of += (range(first, first + server.gpus),)
            first += server.gpus
        self.server_of = tuple(s for s, gpus in enumerate(self.gpus_of) for _ in gpus)
        self.idle = [True] * first
        self.load = [0] * first

    def idle_on(self, server: int) -> list[int]:
        """Idle GPUs of a server, by index."""
        return [gpu for gpu in self.gpus_of[server] if self.idle[gpu]]

    def placement(self, gpus: Sequence[int]) -> Placement:
        """The placement that these GPUs make."""
        return tuple(sorted(Counter(self.server_of[gpu] for gpu in gpus).items()))


Policy = Callable[[Cluster], tuple[int, Sequence[int]] | None]


def dispatch(instance: Instance, order: Sequence[int], policy: Policy) -> Schedule | None:
    """Run `policy` until every job is done; None where jobs are left that can never start.

    Parameters
    ----------
    instance : Instance
    order : sequence of int
        The queue at slot 0.
    policy : callable
        Given the cluster, the next (job, GPUs) to start in this slot, or None to wait.
    """
    cluster, simulation = Cluster(instance, order), Simulation(instance)
    held: dict[int, Sequence[int]] = {}
    starts: dict[int, int] = {}
    placements: dict[int, Placement] = {}
    while cluster.waiting or simulation.running:
        while cluster.waiting and (choice := policy(cluster)) is not None:
            job, gpus = choice
            cluster.waiting.remove(job)
            for gpu in gpus:
                cluster.idle[gpu] = False
                cluster.load[gpu] += instance.timing.shortest[job]
            held[job], starts[job] = gpus, simulation.time
            placements[job] = cluster.placement(gpus)
            simulation.start(job, placements[job])
        completion = simulation.next_completion()
        if completion is None:
            return None
        for job in simulation.advance(completion):
            for gpu in held.pop(job):
                cluster.idle[gpu] = True
    jobs = range(len(instance.jobs))
    return Schedule(
        tuple(starts[job] for job in jobs), tuple(placements[job] for job in jobs), simulation.time
    )
