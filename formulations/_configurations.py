"""The columns of the configuration LP: what can run together, and the ways to get a job done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instances.errors import TooLarge
from instances.instance import Instance

Mode = tuple[int, int, int]
"""(kind, h, p): a job of that kind on h servers at contention level p, 0 on one server."""
Configuration = tuple[tuple[Mode, int], ...]
"""How many jobs run in each mode."""
Profile = tuple[tuple[Mode, int], ...]
"""How many slots one job spends in each mode."""

_Server = tuple[int, int, tuple[int, ...]]
"""Capacity, idle GPUs, and which of the chosen jobs span and use it."""


@dataclass(frozen=True)
class _Chosen:
    """Jobs placed so far, as (kind, h); servers sorted, since equal ones may be exchanged."""

    jobs: tuple[tuple[int, int], ...]
    servers: tuple[_Server, ...]

    def configuration(self) -> Configuration:
        """Levels by eq. (6)."""
        modes: Counter[Mode] = Counter()
        for index, (kind, h) in enumerate(self.jobs):
            level = max((len(used) for _, _, used in self.servers if index in used), default=0)
            modes[kind, h, level] += 1
        return tuple(sorted(modes.items()))


def configurations(
    instance: Instance, kinds: Sequence[Sequence[int]], limit: int
) -> set[Configuration]:
    """Every set of jobs that fit together, each with h and p, up to the names of equal servers.

    Raises
    ------
    TooLarge
        Above `limit` placements of such sets, with the count reached.
    """
    layer = {_Chosen((), tuple(sorted((s.gpus, s.gpus, ()) for s in instance.servers)))}
    found: set[Configuration] = set()
    met = 0
    while layer:
        layer = {after for chosen in layer for after in _one_more(instance, kinds, chosen)}
        found |= {chosen.configuration() for chosen in layer}
        met += len(layer)
        if met > limit:
            raise TooLarge(f"more than {limit} placements of jobs that fit together")
    return found


def _one_more(
    instance: Instance, kinds: Sequence[Sequence[int]], chosen: _Chosen
) -> Iterator[_Chosen]:
    """Add one job, of the last kind or a later one."""
    last = chosen.jobs[-1][0] if chosen.jobs else 0
    for kind in range(last, len(kinds)):
        if sum(k == kind for k, _ in chosen.jobs) == len(kinds[kind]):
            continue
        gpus = instance.jobs[kinds[kind][0]].gpus
        for counts in _spread(gpus, [idle for _, idle, _ in chosen.servers]):
            h = sum(map(bool, counts))
            label = (len(chosen.jobs),) if h > 1 else ()
            servers = sorted(
                (capacity, idle - count, used + label if count else used)
                for count, (capacity, idle, used) in zip(counts, chosen.servers, strict=True)
            )
            yield _Chosen((*chosen.jobs, (kind, h)), tuple(servers))


def _spread(gpus: int, idle: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to take `gpus` of the idle GPUs."""
    if not idle:
        if gpus == 0:
            yield ()
        return
    for count in range(min(gpus, idle[0]) + 1):
        for rest in _spread(gpus - count, idle[1:]):
            yield (count, *rest)


def profiles(instance: Instance, kind: int, job: int, limit: int) -> list[Profile]:
    """Slots n_p on some h with sum_p phi(h, p) n_p >= F_j, as few as that takes at the last p.

    Raises
    ------
    TooLarge
        Above `limit`.
    """
    found: list[Profile] = []
    need, timing = instance.jobs[job].iterations, instance.timing
    for h in range(
        timing.fewest_servers[job], min(instance.jobs[job].gpus, len(instance.servers)) + 1
    ):
        levels = range(1, timing.max_level + 1) if h > 1 else (0,)
        rates = [(p, timing.rate(job, h, p)) for p in levels if timing.rate(job, h, p)]
        for counts in _covers(need, [rate for _, rate in rates]):
            used = zip(rates, counts, strict=True)
            found.append(tuple(((kind, h, p), n) for (p, _), n in used if n))
            if len(found) > limit:
                raise TooLarge(f"more than {limit} profiles of job {instance.jobs[job].id}")
    return found


def _covers(need: int, rates: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Counts n with sum rates n >= need; rates do not increase, and the last count is least."""
    if need <= 0:
        yield (0,) * len(rates)
    elif len(rates) == 1:
        yield (-(-need // rates[0]),)
    elif rates:
        for count in range(-(-need // rates[0]) + 1):
            for rest in _covers(need - count * rates[0], rates[1:]):
                yield (count, *rest)
