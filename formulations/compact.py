"""The stronger exact MILP: start times on one server, contention only where a job spans.

A job on one server meets no contention, so its duration is a constant and ``x[j, s, a]``, "j starts
at a on s", says all. Only a spanning job needs activity, workers and a level per slot. Same
optimum as `linearized`; docs/exact-methods.md has the argument.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from formulations import Bracket, Program
from formulations._activity import unroll
from formulations._compact_sets import Sets, make_sets
from formulations._reading import claimed
from instances.instance import Instance
from instances.schedule import Placement, Schedule

BRACKET = "configuration"


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The model over slots 0..upper-1: no better schedule needs more.

    Raises
    ------
    Unsupported
        Where a rate increases in the number of servers or in the level.
    """
    sets = make_sets(instance, bracket.upper)
    m = pyo.ConcreteModel("compact")
    _declare(m, sets, bracket)
    _starts(m, sets)
    _capacity(m, sets)
    _spanning(m, sets)
    _contention(m, sets)
    _symmetry(m, sets)
    m.objective = pyo.Objective(expr=m.makespan)

    def start(schedule: Schedule) -> None:
        _start(m, instance, sets, schedule)

    return Program(m, "MILP", lambda: _read(m, instance, sets), start)


def _declare(m: Any, sets: Sets, bracket: Bracket) -> None:
    """Variables; those in (j, s, t) bound workers and contention from below only."""
    fractional = pyo.NonNegativeReals
    m.x = pyo.Var(sets.single, domain=pyo.Binary)
    m.v = pyo.Var(sets.spanning_starts, domain=pyo.Binary)
    m.y = pyo.Var(
        sets.spanning_servers,
        domain=pyo.NonNegativeIntegers,
        bounds=lambda m, j, s: (0, sets.most_workers(j, s)),
    )
    m.width = pyo.Var([(j, k) for j in sets.spanners for k in sets.widths(j)], domain=pyo.Binary)
    m.uses = pyo.Var(sets.spanning_servers, domain=pyo.Binary)
    m.runs = pyo.Var(sets.spanning_slots, domain=fractional, bounds=(0, 1))
    m.rate = pyo.Var(sets.rates, domain=pyo.Binary)
    m.holds = pyo.Var(sets.held, domain=fractional)
    m.contends = pyo.Var(sets.held, domain=fractional, bounds=(0, 1))
    m.level = pyo.Var(
        [(s, t, p) for s in sets.servers for t in sets.slots for p in range(sets.levels + 1)]
        if sets.spanners
        else [],
        domain=pyo.Binary,
    )
    m.open = pyo.Var(range(bracket.lower, bracket.upper), domain=pyo.Binary)
    m.makespan = pyo.Var(domain=pyo.Integers, bounds=(bracket.lower, bracket.upper))


def _starts(m: Any, sets: Sets) -> None:
    """Every job starts once: eqs. (3) and (4). ``open[t]`` says that the makespan exceeds t."""
    choices: dict[int, list[Any]] = defaultdict(list)
    for j, s, a in sets.single:
        choices[j].append(m.x[j, s, a])
    for j, a in sets.spanning_starts:
        choices[j].append(m.v[j, a])
    m.once = pyo.Constraint(sets.jobs, rule=lambda m, j: pyo.quicksum(choices[j]) == 1)
    slots = sorted(m.open)
    m.ends = pyo.Constraint(
        expr=m.makespan == m.makespan.lb + pyo.quicksum(m.open[t] for t in slots)
    )
    m.ordered = pyo.Constraint(slots[1:], rule=lambda m, t: m.open[t] <= m.open[t - 1])
    running: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for j, s, a in sets.single:
        for t in range(max(a, m.makespan.lb), a + sets.duration[j]):
            running[j, t].append(m.x[j, s, a])
    for j, t in sets.spanning_slots:
        if t in m.open:
            running[j, t].append(m.runs[j, t])
    m.completed = pyo.Constraint(
        list(running), rule=lambda m, j, t: pyo.quicksum(running[j, t]) <= m.open[t]
    )


