"""SJF-BCO, the paper's algorithm: smallest job first with balanced contention and overhead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from instances.instance import Instance
from instances.schedule import Schedule
from solvers.dispatch import Cluster
from solvers.load_limit import (
    Bisection,
    Choice,
    Found,
    dispatch_within,
    least_loaded,
    queue,
    search_limit,
)

FirstFit = Literal["least-loaded", "packing"]


@dataclass(frozen=True)
class Options:
    """Algorithms 1-3: the search for theta_u, FA-FFP's reading, lambda, and the values of kappa."""

    bisection: Bisection = "as-printed"
    fa_ffp: FirstFit = field(default="least-loaded", metadata={"name": "fa-ffp"})
    stretch: Annotated[float, Field(ge=1)] = field(default=1.0, metadata={"name": "lambda"})
    kappa: Annotated[int, Field(ge=1)] | Literal["all"] = "all"


def schedule(instance: Instance, options: Options, seed: int) -> Schedule | None:
    """The best schedule over theta_u and kappa (Algorithm 1)."""
    kappas = distinct_kappas(instance) if options.kappa == "all" else [options.kappa]
    found = search(instance, options, kappas)
    return None if found is None else found.schedule


def search(instance: Instance, options: Options, kappas: Sequence[int]) -> Found | None:
    """Algorithm 1 over the given values of kappa; also tells the limit theta~."""
    order = queue(instance, "sjf")

    def attempts(limit: int) -> Iterator[Schedule | None]:
        for kappa in kappas:
            yield dispatch_within(instance, order, limit, _choice(instance, options, kappa))

    return search_limit(instance, options.bisection, attempts)


def distinct_kappas(instance: Instance) -> list[int]:
    """One kappa for every way to split the jobs: kappa matters only through {j: G_j <= kappa}.

    The smallest kappa of each class, so that ties fall as in the full loop 1..max G_j.
    """
    return sorted({1} | {job.gpus for job in instance.jobs})


def _choice(instance: Instance, options: Options, kappa: int) -> Choice:
    """FA-FFP for G_j <= kappa, LBSGF for wider jobs."""
    narrow: Choice = _fa_ffp if options.fa_ffp == "least-loaded" else _fa_ffp_packing
    wide: Choice = partial(_lbsgf, options.stretch)

    def choose(cluster: Cluster, job: int, available: list[int]) -> Sequence[int] | None:
        rule = narrow if instance.jobs[job].gpus <= kappa else wide
        return rule(cluster, job, available)

    return choose


def _fa_ffp(cluster: Cluster, job: int, available: list[int]) -> Sequence[int]:
    """Algorithm 2, line 4: the least loaded of all available GPUs."""
    return least_loaded(cluster, available, cluster.instance.jobs[job].gpus)


def _fa_ffp_packing(cluster: Cluster, job: int, available: list[int]) -> Sequence[int]:
    """Algorithm 2 in the prose's reading: fill servers in use, the fullest first."""

    def rank(gpu: int) -> tuple[bool, int, int, int]:
        server = cluster.server_of[gpu]
        idle = len(cluster.idle_on(server))
        unused = idle == len(cluster.gpus_of[server])
        return unused, idle, server, cluster.load[gpu]

    return sorted(available, key=rank)[: cluster.instance.jobs[job].gpus]


def _lbsgf(
    stretch: float, cluster: Cluster, job: int, available: list[int]
) -> Sequence[int] | None:
    """Algorithm 3: the fewest least loaded servers with lambda G_j GPUs, then their best GPUs."""
    need = cluster.instance.jobs[job].gpus
    average = [sum(cluster.load[g] for g in gpus) / len(gpus) for gpus in cluster.gpus_of]
    leading: set[int] = set()
    capacity = 0
    for server in sorted(range(len(average)), key=average.__getitem__):
        leading.add(server)
        capacity += len(cluster.gpus_of[server])
        if capacity >= stretch * need:
            break
    there = [gpu for gpu in available if cluster.server_of[gpu] in leading]
    return least_loaded(cluster, there, need) if len(there) >= need else None
