"""The textbook linearization on HiGHS, against brute force; and how a solve ends."""

import dataclasses

import pyomo.environ as pyo
import pytest
from conftest import jobs_of_slots, tiny

from benchmarks.brute_force import brute_force
from formulations import Bracket, find_formulation
from instances.families import find_family
from instances.schedule import Schedule
from solvers.backends import find_backend
from solvers.bracket import find_bracket
from solvers.judge import judged, round_up
from solvers.result import Limits, Result
from solvers.solve import solve_exact


def solve(instance, **limits):
    return solve_exact(instance, "linearized", "highs", {}, Limits(**limits))


@pytest.mark.parametrize("block", range(10))
def test_agrees_with_brute_force_on_300_tiny_instances(block):
    for seed in range(30 * block, 30 * block + 30):
        instance = tiny(seed, jobs=2 + seed % 3, servers=1 + seed % 3)
        truth = brute_force(instance)
        result = solve(instance)
        if truth is None:
            assert result.status == "infeasible"
        else:
            assert (result.status, result.makespan) == ("optimal", truth.makespan), instance.name
            assert result.bound == result.makespan


def test_the_rate_selector_is_binary():
    program = find_formulation("linearized").program(tiny(0), find_bracket(tiny(0)), None)
    assert all(variable.is_binary() for variable in program.model.rate.values())


def test_a_start_from_a_checked_schedule_satisfies_every_constraint():
    for seed in range(30):
        instance = tiny(seed, jobs=4, servers=3)
        bracket = find_bracket(instance)
        if bracket.incumbent is None:
            continue
        program = find_formulation("linearized").program(instance, bracket, None)
        program.start(bracket.incumbent)
        for constraint in program.model.component_data_objects(pyo.Constraint):
            assert constraint.slack() >= -1e-9, (seed, constraint.name)
        read = program.read()
        assert (read.starts, read.placements) == (
            bracket.incumbent.starts,
            bracket.incumbent.placements,
        )
        assert read.makespan == bracket.incumbent.makespan


def test_threads_1_2_4_one_after_another_give_one_makespan():
    instance = find_family("uniform").generate(0, {"jobs": 4, "servers": 2})
    results = [solve(instance, threads=threads, time=60) for threads in (1, 2, 4)]
    assert {result.status for result in results} == {"optimal"}
    assert len({result.makespan for result in results}) == 1


def test_a_time_limit_without_incumbent_gives_no_solution_and_no_numbers():
    instance = find_family("contended").generate(0, {"jobs": 8, "servers": 3})
    without_start = Bracket(1, 60, None)
    program = find_formulation("linearized").program(instance, without_start, None)
    highs = find_backend("highs")
    outcome = highs.solve_program(program, Limits(time=0.05), highs.options())
    assert (outcome.termination, outcome.schedule) == ("limit", None)
    row = judged(instance, Result("i", "f", {}, "no_solution"), None, outcome.bound)
    assert (row.status, row.makespan, row.gap, row.schedule) == ("no_solution", None, None, None)


def test_optimal_is_exact_although_the_default_gap_of_highs_is_not():
    # 12001 against 12000 slots is within HiGHS's default relative gap of 1e-4.
    instance = jobs_of_slots([1, 1], [(1, 1)], horizon=20)
    result = Result("i", "f", {}, "no_solution")
    schedule = Schedule((1,), (((0, 1),),), 2)
    within_gap = judged(instance, result, schedule, bound=1.0002)
    assert (within_gap.status, within_gap.bound) == ("optimal", 2)
    not_proven = judged(instance, result, schedule, bound=1.0)
    assert (not_proven.status, not_proven.bound) == ("feasible", 1)


def test_a_makespan_below_a_claimed_bound_is_wrong_not_a_ratio_below_1():
    instance = jobs_of_slots([1], [(1, 2)], horizon=20)
    schedule = Schedule((0,), (((0, 1),),), 2)
    claimed = judged(instance, Result("i", "f", {}, "no_solution"), schedule, bound=3.0)
    assert claimed.status == "wrong"
    bracket = Bracket(2, 2, schedule)
    against = judged(instance, Result("i", "f", {}, "no_solution"), None, 3.0, bracket)
    assert against.status == "wrong"


def test_bounds_are_rounded_up_and_integers_within_tolerance_kept():
    assert [round_up(b) for b in (11.2, 11.0000003, 10.9999997, 11.0)] == [12, 11, 11, 11]


def test_integers_that_come_back_as_floats_are_rounded_not_truncated():
    instance = jobs_of_slots([2], [(2, 3)], horizon=5)
    program = find_formulation("linearized").program(instance, Bracket(3, 5, None), None)
    program.start(Schedule((1,), (((0, 2),),), 4))
    m = program.model
    m.y[0, 0].set_value(1.9999991)
    m.begin[0, 1].set_value(0.9999991)
    m.begin[0, 0].set_value(-7e-7, skip_validation=True)
    m.makespan.set_value(3.9999991, skip_validation=True)
    assert program.read() == Schedule((1,), (((0, 2),),), 4)


def test_values_left_in_a_model_are_not_taken_for_a_solution():
    # The start is optimal and stays in the variables, but the horizon admits no solution.
    instance = jobs_of_slots([1], [(1, 2), (1, 3)], horizon=5)
    found = find_bracket(instance)
    cut = dataclasses.replace(instance, horizon=4)
    result = solve(cut)
    assert found.incumbent.makespan == 5
    assert (result.status, result.makespan, result.schedule) == ("infeasible", None, None)


def test_graham_is_solved():
    for gpus in (2, 3):
        result = solve(find_family("graham").generate(0, {"gpus": gpus}))
        assert (result.status, result.makespan) == ("optimal", gpus)


def test_what_is_fractional_in_time_is_one_and_the_same_for_model_and_checker():
    # 12 iterations at 5 a slot are 2.4 slots: 3 in the model, in the heuristics and in the checker.
    job = dataclasses.replace(jobs_of_slots([1], [(1, 12)]).jobs[0], backward_time=0.2)
    instance = dataclasses.replace(jobs_of_slots([1], [(1, 12)]), jobs=(job,))
    assert solve(instance).makespan == find_bracket(instance).incumbent.makespan == 3
