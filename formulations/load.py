"""The load program, eqs. (14)-(16): the smallest theta_u; no time, a bound on the makespan.

Choose G_j GPUs for each job such that no GPU carries more than theta_u slots of estimated work.
The estimate is rhohat_j = ``timing.shortest``: it never exceeds the true time, so u = 1, and a GPU
works on one job at a time, so the smallest theta_u is at most the makespan of any schedule.

Two aggregations, both exact. (14)-(16) do not see servers, so all GPUs are equal and may be sorted
by load. Jobs with equal G_j and rhohat_j are one kind: if GPU g carries n_g of its n jobs, with
n_g <= n and sum n_g = n G_j, the jobs can take their GPUs in turn, each G_j of them with most left
to carry, and none takes a GPU twice (Gale-Ryser).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyomo.environ as pyo

from formulations import Bracket, Objective, Program
from instances.bounds import simple_bound
from instances.instance import Instance

MINIMISES: Objective = "load"


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The direct minimisation; theta_u is at most `bracket.upper`."""
    kinds = Counter(
        (job.gpus, rhohat)
        for job, rhohat in zip(instance.jobs, instance.timing.shortest, strict=True)
    )
    gpus = instance.total_gpus
    m = pyo.ConcreteModel("load")
    m.K, m.G = list(kinds), range(gpus)
    m.carries = pyo.Var(
        m.K,
        m.G,
        domain=pyo.NonNegativeIntegers,
        bounds=lambda m, width, rhohat, g: (0, kinds[width, rhohat]),
    )
    m.theta = pyo.Var(domain=pyo.Integers, bounds=(simple_bound(instance), bracket.upper))
    m.work = pyo.Expression(
        m.G, rule=lambda m, g: sum(rhohat * m.carries[w, rhohat, g] for w, rhohat in m.K)
    )
    m.workers = pyo.Constraint(  # (15): G_j GPUs for every job
        m.K, rule=lambda m, w, r: sum(m.carries[w, r, g] for g in m.G) == w * kinds[w, r]
    )
    m.limit = pyo.Constraint(m.G, rule=lambda m, g: m.work[g] <= m.theta)  # (14)
    m.sorted = pyo.Constraint(range(1, gpus), rule=lambda m, g: m.work[g] <= m.work[g - 1])
    m.objective = pyo.Objective(expr=m.theta)
    return Program(m, "MILP", lambda: None, message="minimises the load: the bound is all it gives")
