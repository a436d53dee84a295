"""The textbook MILP: time-indexed, with one-hot selection of the rate phi_j(h, p).

The optimum is that of RAR-DDLS, eqs. (1)-(9). Contention levels enter through the selector
``rate``, which must be binary: rates are convex in p, and a fractional mix of levels would buy
speed that does not exist.

The model is a relaxation only in that a job may run slower, or longer, than it must. That is exact:
with the same starts and placements the true rates are at least as high, so every job truly ends no
later, which takes no capacity and no bandwidth from anybody (f does not decrease).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from formulations import Bracket, Program
from formulations._activity import unroll
from formulations._reading import claimed
from instances.instance import Instance
from instances.schedule import Schedule


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The model over slots 0..upper-1: no better schedule needs more."""
    m = pyo.ConcreteModel("linearized")
    _declare(m, instance, bracket)
    _placement(m, instance)
    _activity(m)
    _capacity(m, instance)
    _contention(m, instance)
    _progress(m, instance)
    m.objective = pyo.Objective(expr=m.makespan)

    def start(schedule: Schedule) -> None:
        _start(m, instance, schedule)

    return Program(m, "MILP", lambda: _read(m, instance), start)


def _declare(m: Any, instance: Instance, bracket: Bracket) -> None:
    """Sets and variables."""
    timing, wide = instance.timing, range(1, instance.timing.max_level + 1)
    m.J, m.S = range(len(instance.jobs)), range(len(instance.servers))
    m.T = range(bracket.upper)
    m.H = {
        j: range(timing.fewest_servers[j], min(job.gpus, len(m.S)) + 1)
        for j, job in enumerate(instance.jobs)
    }
    m.HP = {j: [(h, p) for h in m.H[j] for p in (wide if h > 1 else (0,))] for j in m.J}
    m.spanning = [j for j in m.J if m.H[j][-1] > 1]
    # A job that starts later than this cannot complete within the slots.
    starts = [(j, a) for j in m.J for a in range(bracket.upper - timing.shortest[j] + 1)]

    m.begin = pyo.Var(starts, domain=pyo.Binary)
    m.runs = pyo.Var(m.J, m.T, domain=pyo.Binary)
    m.y = pyo.Var(
        m.J,
        m.S,
        domain=pyo.NonNegativeIntegers,
        bounds=lambda m, j, s: (0, min(instance.jobs[j].gpus, instance.servers[s].gpus)),
    )
    m.uses = pyo.Var(m.J, m.S, domain=pyo.Binary)
    m.width = pyo.Var([(j, h) for j in m.J for h in m.H[j]], domain=pyo.Binary)
    m.held = pyo.Var(m.J, m.S, m.T, domain=pyo.NonNegativeReals)
    m.contends = pyo.Var(m.spanning, m.S, m.T, domain=pyo.NonNegativeReals)
    m.rate = pyo.Var(
        [(j, t, h, p) for j in m.J for t in m.T for h, p in m.HP[j]], domain=pyo.Binary
    )
    m.makespan = pyo.Var(domain=pyo.Integers, bounds=(bracket.lower, bracket.upper))


def _placement(m: Any, instance: Instance) -> None:
    """Where the workers sit: eqs. (1) and (5), and the number h of servers used."""
    m.workers = pyo.Constraint(
        m.J, rule=lambda m, j: sum(m.y[j, s] for s in m.S) == instance.jobs[j].gpus
    )
    m.used = pyo.Constraint(m.J, m.S, rule=lambda m, j, s: m.y[j, s] <= m.y[j, s].ub * m.uses[j, s])
    m.unused = pyo.Constraint(m.J, m.S, rule=lambda m, j, s: m.y[j, s] >= m.uses[j, s])
    m.one_width = pyo.Constraint(m.J, rule=lambda m, j: sum(m.width[j, h] for h in m.H[j]) == 1)
    m.servers_used = pyo.Constraint(
        m.J,
        rule=lambda m, j: sum(m.uses[j, s] for s in m.S) == sum(h * m.width[j, h] for h in m.H[j]),
    )


def _activity(m: Any) -> None:
    """One contiguous run from the start slot: eqs. (3) and (4), no preemption."""
    m.one_begin = pyo.Constraint(
        m.J, rule=lambda m, j: sum(m.begin[j, a] for a in m.T if (j, a) in m.begin) == 1
    )
    m.contiguous = pyo.Constraint(
        m.J,
        m.T,
        rule=lambda m, j, t: (
            m.runs[j, t] - (m.runs[j, t - 1] if t else 0) <= (_or_zero(m.begin, (j, t)))
        ),
    )
    m.completion = pyo.Constraint(
        m.J, m.T, rule=lambda m, j, t: m.makespan >= (t + 1) * m.runs[j, t]
    )


