"""The configuration LP with all its columns: a lower bound on the makespan.

A configuration is a set of jobs that can run together in one slot, each on h servers at level p. A
schedule gives every slot a configuration, and every job slots that add up to a profile of it.
Fewest slots such that configurations cover profiles, both in fractions, is therefore at most the
makespan. The order of slots is forgotten, and that a job must not pause or move.

All columns are enumerated here; solvers/configuration_bound.py generates those it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pyomo.environ as pyo
from pydantic import Field

from formulations import Bracket, Objective, Program
from formulations._configurations import Mode, configurations, profiles
from instances.instance import Instance
from instances.kinds import job_kinds

MINIMISES: Objective = "bound"


@dataclass(frozen=True)
class Options:
    limit: Annotated[int, Field(ge=1)] = 20_000


def build(instance: Instance, bracket: Bracket, options: Options) -> Program:
    """The program; raises TooLarge where more than `options.limit` columns of a sort are met."""
    kinds = job_kinds(instance)
    slots = sorted(configurations(instance, kinds, options.limit))
    ways = [
        (kind, profile)
        for kind, jobs in enumerate(kinds)
        for profile in profiles(instance, kind, jobs[0], options.limit)
    ]
    m = pyo.ConcreteModel("configuration-lp")
    m.C, m.W, m.K = range(len(slots)), range(len(ways)), range(len(kinds))
    m.x = pyo.Var(m.C, domain=pyo.NonNegativeReals)  # slots in a configuration
    m.z = pyo.Var(m.W, domain=pyo.NonNegativeReals)  # jobs done in this way
    m.done = pyo.Constraint(
        m.K,
        rule=lambda m, k: sum(m.z[w] for w in m.W if ways[w][0] == k) == len(kinds[k]),
    )
    offered: dict[Mode, Any] = {}
    for c, configuration in enumerate(slots):
        for mode, jobs in configuration:
            offered[mode] = offered.get(mode, 0) + jobs * m.x[c]
    needed: dict[Mode, Any] = {}
    for w, (_, profile) in enumerate(ways):
        for mode, count in profile:
            needed[mode] = needed.get(mode, 0) + count * m.z[w]
    m.modes = pyo.Constraint(
        sorted(needed), rule=lambda m, *mode: offered.get(mode, 0) >= needed[mode]
    )
    m.slots = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, bracket.upper))
    m.total = pyo.Constraint(expr=m.slots >= sum(m.x.values()))
    m.objective = pyo.Objective(expr=m.slots)
    return Program(
        m, "MILP", lambda: None, message=f"{len(slots)} configurations, {len(ways)} profiles"
    )
