"""The strong MILP: start slots for jobs on one server, level variables for jobs that span.

A job on one server meets no contention, so its duration is a constant, and a start slot and a
server say all of it. Only a job that spans servers needs rates, slot by slot (`_spanning`). Equal
jobs on one server are counted, not told apart. docs/exact-methods.md argues that the optimum stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyomo.environ as pyo

from formulations import Bracket, Prices, Program, Width
from formulations import _spanning as spanning
from formulations._modes import Modes
from formulations._reading import claimed
from formulations._ways import Way, alone_on_links, at_known_pace, on_one_server
from instances.errors import Unsupported
from instances.instance import Instance
from instances.kinds import job_kinds
from instances.schedule import Placement, Schedule

BRACKET: Width = "narrow"


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The exact model over slots 0..upper-1: no better schedule needs more."""
    m, modes = _model(instance, bracket), Modes(instance, bracket)
    able = [k for k, jobs in m.kinds.items() if modes.spans(jobs[0])]
    alone = {k: alone_on_links(instance, modes, m.kinds[k][0]) for k in able}
    ways = {k: on_one_server(instance, jobs[0]) for k, jobs in m.kinds.items()}
    _fixed_ways(m, instance, {k: mine + (alone.get(k) or []) for k, mine in ways.items()})
    shared = [j for k in able if alone[k] is None for j in m.kinds[k]]
    spanning.add(m, instance, sorted(shared), modes)
    _quiet_links(m)
    if bracket.tariff is not None:
        _slots_worth(m, bracket.tariff.prices)
    return _program(m, instance)


