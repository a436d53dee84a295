"""CP-SAT's model against brute force, and its start."""

import pytest

from benchmarks.brute_force import brute_force
from formulations import Bracket
from instances.bounds import simple_bound
from instances.families import find_family
from solvers.backends.cpsat import Options, solve_instance
from solvers.result import Limits
from solvers.solve import solve_exact

CASES = [
    ("tiny", {"jobs": 4, "servers": 3, "gpus_per_server": 2}),
    ("contended", {"jobs": 3, "servers": 3, "gpus_per_server": 2, "max_slots": 5}),
    ("fragmented", {"jobs": 4, "servers": 2, "gpus_per_server": 3, "max_slots": 5}),
]


@pytest.mark.parametrize(("family", "settings"), CASES)
@pytest.mark.parametrize("seed", range(6))
def test_equals_brute_force_without_a_start(family, settings, seed):
    instance = find_family(family).generate(seed, settings)
    blind = Bracket(simple_bound(instance), instance.horizon, None)
    outcome = solve_instance(instance, blind, Limits(), Options())
    optimum = brute_force(instance).makespan
    assert (outcome.bound, outcome.schedule.makespan) == (optimum, optimum)
    assert outcome.warm_start is None


def test_takes_the_heuristic_schedule_as_a_start():
    instance = find_family("contended").generate(0, {"jobs": 4, "servers": 3})
    result = solve_exact(instance, None, "cpsat", {}, Limits(time=5))
    assert result.warm_start
    assert result.makespan is not None