def _capacity(m: Any, sets: Sets) -> None:
    """Eq. (2), and at most one job with more than half the GPUs of a server."""
    used: dict[tuple[int, int], list[Any]] = defaultdict(list)
    big: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for j, s, a in sets.single:
        for t in range(a, a + sets.duration[j]):
            used[s, t].append(sets.gpus[j] * m.x[j, s, a])
            if 2 * sets.gpus[j] > sets.capacity[s]:
                big[s, t].append(m.x[j, s, a])
    for j, s, t in sets.held:
        used[s, t].append(m.holds[j, s, t])
    m.capacity = pyo.Constraint(
        list(used),
        rule=lambda m, s, t: pyo.quicksum(used[s, t]) <= sets.capacity[s] * _or(m.open, t, 1),
    )
    m.clique = pyo.Constraint(
        [key for key in big if len(big[key]) > 1],
        rule=lambda m, s, t: pyo.quicksum(big[s, t]) <= 1,
    )
    wide: dict[int, list[Any]] = defaultdict(list)
    for j, t in sets.spanning_slots:
        if 2 * sets.gpus[j] > sum(sets.capacity):
            wide[t].append(m.runs[j, t])
    m.one_wide = pyo.Constraint(
        [t for t in wide if len(wide[t]) > 1], rule=lambda m, t: pyo.quicksum(wide[t]) <= 1
    )


def _spanning(m: Any, sets: Sets) -> None:
    """One contiguous run, its workers and its iterations: eqs. (1), (3)-(5), (9)."""
    spans = {j: pyo.quicksum(m.v[j, a] for a in sets.starts(j)) for j in sets.spanners}
    m.workers = pyo.Constraint(
        sets.spanners,
        rule=lambda m, j: pyo.quicksum(m.y[j, s] for s in sets.servers) == sets.gpus[j] * spans[j],
    )
    m.one_width = pyo.Constraint(
        sets.spanners,
        rule=lambda m, j: pyo.quicksum(m.width[j, k] for k in sets.widths(j)) == spans[j],
    )
    m.used = pyo.Constraint(
        sets.spanning_servers,
        rule=lambda m, j, s: m.y[j, s] <= sets.most_workers(j, s) * m.uses[j, s],
    )
    m.servers_used = pyo.Constraint(
        [j for j in sets.spanners if len(sets.widths(j)) > 1],
        rule=lambda m, j: (
            pyo.quicksum(m.uses[j, s] for s in sets.servers)
            <= pyo.quicksum(sets.most_servers(j, k) * m.width[j, k] for k in sets.widths(j))
        ),
    )

    def contiguous(m: Any, j: int, t: int) -> Any:
        began = _or(m.v, (j, t), 0)
        return m.runs[j, t] - (m.runs[j, t - 1] if t else 0) <= began

    m.contiguous = pyo.Constraint(sets.spanning_slots, rule=contiguous)
    m.at_least = pyo.Constraint(
        sets.spanning_slots,
        rule=lambda m, j, t: (
            m.runs[j, t]
            >= pyo.quicksum(
                m.v[j, a] for a in range(max(0, t - sets.least[j] + 1), t + 1) if (j, a) in m.v
            )
        ),
    )
    m.one_rate = pyo.Constraint(
        sets.spanning_slots,
        rule=lambda m, j, t: (
            pyo.quicksum(m.rate[j, t, k, p] for k in sets.widths(j) for p in sets.levels_of(j, k))
            == m.runs[j, t]
        ),
    )
    m.rate_of_width = pyo.Constraint(
        [
            (j, t, k)
            for j, t in sets.spanning_slots
            if len(sets.widths(j)) > 1
            for k in sets.widths(j)
        ],
        rule=lambda m, j, t, k: (
            pyo.quicksum(m.rate[j, t, k, p] for p in sets.levels_of(j, k)) <= m.width[j, k]
        ),
    )
    m.iterations = pyo.Constraint(
        sets.spanners,
        rule=lambda m, j: (
            pyo.quicksum(
                sets.rate(j, k, p) * m.rate[j, t, k, p]
                for t in sets.slots
                for k in sets.widths(j)
                for p in sets.levels_of(j, k)
            )
            >= sets.iterations[j] * spans[j]
        ),
    )


