"""Compile everything that the search calls, before there is a run to be timed."""

from __future__ import annotations

import numpy as np

from instances.families import find_family
from solvers.search.driver import make_costs, search
from solvers.search.pricing import dearest_configuration
from solvers.search.profiles import cheapest_profile
from solvers.search.stack import make_stack
from solvers.search.tables import find_kinds, gpu_prices, make_problem


def warm_up() -> None:
    """Search and price a tiny instance: half a minute once, well under a second from then on."""
    instance = find_family("tiny").generate(0, {"jobs": 2, "servers": 2})
    kinds = find_kinds(instance)
    problem = make_problem(instance, kinds)
    prices = gpu_prices(problem)
    span = (1, instance.horizon + 1)
    search(instance, kinds, problem, make_costs(problem, 1, [prices]), span, 4096, lambda: False)
    stack, found = make_stack(problem, 0, 2), np.zeros_like(prices.price)
    dearest_configuration(problem, prices.price, stack, found, 1000)
    slots, work = np.zeros(prices.price.shape[2]), np.zeros(int(problem.iterations.max()) + 1)
    cheapest_profile(problem, 0, prices.price.astype(np.float64), slots, work)


if __name__ == "__main__":
    warm_up()