def restriction(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The model in which every job takes a time that is known when it starts.

    A job spans only if it must, and then few servers, at a level of 1 or 2 that nobody may exceed
    while it runs. A far smaller model, whose optimum is often the true one; it proves no bound.
    """
    m = _model(instance, bracket)
    _fixed_ways(m, instance, {k: at_known_pace(instance, jobs[0]) for k, jobs in m.kinds.items()})
    spanning.add(m, instance, [], Modes(instance, bracket))
    _quiet_links(m)
    return _program(m, instance)


def _model(instance: Instance, bracket: Bracket) -> Any:
    _refuse_increase(instance)
    m = pyo.ConcreteModel("compact")
    m.kinds = dict(enumerate(job_kinds(instance)))
    m.kind_of = {j: k for k, jobs in m.kinds.items() for j in jobs}
    m.S, m.T = range(len(instance.servers)), range(bracket.upper)
    m.lower = bracket.lower
    m.allowed = _allowed_servers(m, instance)
    _slots_used(m, bracket)
    return m


def _program(m: Any, instance: Instance) -> Program:
    _capacity(m, instance)
    m.objective = pyo.Objective(expr=m.makespan)

    def start(schedule: Schedule) -> None:
        _start(m, instance, schedule)

    return Program(m, "MILP", lambda: _read(m, instance), start, presolve=False)


def _refuse_increase(instance: Instance) -> None:
    """Everything here rests on phi increasing neither with p nor with h."""
    timing = instance.timing
    for j, job in enumerate(instance.jobs):
        rows = [
            [timing.rate(j, h, p) for p in range(1, timing.max_level + 1)]
            for h in range(2, min(job.gpus, len(instance.servers)) + 1)
        ]
        falls = all(a >= b for row in rows for a, b in pairwise(row))
        if not falls or any(
            a < b for one, two in pairwise(rows) for a, b in zip(one, two, strict=True)
        ):
            raise Unsupported(f"job {job.id}: phi increases with contention or number of servers")


def _slots_used(m: Any, bracket: Bracket) -> None:
    """The makespan, in unary above its lower bound: slot t can be used only if all before are."""
    m.makespan = pyo.Var(domain=pyo.Integers, bounds=(bracket.lower, bracket.upper))
    m.used = pyo.Var(range(bracket.lower, bracket.upper), domain=pyo.Binary)
    m.first_slots_first = pyo.Constraint(
        list(pairwise(m.used)), rule=lambda m, t, u: m.used[t] >= m.used[u]
    )
    m.length = pyo.Constraint(expr=m.makespan == bracket.lower + pyo.quicksum(m.used.values()))


def _fixed_ways(m: Any, instance: Instance, ways: dict[int, list[Way]]) -> None:
    """x[k, w, a]: how many jobs of kind k start in slot a in a way w of known duration."""
    m.ways = {
        k: [way for way in mine if all(s in m.allowed[k] for s, _ in way.placement)]
        for k, mine in ways.items()
    }
    m.x = pyo.Var(
        [
            (k, w, a)
            for k in m.kinds
            for w, way in enumerate(m.ways[k])
            for a in range(len(m.T) - way.slots + 1)
        ],
        domain=pyo.NonNegativeIntegers,
        bounds=lambda m, k, w, a: (0, len(m.kinds[k])),
    )


def _quiet_links(m: Any) -> None:
    """On a server one job whose way is at level 1, or two at level 2, or others that span."""
    busy: dict[tuple[int, int], list[Any]] = {}
    for (k, w, a), begun in m.x.items():
        way = m.ways[k][w]
        for s, _ in way.placement if way.level else ():
            for t in range(a, a + way.slots):
                busy.setdefault((s, t), []).append(2 // way.level * begun)
    for (s, t, _), others in m.level.items():
        if (s, t) in busy:
            busy[s, t].append(2 * others)
    m.quiet = pyo.Constraint(list(busy), rule=lambda m, s, t: pyo.quicksum(busy[s, t]) <= 2)


def _slots_worth(m: Any, prices: Prices) -> None:
    """What runs in a slot costs no more than the slot is worth; a cut from the configuration LP."""
    spent: dict[int, list[Any]] = {t: [] for t in m.T}
    for (k, w, a), begun in m.x.items():
        way = m.ways[k][w]
        price = int(prices.price[k, len(way.placement), way.level]) / prices.unit
        for t in range(a, a + way.slots):
            spent[t].append(price * begun)
    for (j, t, g, p), share in m.rate.items():
        price = min(int(prices.price[m.kind_of[j], h, p]) for h in m.widths[j][g]) / prices.unit
        spent[t].append(price * share)
    m.worth = pyo.Constraint(
        [t for t, terms in spent.items() if terms],
        rule=lambda m, t: pyo.quicksum(spent[t]) <= (m.used[t] if t in m.used else 1),  # noqa: SIM401
    )


def _allowed_servers(m: Any, instance: Instance) -> list[list[int]]:
    """Servers that each kind may use, once equal ones are named in the order of their first job.

    The jobs of the first kinds cannot have come further than so many names.
    """
    rank, seen = [], dict.fromkeys({server.gpus for server in instance.servers}, 0)
    for server in instance.servers:
        rank.append(seen[server.gpus])
        seen[server.gpus] += 1
    reached, allowed = 0, []
    for jobs in m.kinds.values():
        reached += len(jobs) * min(instance.jobs[jobs[0]].gpus, len(m.S))
        allowed.append([s for s in m.S if rank[s] < reached])
    return allowed


def _capacity(m: Any, instance: Instance) -> None:
    """Every job once, and eq. (2)."""
    begun: dict[int, list[Any]] = {k: [] for k in m.kinds}
    holding: dict[tuple[int, int], list[Any]] = {(s, t): [] for s in m.S for t in m.T}
    for (k, w, a), x in m.x.items():
        way = m.ways[k][w]
        begun[k].append(x)
        for s, count in way.placement:
            for t in range(a, a + way.slots):
                holding[s, t].append(count * x)
    for (_, s, t), held in m.held.items():
        holding[s, t].append(held)
    for j in m.spans:
        begun[m.kind_of[j]].append(m.spans[j])
    m.undone = pyo.Var([k for k, terms in begun.items() if not terms], bounds=(0, 0))
    for k, never in m.undone.items():  # it fits in no way: a row that no solution satisfies
        begun[k].append(never)
    m.once = pyo.Constraint(
        list(m.kinds), rule=lambda m, k: pyo.quicksum(begun[k]) == len(m.kinds[k])
    )
    m.capacity = pyo.Constraint(
        [key for key, terms in holding.items() if terms],
        rule=lambda m, s, t: (
            pyo.quicksum(holding[s, t])
            <= instance.servers[s].gpus * (m.used[t] if t in m.used else 1)  # noqa: SIM401
        ),
    )
    _tails(m)


def _tails(m: Any) -> None:
    """A slot in which a job runs, or before it ends, is used; stronger than by eq. (2) alone."""
    tails: dict[tuple[int, int], list[Any]] = {}
    for (k, w, a), x in m.x.items():
        if len(m.kinds[k]) == 1:
            for t in range(m.lower, a + m.ways[k][w].slots):
                tails.setdefault((k, t), []).append(x)
    m.tail = pyo.Constraint(
        list(tails), rule=lambda m, k, t: pyo.quicksum(tails[k, t]) <= m.used[t]
    )


def _read(m: Any, instance: Instance) -> Schedule:
    """Starts and placements, rounded, and the makespan that the model claims for them."""
    starts, placements = [0] * len(instance.jobs), [Placement()] * len(instance.jobs)
    waiting = {}
    for k, jobs in m.kinds.items():
        wide = [j for j in jobs if j in m.spans and round(m.spans[j].value)]
        for j in wide:
            starts[j], placements[j] = spanning.read(m, j)
        waiting[k] = [j for j in jobs if j not in wide]
    for (k, w, a), begun in m.x.items():
        for _ in range(round(begun.value)):
            j = waiting[k].pop()
            starts[j], placements[j] = a, m.ways[k][w].placement
    return claimed(instance, starts, placements, round(m.makespan.value))


def _start(m: Any, instance: Instance, schedule: Schedule) -> None:
    """Set every variable from a checked schedule, after equal jobs and servers were renamed."""
    schedule = _renamed(m, instance, schedule)
    for variable in m.component_data_objects(pyo.Var):
        variable.set_value(0, skip_validation=True)
    m.makespan.set_value(schedule.makespan)
    for t, used in m.used.items():
        used.set_value(int(t < schedule.makespan))
    for k, jobs in m.kinds.items():
        way_of = {way.placement: w for w, way in enumerate(m.ways[k])}
        for j in jobs:
            if schedule.placements[j] in way_of:
                begun = m.x[k, way_of[schedule.placements[j]], schedule.starts[j]]
                begun.set_value(begun.value + 1)
    spanning.start(m, instance, schedule)


def _renamed(m: Any, instance: Instance, schedule: Schedule) -> Schedule:
    """Equal servers named by first use, equal jobs with those that span first, in order."""
    starts, placements = list(schedule.starts), list(schedule.placements)
    name: dict[int, int] = {}
    free = {
        gpus: iter([s for s in m.S if instance.servers[s].gpus == gpus])
        for gpus in {server.gpus for server in instance.servers}
    }
    for jobs in m.kinds.values():
        order = sorted(jobs, key=lambda j: (len(placements[j]) == 1, starts[j]))
        moved = [(schedule.starts[j], schedule.placements[j]) for j in order]
        for j, (begin, placement) in zip(jobs, moved, strict=True):
            for s, _ in placement:
                if s not in name:
                    name[s] = next(free[instance.servers[s].gpus])
            starts[j] = begin
            placements[j] = tuple(sorted((name[s], count) for s, count in placement))
    return Schedule(tuple(starts), tuple(placements), schedule.makespan)
