"""What is known before an exact method begins: simple bounds and the best heuristic schedule."""

from __future__ import annotations

from dataclasses import replace

from formulations import Bracket
from instances.bounds import simple_bound
from instances.instance import Instance
from instances.schedule import Schedule
from solvers.heuristics import find_heuristic, heuristic_names
from solvers.judge import verdict_on


def find_bracket(instance: Instance) -> Bracket:
    """Run every heuristic with its defaults; keep the best schedule that the checker approves."""
    best: Schedule | None = None
    for name in heuristic_names():
        heuristic = find_heuristic(name)
        schedule = heuristic.schedule(instance, heuristic.options(), 0)
        if schedule is None or (best is not None and schedule.makespan >= best.makespan):
            continue
        if verdict_on(instance, schedule).feasible:
            best = schedule
    upper = instance.horizon if best is None else best.makespan
    return Bracket(simple_bound(instance), upper, best)


def narrowed(instance: Instance, bracket: Bracket, limit: float | None, seed: int) -> Bracket:
    """The best of many orders and, unless it is optimal, the configuration bound and its prices.

    These take no more than a share of `limit` seconds.

    Raises
    ------
    Unsupported
        Where phi increases with contention or with the number of servers.
    """
    from solvers.configuration_bound import configuration_tariff, pricing_seconds  # loads numba
    from solvers.multistart import improved

    bracket = improved(instance, bracket, seed)
    if bracket.settled:
        return bracket
    tariff, _ = configuration_tariff(instance, pricing_seconds(limit), bracket.upper)
    return replace(bracket, lower=max(bracket.lower, tariff.bound), tariff=tariff)
