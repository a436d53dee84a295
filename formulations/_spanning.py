"""The part of `compact` for jobs that span servers: rates by contention level, without big-M.

At level p or less a job runs at phi(h, p); on a server with n spanning jobs none of them may claim
a level below n. ``level[s, t, n]`` says that there are n, and sum_j (jobs at levels up to p) <=
sum_{n <= p} n level[s, t, n] for every p says the rest: for p < n the right side is 0.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pyomo.environ as pyo

from formulations._activity import unroll
from formulations._modes import Modes
from instances.instance import Instance
from instances.schedule import Placement, Schedule


def add(m: Any, instance: Instance, jobs: list[int], modes: Modes) -> None:
    """Variables and constraints for `jobs`; those that fit on no server span for certain."""
    m.wide = jobs
    m.widths = {j: modes.widths(j) for j in jobs}
    m.levels = {j: modes.levels(j) for j in jobs}
    m.fewest_slots = {j: modes.fewest_slots(j) for j in jobs}
    m.hosts = {j: m.allowed[m.kind_of[j]] for j in jobs}
    _placement(m, instance)
    _activity(m, instance)
    _rates(m, instance)
    _contention(m, instance)
    _equal_jobs(m, instance)


def _most(instance: Instance, j: int, s: int) -> int:
    return min(instance.jobs[j].gpus - 1, instance.servers[s].gpus)


def _placement(m: Any, instance: Instance) -> None:
    """Where the workers sit: eqs. (1) and (5), and the number of servers."""
    must = {j: int(instance.timing.fewest_servers[j] > 1) for j in m.wide}
    m.spans = pyo.Var(m.wide, domain=pyo.Binary, bounds=lambda m, j: (must[j], 1))
    on = [(j, s) for j in m.wide for s in m.hosts[j]]
    m.y = pyo.Var(
        on, domain=pyo.NonNegativeIntegers, bounds=lambda m, j, s: (0, _most(instance, j, s))
    )
    m.uses = pyo.Var(on, domain=pyo.Binary)
    m.width = pyo.Var([(j, g) for j in m.wide for g in range(len(m.widths[j]))], domain=pyo.Binary)
    m.workers = pyo.Constraint(
        m.wide,
        rule=lambda m, j: (
            pyo.quicksum(m.y[j, s] for s in m.hosts[j]) == instance.jobs[j].gpus * m.spans[j]
        ),
    )
    m.some = pyo.Constraint(on, rule=lambda m, j, s: m.y[j, s] >= m.uses[j, s])
    m.none = pyo.Constraint(
        on, rule=lambda m, j, s: m.y[j, s] <= _most(instance, j, s) * m.uses[j, s]
    )

    def servers(m: Any, j: int, end: int) -> Any:
        return pyo.quicksum(w[end] * m.width[j, g] for g, w in enumerate(m.widths[j]))

    m.one_width = pyo.Constraint(
        m.wide,
        rule=lambda m, j: (
            pyo.quicksum(m.width[j, g] for g in range(len(m.widths[j]))) == m.spans[j]
        ),
    )
    m.least = pyo.Constraint(
        m.wide,
        rule=lambda m, j: pyo.quicksum(m.uses[j, s] for s in m.hosts[j]) >= servers(m, j, 0),
    )
    m.most = pyo.Constraint(
        m.wide,
        rule=lambda m, j: pyo.quicksum(m.uses[j, s] for s in m.hosts[j]) <= servers(m, j, -1),
    )


def _activity(m: Any, instance: Instance) -> None:
    """One contiguous run: eqs. (3) and (4). GPUs held are y_js while it lasts."""
    last = {j: len(m.T) - m.fewest_slots[j] for j in m.wide}
    m.runs = pyo.Var(m.wide, m.T, domain=pyo.Binary)
    m.begin = pyo.Var(
        [(j, a) for j in m.wide for a in range(last[j] + 1)], domain=pyo.NonNegativeReals
    )
    on = [(j, s, t) for j in m.wide for s in m.hosts[j] for t in m.T]
    m.held = pyo.Var(on, domain=pyo.NonNegativeReals)
    m.one_begin = pyo.Constraint(
        m.wide,
        rule=lambda m, j: pyo.quicksum(m.begin[j, a] for a in range(last[j] + 1)) == m.spans[j],
    )
    m.contiguous = pyo.Constraint(
        m.wide,
        m.T,
        rule=lambda m, j, t: (
            m.runs[j, t] - (m.runs[j, t - 1] if t else 0) <= (m.begin[j, t] if t <= last[j] else 0)
        ),
    )
    m.long_enough = pyo.Constraint(  # implied for integers, not in the relaxation
        m.wide,
        rule=lambda m, j: pyo.quicksum(m.runs[j, t] for t in m.T) >= m.fewest_slots[j] * m.spans[j],
    )
    m.within = pyo.Constraint(m.wide, list(m.used), rule=lambda m, j, t: m.runs[j, t] <= m.used[t])
    m.all_held = pyo.Constraint(
        m.wide,
        m.T,
        rule=lambda m, j, t: (
            pyo.quicksum(m.held[j, s, t] for s in m.hosts[j])
            == instance.jobs[j].gpus * m.runs[j, t]
        ),
    )
    m.holds = pyo.Constraint(
        on,
        rule=lambda m, j, s, t: (
            m.held[j, s, t] >= m.y[j, s] - _most(instance, j, s) * (1 - m.runs[j, t])
        ),
    )


def _rates(m: Any, instance: Instance) -> None:
    """Eqs. (7)-(9). ``rate`` may be fractional: see `_contention`."""
    modes = {j: [(g, p) for g in range(len(m.widths[j])) for p in m.levels[j]] for j in m.wide}
    m.rate = pyo.Var(
        [(j, t, g, p) for j in m.wide for t in m.T for g, p in modes[j]],
        domain=pyo.NonNegativeReals,
        bounds=(0, 1),
    )
    m.one_rate = pyo.Constraint(
        m.wide,
        m.T,
        rule=lambda m, j, t: pyo.quicksum(m.rate[j, t, g, p] for g, p in modes[j]) == m.runs[j, t],
    )
    m.rate_of_width = pyo.Constraint(
        [
            (j, t, g)
            for j in m.wide if len(m.widths[j]) > 1
            for t in m.T for g in range(len(m.widths[j]))
        ],
        rule=lambda m, j, t, g: (
            pyo.quicksum(m.rate[j, t, g, p] for p in m.levels[j]) <= m.width[j, g]
        ),
    )  # fmt: skip
    m.iterations = pyo.Constraint(
        m.wide,
        rule=lambda m, j: (
            pyo.quicksum(
                instance.timing.rate(j, m.widths[j][g][0], p) * m.rate[j, t, g, p]
                for t in m.T
                for g, p in modes[j]
            )
            >= instance.jobs[j].iterations * m.spans[j]
        ),
    )


def _contention(m: Any, instance: Instance) -> None:
    """Eq. (6). ``on`` splits the presence of a job on a server by the level that it claims.

    Where the job runs and uses the server, the parts of ``on`` are those of ``rate``. So where
    ``level`` says n, rate has no part below n, and what it has above is no faster.
    """
    m.on = pyo.Var(
        [(j, s, t, p) for j in m.wide for s in m.hosts[j] for t in m.T for p in m.levels[j]],
        domain=pyo.NonNegativeReals,
        bounds=(0, 1),
    )

    def claimed(m: Any, j: int, t: int, p: int) -> Any:
        return pyo.quicksum(m.rate[j, t, g, p] for g in range(len(m.widths[j])))

    m.claim = pyo.Constraint(
        list(m.on), rule=lambda m, j, s, t, p: m.on[j, s, t, p] <= claimed(m, j, t, p)
    )
    m.present = pyo.Constraint(
        list(m.held),
        rule=lambda m, j, s, t: (
            pyo.quicksum(m.on[j, s, t, p] for p in m.levels[j]) >= m.uses[j, s] + m.runs[j, t] - 1
        ),
    )
    m.holder = pyo.Constraint(  # implied for integers, not in the relaxation
        list(m.held),
        rule=lambda m, j, s, t: (
            m.held[j, s, t]
            <= _most(instance, j, s) * pyo.quicksum(m.on[j, s, t, p] for p in m.levels[j])
        ),
    )
    m.everywhere = pyo.Constraint(  # likewise
        [(j, t, p) for j in m.wide for t in m.T for p in m.levels[j]],
        rule=lambda m, j, t, p: (
            pyo.quicksum(m.on[j, s, t, p] for s in m.hosts[j])
            >= pyo.quicksum(w[0] * m.rate[j, t, g, p] for g, w in enumerate(m.widths[j]))
        ),
    )
    here = {s: [j for j in m.wide if s in m.hosts[j]] for s in m.S}
    counts = {s: range(1, min(len(here[s]), instance.servers[s].gpus) + 1) for s in m.S}
    m.level = pyo.Var([(s, t, n) for s in m.S for t in m.T for n in counts[s]], domain=pyo.Binary)
    m.one_level = pyo.Constraint(
        [(s, t) for s in m.S if here[s] for t in m.T],
        rule=lambda m, s, t: pyo.quicksum(m.level[s, t, n] for n in counts[s]) <= 1,
    )
    m.no_less = pyo.Constraint(
        [
            (s, t, p)
            for s in m.S for t in m.T for p in sorted({p for j in here[s] for p in m.levels[j]})
        ],
        rule=lambda m, s, t, p: (
            pyo.quicksum(m.on[j, s, t, q] for j in here[s] for q in m.levels[j] if q <= p)
            <= pyo.quicksum(n * m.level[s, t, n] for n in counts[s] if n <= p)
        ),
    )  # fmt: skip


def _equal_jobs(m: Any, instance: Instance) -> None:
    """Of equal jobs those that span come first; those that must span are begun in order."""
    pairs = [pair for equal in m.kinds.values() for pair in pairwise(equal) if pair[0] in m.spans]
    m.wide_first = pyo.Constraint(pairs, rule=lambda m, i, j: m.spans[i] >= m.spans[j])

    def begins(m: Any, j: int) -> Any:
        last = len(m.T) - m.fewest_slots[j]
        return pyo.quicksum(a * m.begin[j, a] for a in range(last + 1))

    m.in_order = pyo.Constraint(
        [(i, j) for i, j in pairs if instance.timing.fewest_servers[i] > 1],
        rule=lambda m, i, j: begins(m, i) <= begins(m, j),
    )


def read(m: Any, j: int) -> tuple[int, Placement]:
    """Start slot and placement of a job that spans."""
    start = next(t for t in m.T if round(m.runs[j, t].value))
    counts = ((s, round(m.y[j, s].value)) for s in m.hosts[j])
    return start, tuple((s, count) for s, count in counts if count)


def start(m: Any, instance: Instance, schedule: Schedule) -> None:
    """Set the variables of the jobs that span in `schedule`."""
    activity = unroll(instance, schedule)
    present: dict[tuple[int, int], int] = {}
    for j in m.wide:
        placement, begin = schedule.placements[j], schedule.starts[j]
        if len(placement) == 1:
            continue
        g = next(g for g, widths in enumerate(m.widths[j]) if len(placement) in widths)
        m.spans[j].set_value(1)
        m.width[j, g].set_value(1)
        m.begin[j, begin].set_value(1)
        for s, count in placement:
            m.y[j, s].set_value(count)
            m.uses[j, s].set_value(1)
        for t in range(begin, activity.completion[j]):
            p = next(p for p in m.levels[j] if p >= activity.level[j, t])
            m.runs[j, t].set_value(1)
            m.rate[j, t, g, p].set_value(1)
            for s, count in placement:
                m.held[j, s, t].set_value(count)
                m.on[j, s, t, p].set_value(1)
                present[s, t] = present.get((s, t), 0) + 1
    for (s, t), n in present.items():
        m.level[s, t, n].set_value(1)