def _contention(m: Any, sets: Sets) -> None:
    """Eq. (6): no level below the spanning jobs active on a server that the job uses."""
    m.place = pyo.Constraint(
        sets.spanning_slots,
        rule=lambda m, j, t: (
            pyo.quicksum(m.holds[j, s, t] for s in sets.servers) == sets.gpus[j] * m.runs[j, t]
        ),
    )
    m.same_place = pyo.Constraint(sets.held, rule=lambda m, j, s, t: m.holds[j, s, t] <= m.y[j, s])
    m.contending = pyo.Constraint(
        sets.held,
        rule=lambda m, j, s, t: m.holds[j, s, t] <= sets.most_workers(j, s) * m.contends[j, s, t],
    )
    m.contending_whole = pyo.Constraint(
        sets.held,
        rule=lambda m, j, s, t: m.contends[j, s, t] >= m.uses[j, s] + m.runs[j, t] - 1,
    )
    m.only_active = pyo.Constraint(
        sets.held, rule=lambda m, j, s, t: m.contends[j, s, t] <= m.runs[j, t]
    )
    m.at_two = pyo.Constraint(
        sets.spanning_slots,
        rule=lambda m, j, t: (
            pyo.quicksum(m.contends[j, s, t] for s in sets.servers) >= sets.fewest[j] * m.runs[j, t]
        ),
    )
    if not sets.spanners:
        return
    every = range(sets.levels + 1)
    places = [(s, t) for s in sets.servers for t in sets.slots]
    m.one_level = pyo.Constraint(
        places, rule=lambda m, s, t: pyo.quicksum(m.level[s, t, p] for p in every) == 1
    )
    m.counted = pyo.Constraint(
        places,
        rule=lambda m, s, t: (
            pyo.quicksum(m.contends[j, s, t] for j in sets.spanners)
            <= pyo.quicksum(p * m.level[s, t, p] for p in every)
        ),
    )

    def slow(m: Any, j: int, s: int, t: int, p: int) -> Any:
        fast = pyo.quicksum(
            m.rate[j, t, k, q] for k in sets.widths(j) for q in sets.levels_of(j, k) if q <= p
        )
        room = pyo.quicksum(m.level[s, t, q] for q in range(1, p + 1))
        return fast <= room + m.runs[j, t] - m.contends[j, s, t]

    m.slow = pyo.Constraint(sets.held, range(1, sets.levels), rule=slow)


def _symmetry(m: Any, sets: Sets) -> None:
    """Equal jobs start in order; one job's workers fill equal servers from the first."""
    begins = {
        j: pyo.quicksum(a * m.x[i, s, a] for i, s, a in sets.single if i == j)
        + pyo.quicksum(a * m.v[j, a] for a in sets.starts(j))
        for pair in sets.equal_jobs
        for j in pair
    }
    m.equal_jobs = pyo.Constraint(sets.equal_jobs, rule=lambda m, i, j: begins[i] <= begins[j])
    first = sets.first

    def workers(s: int) -> Any:
        alone = pyo.quicksum(sets.gpus[j] * m.x[j, q, a] for j, q, a in sets.single_of(first, s))
        return alone + (m.y[first, s] if first in sets.spanners else 0)

    m.equal_servers = pyo.Constraint(
        sets.equal_servers, rule=lambda m, r, s: workers(r) >= workers(s)
    )


def _or(variable: Any, index: Any, other: int) -> Any:
    """The variable at `index`, or `other` where it does not exist."""
    return variable[index] if index in variable else other  # noqa: SIM401 (no get)


def _read(m: Any, instance: Instance, sets: Sets) -> Schedule:
    """Starts and placements, rounded, and the makespan that the model claims for them."""
    begun: dict[int, tuple[int, Placement]] = {
        j: (a, ((s, sets.gpus[j]),)) for j, s, a in sets.single if round(m.x[j, s, a].value)
    }
    for j, a in sets.spanning_starts:
        if round(m.v[j, a].value):
            counts = ((s, round(m.y[j, s].value)) for s in sets.servers)
            begun[j] = a, tuple((s, count) for s, count in counts if count)
    starts = [begun[j][0] for j in sets.jobs]
    placements = [begun[j][1] for j in sets.jobs]
    return claimed(instance, starts, placements, round(m.makespan.value))


def _start(m: Any, instance: Instance, sets: Sets, schedule: Schedule) -> None:
    """Set every variable from a checked schedule, the makespan included."""
    schedule = sets.canonical(schedule)
    activity = unroll(instance, schedule)
    for variable in m.component_data_objects(pyo.Var):
        variable.set_value(0, skip_validation=True)
    m.makespan.set_value(schedule.makespan)
    for t in m.open:
        m.open[t].set_value(int(t < schedule.makespan))
    count: dict[tuple[int, int], int] = defaultdict(int)
    for j, placement in enumerate(schedule.placements):
        begin = schedule.starts[j]
        if len(placement) == 1:
            m.x[j, placement[0][0], begin].set_value(1)
            continue
        width = sets.width(j, len(placement))
        m.v[j, begin].set_value(1)
        m.width[j, width].set_value(1)
        for s, workers in placement:
            m.y[j, s].set_value(workers)
            m.uses[j, s].set_value(1)
        for t in range(begin, activity.completion[j]):
            m.runs[j, t].set_value(1)
            m.rate[j, t, width, sets.slowest(j, width, activity.level[j, t])].set_value(1)
            for s, workers in placement:
                m.holds[j, s, t].set_value(workers)
                m.contends[j, s, t].set_value(1)
                count[s, t] += 1
    for s, t, p in m.level:
        m.level[s, t, p].set_value(int(count[s, t] == p))
