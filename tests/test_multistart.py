"""List scheduling from many orders: what it claims is what the simulator and the checker find."""

import numpy as np
import pytest
from conftest import jobs_of_slots

from formulations import Bracket
from instances.families import find_family
from instances.simulator import simulate
from solvers.judge import verdict_on
from solvers.multistart import improved, read_board
from solvers.search.orders import Plan, make_board, place_in_order
from solvers.search.tables import find_kinds, make_problem

CASES = [
    ("uniform", {"jobs": 9, "servers": 3}),
    ("fragmented", {"jobs": 12, "servers": 4}),
    ("contended", {"jobs": 10, "servers": 4}),
    ("calibrated", {"jobs": 16, "servers": 3, "gpus_per_server": 4}),
]


def excess_of(instance, schedule, target):
    completions = simulate(instance, schedule.starts, schedule.placements)
    pairs = zip(instance.jobs, completions, strict=True)
    return sum(job.gpus * max(0, completion - target) for job, completion in pairs)


def unknown(instance):
    return Bracket(0, instance.horizon, None)


@pytest.mark.parametrize(("family", "settings"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_compiled_makespans_are_those_of_the_checker(family, settings, seed):
    instance = find_family(family).generate(seed, settings)
    kinds = find_kinds(instance)
    problem = make_problem(instance, kinds)
    board, random = make_board(problem), np.random.default_rng(seed)
    jobs = board.kind.size
    spanned = 0
    for _ in range(30):
        spreads, avoids = random.integers(0, 2, jobs), random.integers(0, 2, jobs)
        plan = Plan(random.random(jobs), spreads, avoids)
        order = np.argsort(-plan.rank)
        excess, makespan = place_in_order(problem, board, plan, order, 5, 10**9)
        schedule = read_board(instance, kinds, board)
        verdict = verdict_on(instance, schedule)
        assert schedule.makespan == makespan
        assert verdict.makespan == makespan
        assert excess == excess_of(instance, schedule, 5)
        assert {v.kind for v in verdict.violations} <= {"horizon"}
        spanned += sum(len(placement) > 1 for placement in schedule.placements)
    assert spanned


def test_avoiding_waits_for_quiet_links():
    instance = find_family("contended").generate(0, {"jobs": 6, "servers": 3, "min_gpus": 6})
    kinds = find_kinds(instance)
    problem = make_problem(instance, kinds)
    board, rank = make_board(problem), np.arange(6.0)
    nobody, all_jobs = np.zeros(6, dtype=np.int64), np.ones(6, dtype=np.int64)
    place_in_order(problem, board, Plan(rank, nobody, all_jobs), np.argsort(-rank), 0, 10**9)
    assert len(set(board.starts.tolist())) == 6


def test_a_plan_beyond_the_limit_is_given_up():
    instance = jobs_of_slots([2], [(2, 5), (2, 5)])
    problem = make_problem(instance, find_kinds(instance))
    board, jobs = make_board(problem), np.zeros(2, dtype=np.int64)
    plan = Plan(np.zeros(2), jobs, jobs)
    assert place_in_order(problem, board, plan, np.arange(2), 7, 6) == (6, 10)
    assert place_in_order(problem, board, plan, np.arange(2), 7, 5)[0] == 6


def test_a_seed_gives_one_schedule_and_no_worse_bracket():
    instance = find_family("fragmented").generate(0, {"jobs": 12, "servers": 4})
    one, again = (improved(instance, unknown(instance), 7) for _ in range(2))
    assert one.incumbent == again.incumbent
    assert improved(instance, one, -3).upper <= one.upper


def test_it_ends_where_the_bound_is_met():
    instance = jobs_of_slots([2, 2], [(1, 3)] * 4 + [(2, 2)] * 2)
    bracket = improved(instance, Bracket(5, instance.horizon, None), 0)
    assert bracket.settled
    assert improved(instance, bracket, 1) == bracket


def test_a_horizon_that_is_too_short_leaves_the_bracket_as_it_was():
    instance = jobs_of_slots([2], [(2, 3), (1, 2), (2, 3)], horizon=7)
    assert improved(instance, unknown(instance), 0) == unknown(instance)