def _capacity(m: Any, instance: Instance) -> None:
    """Eq. (2), with the product y_js active_jt linearised.

    ``held`` is bounded from below only: holding more than y_js frees nothing.
    """
    m.holds = pyo.Constraint(
        m.J,
        m.S,
        m.T,
        rule=lambda m, j, s, t: m.held[j, s, t] >= m.y[j, s] - m.y[j, s].ub * (1 - m.runs[j, t]),
    )
    m.capacity = pyo.Constraint(
        m.S,
        m.T,
        rule=lambda m, s, t: sum(m.held[j, s, t] for j in m.J) <= instance.servers[s].gpus,
    )


def _contention(m: Any, instance: Instance) -> None:
    """Eq. (6): the level selected is at least the spanning jobs active on each server used."""

    def alone(m: Any, j: int) -> Any:
        return _or_zero(m.width, (j, 1))

    # Some, but not all, of j's workers are on s. Bounded from below only: contending more than
    # one does slows others and speeds up nobody.
    m.contending = pyo.Constraint(
        m.spanning,
        m.S,
        m.T,
        rule=lambda m, j, s, t: (
            m.contends[j, s, t] >= m.uses[j, s] + m.runs[j, t] - 1 - alone(m, j)
        ),
    )

    # A server's spanning jobs each hold a GPU there, so no more than `most` matter.
    def level(m: Any, j: int, s: int, t: int) -> Any:
        most = min(instance.servers[s].gpus, len(m.spanning))
        selected = sum(p * m.rate[j, t, h, p] for h, p in m.HP[j])
        slack = (1 - m.uses[j, s]) + (1 - m.runs[j, t]) + alone(m, j)
        return sum(m.contends[i, s, t] for i in m.spanning) <= selected + most * slack

    m.level = pyo.Constraint(m.spanning, m.S, m.T, rule=level)


def _progress(m: Any, instance: Instance) -> None:
    """Eqs. (7)-(9): one rate in every active slot, and F_j iterations in total."""
    m.one_rate = pyo.Constraint(
        m.J,
        m.T,
        rule=lambda m, j, t: sum(m.rate[j, t, h, p] for h, p in m.HP[j]) == m.runs[j, t],
    )
    m.rate_of_width = pyo.Constraint(
        [(j, t, h) for j in m.J for t in m.T for h in m.H[j]],
        rule=lambda m, j, t, h: (
            sum(m.rate[j, t, g, p] for g, p in m.HP[j] if g == h) <= m.width[j, h]
        ),
    )
    m.iterations = pyo.Constraint(
        m.J,
        rule=lambda m, j: (
            sum(instance.timing.rate(j, h, p) * m.rate[j, t, h, p] for t in m.T for h, p in m.HP[j])
            >= instance.jobs[j].iterations
        ),
    )


def _or_zero(variable: Any, index: Any) -> Any:
    """The variable at `index`, or 0 where it does not exist."""
    return variable[index] if index in variable else 0  # noqa: SIM401 (an IndexedVar has no get)


def _read(m: Any, instance: Instance) -> Schedule:
    """Starts and placements, rounded, and the makespan that the model claims for them."""
    starts = [
        max((a for a in m.T if (j, a) in m.begin), key=lambda a: m.begin[j, a].value) for j in m.J
    ]
    placements = [
        tuple((s, round(m.y[j, s].value)) for s in m.S if round(m.y[j, s].value)) for j in m.J
    ]
    return claimed(instance, starts, placements, round(m.makespan.value))


def _start(m: Any, instance: Instance, schedule: Schedule) -> None:
    """Set every variable from a checked schedule, the makespan included."""
    activity = unroll(instance, schedule)
    for variable in m.component_data_objects(pyo.Var):
        variable.set_value(0, skip_validation=True)
    m.makespan.set_value(schedule.makespan)
    for j, placement in enumerate(schedule.placements):
        h = len(placement)
        m.begin[j, schedule.starts[j]].set_value(1)
        m.width[j, h].set_value(1)
        for s, count in placement:
            m.y[j, s].set_value(count)
            m.uses[j, s].set_value(1)
        for t in range(schedule.starts[j], activity.completion[j]):
            m.runs[j, t].set_value(1)
            m.rate[j, t, h, activity.level[j, t]].set_value(1)
            for s, count in placement:
                m.held[j, s, t].set_value(count)
                if h > 1:
                    m.contends[j, s, t].set_value(1)
