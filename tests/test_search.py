"""The exact search: against brute force, against its own rules, and under limits."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import jobs_of_slots

from benchmarks.brute_force import brute_force
from formulations import Bracket
from instances.bounds import simple_bound
from instances.errors import Unsupported
from instances.families import find_family
from solvers.backends.search import Options, solve_instance
from solvers.configuration_bound import configuration_bound
from solvers.result import Limits
from solvers.search import tables
from solvers.search.placements import next_placement
from solvers.search.tables import find_kinds, make_problem
from solvers.solve import solve_exact


def searched(instance, **limits):
    return solve_exact(instance, None, "search", {}, Limits(**limits))


def blind(instance):
    """The search without a heuristic to start from and without more than the simple bounds."""
    bracket = Bracket(simple_bound(instance), instance.horizon, None)
    return solve_instance(instance, bracket, Limits(), Options())


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("tiny", {"jobs": 4, "servers": 3, "gpus_per_server": 2}),
        ("contended", {"jobs": 3, "servers": 3, "gpus_per_server": 2, "max_slots": 6}),
        ("contended", {"jobs": 4, "servers": 2, "gpus_per_server": 3, "min_gpus": 2}),
        ("fragmented", {"jobs": 4, "servers": 3, "gpus_per_server": 3, "max_slots": 5}),
        ("uniform", {"jobs": 4, "servers": 2, "gpus_per_server": 3, "max_slots": 5}),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_equals_brute_force(family, settings, seed):
    instance = find_family(family).generate(seed, settings)
    best = brute_force(instance)
    for outcome in (searched(instance), blind(instance)):
        makespan = getattr(outcome, "makespan", None) or outcome.schedule.makespan
        assert (outcome.bound, makespan) == (best.makespan, best.makespan)


@pytest.mark.parametrize(("seed", "optimum"), [(113, 16), (89, 22)])
def test_a_start_between_events_can_be_needed(seed, optimum):
    """Three 6-GPU jobs on 3 servers of 4: schedules with starts at completions only need more."""
    settings = {"jobs": 3, "servers": 3, "min_gpus": 6, "max_gpus": 6, "min_slots": 2}
    instance = find_family("contended").generate(seed, settings | {"max_slots": 9})
    result = searched(instance)
    assert result.proven
    assert result.makespan == optimum
    starts = {entry["start"] for entry in result.schedule["jobs"].values()}
    assert starts - {0} - set(instance_completions(instance, result))


def instance_completions(instance, result):
    from instances.checker import check

    return check(instance.document(), result.schedule).completion.values()


def test_a_horizon_that_is_too_short_is_infeasible():
    result = searched(jobs_of_slots([2], [(2, 3), (1, 2), (2, 3)], horizon=7))
    assert result.status == "infeasible"
    assert result.makespan is None


def test_equal_jobs_and_servers_are_met_once():
    instance = jobs_of_slots([2, 2, 2], [(1, 3)] * 13 + [(2, 5)] * 2)
    result = searched(instance)
    assert result.proven
    assert result.makespan == max(simple_bound(instance), 11)


def test_time_limit_keeps_bound_and_incumbent():
    instance = find_family("uniform").generate(2, {"jobs": 40, "servers": 8})
    result = searched(instance, time=0.5)
    assert result.status == "feasible"
    assert simple_bound(instance) <= result.bound < result.makespan


def test_a_small_memo_changes_no_answer():
    instance = find_family("contended").generate(0, {"jobs": 8, "servers": 3, "min_gpus": 2})
    large = solve_exact(instance, None, "search", {}, Limits())
    small = solve_exact(instance, None, "search", {"memo-mb": 1}, Limits())
    assert large.proven
    assert large.makespan == small.makespan


def test_rates_that_increase_are_refused(monkeypatch):
    instance = find_family("contended").generate(0, {})
    rate = instance.timing.rate
    monkeypatch.setattr(instance.timing, "rate", lambda j, h, p: rate(j, h, 1) + p)
    with pytest.raises(Unsupported, match="increases"):
        make_problem(instance, find_kinds(instance))
    assert blind(instance).termination == "unsupported"


def test_placements_come_once_each_and_in_order():
    free, twin = np.array([2, 3, 1]), np.array([-1, -1, -1])
    found, placement, inclusive = [], np.array([5, 0, 0]), True
    for servers in (1, 2, 3):
        placement[:], inclusive = (5, 0, 0), True
        while next_placement(placement, 4, servers, free, twin, inclusive):
            found.append(tuple(placement.tolist()))
            inclusive = False
    assert found == [(2, 2, 0), (1, 3, 0), (0, 3, 1), (2, 1, 1), (1, 2, 1)]


def test_interchangeable_servers_take_gpus_in_order():
    free, twin = np.array([2, 2, 2]), np.array([-1, 0, 1])
    placement, found, inclusive = np.array([5, 0, 0]), [], True
    while next_placement(placement, 4, 3, free, twin, inclusive):
        found.append(tuple(placement.tolist()))
        inclusive = False
    assert found == [(2, 1, 1)]


def test_warming_up_compiles_all_that_a_run_calls():
    """So that no run is charged, or killed, for the compiler's half minute."""
    script = """
import sys
from numba.core.registry import CPUDispatcher
from instances.families import find_family
from solvers.result import Limits
from solvers.backends import search
from solvers.search.warm_up import warm_up
from solvers.solve import solve_exact

def compiled():
    modules = [m for name, m in list(sys.modules.items()) if name.startswith("solvers.")]
    found = {(m.__name__, name): f for m in modules for name, f in vars(m).items()}
    return {key: len(f.signatures) for key, f in found.items() if isinstance(f, CPUDispatcher)}

warm_up()
before = compiled()
result = solve_exact(find_family("contended").generate(0, {}), None, "search", {}, Limits())
assert result.proven and before and before == compiled(), compiled()
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("seed", range(5))
def test_the_configuration_bound_is_above_the_simple_one_and_below_the_optimum(seed):
    settings = {"jobs": 5, "servers": 3, "gpus_per_server": 4}
    instance = find_family("contended").generate(seed, settings)
    bound, _ = configuration_bound(instance, 60.0)
    assert simple_bound(instance) <= bound <= searched(instance).makespan


@pytest.mark.parametrize("seed", range(4))
def test_coarse_costs_prune_nothing_that_matters(seed, monkeypatch):
    """Work in units of many iterations: bounds may sink, and no answer changes."""
    instance = find_family("contended").generate(seed, {"jobs": 5, "servers": 3})
    fine, bound = searched(instance), configuration_bound(instance, 60.0)[0]
    monkeypatch.setattr(tables, "TABLE_LIMIT", 40)
    assert tables.coarsened(make_problem(instance, find_kinds(instance)))[1] > 1
    coarse = searched(instance)
    assert fine.proven and coarse.proven
    assert coarse.makespan == fine.makespan
    assert configuration_bound(instance, 60.0)[0] <= bound
