"""The compact MILP against brute force and the search; its start, and what it refuses."""

import pyomo.environ as pyo
import pytest
from conftest import jobs_of_slots, tiny

from benchmarks.brute_force import brute_force
from formulations import Bracket, find_formulation
from instances.families import find_family
from solvers.backends import find_backend
from solvers.bracket import find_bracket, raise_lower
from solvers.configuration_bound import configuration_bound
from solvers.judge import judged
from solvers.result import Limits, Result
from solvers.solve import solve_exact


def solve(instance, backend="highs"):
    return solve_exact(instance, "compact", backend, {}, Limits())


def agrees(instance, backend="highs"):
    """Build and solve without bound, incumbent and start, so that the model does all the work."""
    truth = brute_force(instance)
    known = find_bracket(instance)
    free = Bracket(1, min(known.upper + 1, instance.horizon), None)
    program = find_formulation("compact").program(instance, free, None)
    solver = find_backend(backend)
    outcome = solver.solve_program(program, Limits(), solver.options())
    if truth is None:
        assert outcome.termination == "infeasible", instance.name
        return
    row = judged(instance, Result("i", "f", {}, "no_solution"), outcome.schedule, outcome.bound)
    found = (row.status, row.makespan, row.bound)
    assert found == ("optimal", truth.makespan, truth.makespan), (instance.name, row)


@pytest.mark.parametrize("block", range(10))
def test_agrees_with_brute_force_on_tiny_instances(block):
    for seed in range(30 * block, 30 * block + 30):
        agrees(tiny(seed, jobs=2 + seed % 2, servers=1 + seed % 3))


@pytest.mark.parametrize("backend", ["scip", "cbc"])
def test_agrees_with_brute_force_on_other_backends(backend):
    for seed in range(12):
        agrees(tiny(seed, jobs=2 + seed % 3, servers=1 + seed % 3), backend)


def test_a_start_from_a_checked_schedule_satisfies_every_constraint():
    for seed in range(30):
        instance = tiny(seed, jobs=4, servers=3)
        bracket = find_bracket(instance)
        if bracket.incumbent is None:
            continue
        program = find_formulation("compact").program(instance, bracket, None)
        program.start(bracket.incumbent)
        for constraint in program.model.component_data_objects(pyo.Constraint):
            assert constraint.slack() >= -1e-9, (seed, constraint.name)
        for variable in program.model.component_data_objects(pyo.Var):
            assert variable.lb is None or variable.value >= variable.lb, (seed, variable.name)
            assert variable.ub is None or variable.value <= variable.ub, (seed, variable.name)
        assert program.read().makespan == bracket.incumbent.makespan


def test_the_rate_selector_is_binary():
    instance = find_family("contended").generate(0, {"jobs": 3, "servers": 3})
    program = find_formulation("compact").program(instance, find_bracket(instance), None)
    assert len(program.model.rate) > 0
    assert all(variable.is_binary() for variable in program.model.rate.values())


def test_the_solver_takes_the_start():
    instance = find_family("contended").generate(0, {"jobs": 2, "servers": 3})
    result = solve(instance)
    assert (result.status, result.warm_start) == ("optimal", True)


def test_agrees_with_the_search_on_contended_instances():
    for seed in range(3):
        instance = find_family("contended").generate(seed, {"jobs": 3, "servers": 2})
        searched = solve_exact(instance, None, "search", {}, Limits())
        found = solve(instance)
        assert (found.status, found.makespan) == (searched.status, searched.makespan)


def test_one_server_needs_no_contention():
    instance = jobs_of_slots([2], [(1, 1), (1, 1), (1, 2)], horizon=10)
    program = find_formulation("compact").program(instance, find_bracket(instance), None)
    assert len(program.model.rate) == len(program.model.level) == 0
    assert solve(instance).makespan == 2


def test_the_bracket_has_the_configuration_bound():
    instance = find_family("contended").generate(0, {"jobs": 12, "servers": 4})
    simple = find_bracket(instance)
    raised = raise_lower(instance, simple, None)
    assert raised.lower == configuration_bound(instance, 60)[0] > simple.lower
    assert find_formulation("compact").lower_bound == "configuration"
    assert find_formulation("linearized").lower_bound == "simple"
