"""The integer arrays that the compiled search works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from formulations import Prices
from instances.errors import Unsupported
from instances.instance import Instance
from instances.kinds import job_kinds

Integers = NDArray[np.int64]

TABLE_LIMIT = 1_000_000
"""Iterations, over kinds and h, above which costs are looked up by so many at once."""


class Problem(NamedTuple):
    """An instance as arrays. Servers are sorted by capacity, equal jobs form one kind.

    Attributes
    ----------
    capacity : (servers,)
        O_s.
    copies, gpus, iterations : (kinds,)
        How many jobs of each kind there are; G_j; F_j.
    least_servers, most_servers : (kinds,)
        Smallest h that can hold the kind, and largest h at which it makes any progress.
    rate : (kinds, h, p)
        phi_j(h, p).
    shortest : (kinds,)
        rhohat_j, the fewest slots that the kind can take.
    radix : (kinds, 2)
        Word and factor under which the number of waiting jobs of a kind enters a memo key.
    """

    capacity: Integers
    copies: Integers
    gpus: Integers
    iterations: Integers
    least_servers: Integers
    most_servers: Integers
    rate: Integers
    shortest: Integers
    radix: Integers


@dataclass(frozen=True)
class Kinds:
    """Which jobs are equal, and the order of servers; it leads back from arrays to the instance.

    Attributes
    ----------
    jobs : tuple of tuple of int
        Jobs of each kind; kinds with the most GPUs first, among them the longest.
    servers : tuple of int
        Server of the instance behind each server of the arrays, by capacity.
    """

    jobs: tuple[tuple[int, ...], ...]
    servers: tuple[int, ...]


def find_kinds(instance: Instance) -> Kinds:
    """Group equal jobs, and sort the servers."""
    servers = sorted(range(len(instance.servers)), key=lambda s: (instance.servers[s].gpus, s))
    return Kinds(job_kinds(instance), tuple(servers))


def make_problem(instance: Instance, kinds: Kinds) -> Problem:
    """The arrays of an instance.

    Raises
    ------
    Unsupported
        Where phi increases in p or in h, which the rules of the search exclude.
    """
    first = [jobs[0] for jobs in kinds.jobs]
    widest = [min(instance.jobs[j].gpus, len(instance.servers)) for j in first]
    shape = (len(first), max(widest) + 1, instance.timing.max_level + 1)
    rate = np.zeros(shape, dtype=np.int64)
    for kind, job in enumerate(first):
        rate[kind, 1, :] = instance.timing.rate(job, 1, 0)
        for servers in range(2, widest[kind] + 1):
            for level in range(1, shape[2]):
                rate[kind, servers, level] = instance.timing.rate(job, servers, level)
            rate[kind, servers, 0] = rate[kind, servers, 1]
    _refuse_increase(rate, widest)
    useful = [max(h for h in range(1, w + 1) if rate[k, h, 1]) for k, w in enumerate(widest)]
    radix, word, factor = [], 0, 1
    for jobs in kinds.jobs:
        if factor * (len(jobs) + 1) >= 2**62:
            word, factor = word + 1, 1
        radix.append((word, factor))
        factor *= len(jobs) + 1
    return Problem(
        capacity=_array(instance.servers[s].gpus for s in kinds.servers),
        copies=_array(map(len, kinds.jobs)),
        gpus=_array(instance.jobs[j].gpus for j in first),
        iterations=_array(instance.jobs[j].iterations for j in first),
        least_servers=_array(instance.timing.fewest_servers[j] for j in first),
        most_servers=_array(useful),
        rate=rate,
        shortest=_array(instance.timing.shortest[j] for j in first),
        radix=np.array(radix, dtype=np.int64),
    )


def coarsened(problem: Problem) -> tuple[Problem, int]:
    """A problem in units of so many iterations that its cost tables stay small, and the unit.

    Work is rounded down and rates are rounded up, so that what a job costs is never overstated.
    """
    widths = problem.most_servers - problem.least_servers + 1
    unit = int(-(-(problem.iterations * widths).sum() // TABLE_LIMIT))
    coarse = problem._replace(iterations=problem.iterations // unit, rate=-(-problem.rate // unit))
    return coarse, unit


def _array(values: Any) -> Integers:
    return np.array(list(values), dtype=np.int64)


def _refuse_increase(rate: Integers, widest: list[int]) -> None:
    """The search rests on phi not increasing in p (faster never harms) nor in h."""
    for kind, most in enumerate(widest):
        table = rate[kind, 1 : most + 1]
        if (np.diff(table, axis=1) > 0).any() or (np.diff(table, axis=0) > 0).any():
            raise Unsupported("phi increases with contention or with the number of servers")


class Costs(NamedTuple):
    """Cheapest way to finish a job, in prices: the lower bounds of the search.

    A price system gives every kind, h and p an integer, for one slot of such a job, so that jobs
    that can run together cost at most `unit`. All that is left to do then costs at most `unit`
    for each slot that is left.

    Attributes
    ----------
    unit : (systems,)
        What one slot of the whole cluster is worth.
    price : (systems, kinds, h, p)
        The price systems.
    grain : int
        Iterations to one entry of `table`.
    table : (systems, entries)
        The cost of the iterations that are left, one run of entries for each kind and h.
    offset : (kinds, h)
        Where the run of a kind and h begins in `table`.
    fresh : (systems, kinds)
        Cost of a whole job at the h that is cheapest for it.
    """

    unit: Integers
    price: Integers
    grain: int
    table: Integers
    offset: Integers
    fresh: Integers


def gpu_prices(problem: Problem) -> Prices:
    """The price G_j whatever h and p, and N for a slot of the cluster: the bound by GPU-slots."""
    price = np.broadcast_to(problem.gpus[:, None, None], problem.rate.shape).copy()
    return Prices(price, int(problem.capacity.sum()))


def empty_costs(coarse: Problem, grain: int, systems: list[Prices]) -> Costs:
    """Cost tables to be filled, one after the other, of a coarsened problem."""
    offset = np.full(coarse.rate.shape[:2], -1, dtype=np.int64)
    entries = 0
    for kind, need in enumerate(coarse.iterations.tolist()):
        for servers in range(coarse.least_servers[kind], coarse.most_servers[kind] + 1):
            offset[kind, servers] = entries
            entries += need + 1
    return Costs(
        _array(prices.unit for prices in systems),
        np.array([prices.price for prices in systems], dtype=np.int64),
        grain,
        np.zeros((len(systems), entries), dtype=np.int64),
        offset,
        np.zeros((len(systems), coarse.copies.size), dtype=np.int64),
    )
