"""RAR-DDLS, eqs. (1)-(9), as the paper states it: a non-convex integer program.

The model is a relaxation only in that a job may run slower, or longer, than it must. That is exact:
with the same starts and placements the true rates are at least as high, so every job truly ends no
later, which takes no capacity and no bandwidth from anybody (f does not decrease). Hence every
quantity that slows jobs down (indicators, contention, 1/B) needs a bound from below alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pyomo.environ as pyo

from formulations import Bracket, Program
from formulations._activity import unroll
from formulations._reading import claimed
from instances.errors import Unsupported
from instances.instance import Instance
from instances.schedule import Schedule
from instances.timing import exact

SMALLEST_EXCESS = 1e-8
"""Below it solvers were seen to fail: SCIP and Gurobi are right at 4e-9, not at 4e-10."""


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The program over slots 0..upper-1: no better schedule needs more."""
    m = pyo.ConcreteModel("nonconvex")
    m.J, m.S = range(len(instance.jobs)), range(len(instance.servers))
    m.T = range(bracket.upper)
    _placement(m, instance)
    _contention(m, instance)
    _speed(m, instance)
    m.makespan = pyo.Var(domain=pyo.Integers, bounds=(bracket.lower, bracket.upper))
    m.completion = pyo.Constraint(
        m.J, m.T, rule=lambda m, j, t: m.makespan >= (t + 1) * m.runs[j, t]
    )
    m.objective = pyo.Objective(expr=m.makespan)

    def start(schedule: Schedule) -> None:
        _start(m, instance, schedule)

    return Program(m, "MINLP", lambda: _read(m, instance), start)


def _placement(m: Any, instance: Instance) -> None:
    """y_js[t] and the slots in which each job is active, eqs. (1)-(5)."""
    jobs, servers = instance.jobs, instance.servers
    m.y = pyo.Var(
        m.J,
        m.S,
        m.T,
        domain=pyo.NonNegativeIntegers,  # (5)
        bounds=lambda m, j, s, t: (0, min(jobs[j].gpus, servers[s].gpus)),
    )
    m.runs = pyo.Var(m.J, m.T, domain=pyo.Binary)
    m.begin = pyo.Var(m.J, m.T, domain=pyo.Binary)
    m.one_begin = pyo.Constraint(m.J, rule=lambda m, j: sum(m.begin[j, t] for t in m.T) == 1)
    m.contiguous = pyo.Constraint(  # no preemption: activity rises once, at the start slot
        m.J,
        m.T,
        rule=lambda m, j, t: m.runs[j, t] - (m.runs[j, t - 1] if t else 0) <= m.begin[j, t],
    )
    m.workers = pyo.Constraint(  # (1), and (4) where the job is not active
        m.J,
        m.T,
        rule=lambda m, j, t: sum(m.y[j, s, t] for s in m.S) == jobs[j].gpus * m.runs[j, t],
    )
    m.capacity = pyo.Constraint(  # (2)
        m.S, m.T, rule=lambda m, s, t: sum(m.y[j, s, t] for j in m.J) <= servers[s].gpus
    )
    m.no_migration = pyo.Constraint(  # (3), while the job is active
        m.J,
        m.S,
        list(pairwise(m.T)),
        rule=lambda m, j, s, t, u: m.runs[j, t] * m.runs[j, u] * (m.y[j, s, u] - m.y[j, s, t]) == 0,
    )


