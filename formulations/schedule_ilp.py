"""The paper's reformulation, eqs. (10)-(13): choose one of the enumerated joint schedules.

Exact by enumeration; `formulations._joint` says which schedules are left out and why the optimum
stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pyomo.environ as pyo
from pydantic import Field

from formulations import Bracket, Program
from formulations._joint import JointSchedules, State
from formulations._reading import claimed
from instances.instance import Instance
from instances.schedule import Schedule


@dataclass(frozen=True)
class Options:
    limit: Annotated[int, Field(ge=1)] = 5_000


def build(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The program over Y; raises TooLarge where more than `options.limit` schedules are left."""
    enumeration = JointSchedules(instance, bracket.upper)
    schedules = enumeration.reduced(options.limit)
    everything = enumeration.count(options.limit)
    ends = [[run.end for run in state if run and run.end is not None] for state in schedules]
    m = pyo.ConcreteModel("schedule-ilp")
    m.J, m.K = range(len(instance.jobs)), range(max(1, len(schedules)))
    m.x = pyo.Var(m.J, m.K, domain=pyo.Binary)  # (13)
    m.makespan = pyo.Var(domain=pyo.Integers, bounds=(bracket.lower, bracket.upper))
    m.one = pyo.Constraint(m.J, rule=lambda m, j: sum(m.x[j, k] for k in m.K) == 1)  # (11)
    m.same = pyo.Constraint(  # (12)
        m.J, m.K, rule=lambda m, j, k: m.x[j, k] == m.x[0, k] if j else pyo.Constraint.Skip
    )
    m.longest = pyo.Constraint(  # (10); a_j(y^k) + rho_j(y^k) is the completion time
        m.J,
        rule=lambda m, j: m.makespan >= sum(end[j] * m.x[j, k] for k, end in enumerate(ends)),
    )
    m.objective = pyo.Objective(expr=m.makespan)
    if not schedules:
        m.x.setub(0)  # Y is empty, and (11) cannot hold

    def start(schedule: Schedule) -> None:
        _start(m, ends)

    before = "more than can be counted" if everything is None else str(everything)
    message = f"|Y| = {len(schedules)}, {before} before symmetric and dominated ones were left out"
    return Program(m, "MILP", lambda: _read(m, instance, schedules), start, message)


def _read(m: Any, instance: Instance, schedules: list[State]) -> Schedule:
    """The joint schedule that all jobs chose."""
    runs = [run for run in schedules[max(m.K, key=lambda k: m.x[0, k].value)] if run is not None]
    placements = [tuple((s, n) for s, n in enumerate(run.row) if n) for run in runs]
    return claimed(instance, [run.start for run in runs], placements, round(m.makespan.value))


def _start(m: Any, ends: list[list[int]]) -> None:
    """Choose the worst of Y, since all of it is as good as the incumbent."""
    for variable in m.x.values():
        variable.set_value(0)
    worst = max(range(len(ends)), key=lambda k: max(ends[k]))
    for j in m.J:
        m.x[j, worst].set_value(1)
    m.makespan.set_value(max(ends[worst]))
