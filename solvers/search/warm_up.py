"""Compile everything that the search calls, before there is a run to be timed."""

from __future__ import annotations

from formulations import Bracket
from instances.families import find_family
from solvers.bracket import narrowed
from solvers.search.driver import make_costs, search
from solvers.search.tables import find_kinds, gpu_prices, make_problem


def warm_up() -> None:
    """Price, schedule and search a tiny instance: under a minute once, well under a second then."""
    instance = find_family("tiny").generate(0, {"jobs": 2, "servers": 2})
    narrowed(instance, Bracket(0, instance.horizon, None), None, 0)
    kinds = find_kinds(instance)
    problem = make_problem(instance, kinds)
    costs = make_costs(problem, 1, [gpu_prices(problem)])
    search(instance, kinds, problem, costs, (1, instance.horizon + 1), 4096, lambda: False)


if __name__ == "__main__":
    warm_up()