def _contention(m: Any, instance: Instance) -> None:
    """p_j[t], eq. (6), and the servers that each job uses."""
    jobs = instance.jobs
    m.shares = pyo.Var(  # 1{0 < y_js[t] < G_j}
        m.J, m.S, m.T, domain=pyo.Binary, bounds=lambda m, j, s, t: (0, int(jobs[j].gpus > 1))
    )
    m.uses = pyo.Var(m.J, m.S, domain=pyo.Binary)  # 1{0 < y_js}, in whatever slot
    m.p = pyo.Var(m.J, m.T, domain=pyo.NonNegativeIntegers, bounds=(0, instance.timing.max_level))
    m.indicator = pyo.Constraint(  # y (G - y) is positive exactly where 0 < y < G
        m.J,
        m.S,
        m.T,
        rule=lambda m, j, s, t: (
            m.y[j, s, t] * (jobs[j].gpus - m.y[j, s, t])
            <= (jobs[j].gpus ** 2 // 4) * m.shares[j, s, t]
            if jobs[j].gpus > 1
            else pyo.Constraint.Skip
        ),
    )
    m.fewest = pyo.Constraint(  # redundant, for the solver
        m.J, rule=lambda m, j: sum(m.uses[j, s] for s in m.S) >= instance.timing.fewest_servers[j]
    )
    m.used = pyo.Constraint(
        m.J, m.S, m.T, rule=lambda m, j, s, t: m.y[j, s, t] <= m.y[j, s, t].ub * m.uses[j, s]
    )
    m.level = pyo.Constraint(  # the maximum over the servers that j uses
        m.J,
        m.S,
        m.T,
        rule=lambda m, j, s, t: (
            m.p[j, t] >= m.shares[j, s, t] * sum(m.shares[i, s, t] for i in m.J)
        ),
    )


def _speed(m: Any, instance: Instance) -> None:
    """phi_j[t] = floor(1 / tau_j[t]) and F_j iterations in total, eqs. (7)-(9)."""
    network, jobs = instance.network, instance.jobs
    m.scale = {j: _Scale.of(instance, j) for j in m.J}
    m.k = pyo.Var(
        m.J, m.T, bounds=(1, max(1.0, network.xi1 * instance.timing.max_level))
    )  # max(1, xi1 p)
    m.b = pyo.Var(m.J, m.T, bounds=lambda m, j, t: _slowdowns(instance))  # b_e / B
    m.phi = pyo.Var(
        m.J,
        m.T,
        domain=pyo.NonNegativeIntegers,
        # More than F_j in a slot is no use; tau is least alone on the fewest servers that hold j.
        bounds=lambda m, j, t: (0, min(jobs[j].iterations, math.floor(1 / m.scale[j].least_tau))),
    )
    m.contending = pyo.Constraint(
        m.J, m.T, rule=lambda m, j, t: m.k[j, t] >= network.xi1 * m.p[j, t]
    )
    m.bandwidth = pyo.Constraint(  # (7): B = b_e / f where j has some but not all workers on s
        m.J,
        m.S,
        m.T,
        rule=lambda m, j, s, t: (
            m.scale[j].factor * m.b[j, t]
            >= m.scale[j].factor * m.shares[j, s, t] * network.degradation.expression(m.k[j, t])
        ),
    )
    m.floor = pyo.Constraint(  # phi tau <= 1 with phi integer; tau as in (8)
        m.J,
        m.T,
        rule=lambda m, j, t: (
            m.scale[j].factor * m.phi[j, t] * _tau(m, instance, j, t)
            <= m.scale[j].factor * m.scale[j].limit
        ),
    )
    m.shortest = pyo.Constraint(  # redundant, for the solver: no job beats its best rate
        m.J,
        rule=lambda m, j: (
            sum(m.runs[j, t] for t in m.T) >= math.ceil(jobs[j].iterations / m.phi[j, 0].ub)
        ),
    )
    m.iterations = pyo.Constraint(  # (9)
        m.J,
        rule=lambda m, j: sum(m.phi[j, t] * m.runs[j, t] for t in m.T) >= jobs[j].iterations,
    )


def _tau(m: Any, instance: Instance, j: int, t: int) -> Any:
    """tau_j[t], eq. (8), with 1/B = b_e/B / b_e."""
    job, network = instance.jobs[j], instance.network
    share = exact(job.gradient_size) * (job.gpus - 1) / job.gpus
    compute = exact(job.forward_time) * job.batch_size + exact(job.backward_time)
    return (
        float(2 * share / exact(network.inter_bandwidth)) * m.b[j, t]
        + network.xi2 * sum(m.uses[j, s] for s in m.S)
        + float(share / exact(instance.reduce_speed) + compute)
    )


def _slowdowns(instance: Instance) -> tuple[float, float]:
    """Range of b_e / B: from b_e / b_i inside a server to f where every job contends."""
    network = instance.network
    worst = network.degradation.factor(Fraction(instance.timing.max_level))
    return float(exact(network.inter_bandwidth) / exact(network.intra_bandwidth)), float(worst)


@dataclass(frozen=True)
class _Scale:
    """What keeps the solvers' tolerances away from the floor.

    An integer phi with phi tau > 1 has phi tau >= 1 + d, where d > 0 is the least excess over the
    values that tau can take. The constraint allows 1 + d/2, so that neither side is near it, and
    is multiplied by `factor`, so that d/2 is far more than a tolerance.
    """

    limit: float
    factor: float
    least_tau: Fraction

    @classmethod
    def of(cls, instance: Instance, j: int) -> _Scale:
        timing = instance.timing
        hosts = min(instance.jobs[j].gpus, len(instance.servers))
        taus = [timing.tau(j, 1, 0)] + [
            timing.tau(j, h, p)
            for h in range(2, hosts + 1)
            for p in range(1, len(instance.jobs) + 1)
        ]
        excess = min((math.floor(1 / tau) + 1) * tau - 1 for tau in taus)
        if excess < SMALLEST_EXCESS:
            raise Unsupported(
                f"job {instance.jobs[j].id}: floor(1/tau) is decided by {float(excess):.1e} of a "
                f"slot, less than the {SMALLEST_EXCESS:.0e} that solvers in floating point can tell"
            )
        fewest = timing.fewest_servers[j]
        least = timing.tau(j, fewest, int(fewest > 1))
        return cls(float(1 + excess / 2), max(1.0, 1e-3 / float(excess)), least)


def _read(m: Any, instance: Instance) -> Schedule:
    """Starts and placements, rounded, and the makespan that the model claims for them."""
    starts = [max(m.T, key=lambda t, j=j: m.begin[j, t].value) for j in m.J]  # type: ignore[misc]
    placements = [
        tuple((s, round(m.y[j, s, a].value)) for s in m.S if round(m.y[j, s, a].value))
        for j, a in enumerate(starts)
    ]
    return claimed(instance, starts, placements, round(m.makespan.value))


def _start(m: Any, instance: Instance, schedule: Schedule) -> None:
    """Set every variable from a checked schedule, the makespan included."""
    activity = unroll(instance, schedule)
    for variable in m.component_data_objects(pyo.Var):
        variable.set_value(0, skip_validation=True)
    m.makespan.set_value(schedule.makespan)
    for j, placement in enumerate(schedule.placements):
        m.begin[j, schedule.starts[j]].set_value(1)
        for s, _ in placement:
            m.uses[j, s].set_value(1)
        for t in m.T:
            level = activity.level.get((j, t), 0)
            m.p[j, t].set_value(level)
            m.k[j, t].set_value(max(1.0, instance.network.xi1 * level))
            slowdown = pyo.value(instance.network.degradation.expression(m.k[j, t]))
            m.b[j, t].set_value(slowdown if level else m.b[j, t].lb)
        for t in range(schedule.starts[j], activity.completion[j]):
            m.runs[j, t].set_value(1)
            rate = math.floor(m.scale[j].limit / pyo.value(_tau(m, instance, j, t)))
            m.phi[j, t].set_value(min(rate, m.phi[j, t].ub))
            for s, count in placement:
                m.y[j, s, t].set_value(count)
                m.shares[j, s, t].set_value(int(len(placement) > 1))
