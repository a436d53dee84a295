"""Eqs. (14)-(16): bisection and direct minimisation agree, and bound the makespan."""

import itertools

import pytest
from conftest import jobs_of_slots, tiny

from benchmarks.brute_force import brute_force
from benchmarks.metrics import outcome
from solvers.load_program import bisected_load, least_load, load_feasible
from solvers.result import Limits
from solvers.solve import solve_exact


def by_enumeration(instance):
    """Every choice of G_j of the GPUs, job by job."""
    gpus = range(sum(server.gpus for server in instance.servers))
    choices = [list(itertools.combinations(gpus, job.gpus)) for job in instance.jobs]

    def load(chosen):
        rhohat = instance.timing.shortest
        return max(sum(r for r, c in zip(rhohat, chosen, strict=True) if g in c) for g in gpus)

    return min(map(load, itertools.product(*choices)))


@pytest.mark.parametrize("block", range(4))
def test_both_ways_agree_on_200_instances_and_bound_the_optimum(block):
    solved = 0
    for seed in range(50 * block, 50 * block + 50):
        instance = tiny(seed, jobs=2 + seed % 3, servers=1 + seed % 3)
        theta = least_load(instance)
        assert theta == bisected_load(instance), seed
        optimum = brute_force(instance)
        if optimum is not None:
            solved += 1
            assert theta <= optimum.makespan, seed
    assert solved >= 40


def test_the_aggregated_model_is_exact():
    for seed in range(20):
        instance = tiny(seed, jobs=3, servers=2, gpus_per_server=2)
        assert least_load(instance) == by_enumeration(instance), seed
    # equal jobs that need distinct GPUs: 3 jobs of 2 GPUs on 3 GPUs
    equal = jobs_of_slots([3], [(2, 5)] * 3)
    assert least_load(equal) == by_enumeration(equal) == 10


def test_feasible_from_theta_on_and_not_below():
    instance = jobs_of_slots([2], [(1, 3), (1, 3), (1, 2), (1, 2), (1, 2)])
    assert [load_feasible(instance, theta) for theta in (5, 6, 7)] == [False, True, True]
    uneven = jobs_of_slots([2], [(1, 4), (1, 4), (1, 4), (1, 1)])  # 13 / 2 is 7, but 8 is needed
    assert [load_feasible(uneven, theta) for theta in (6, 7, 8)] == [False, False, True]


def test_a_row_has_a_bound_and_no_schedule():
    instance = jobs_of_slots([2], [(1, 4), (1, 4), (1, 4), (1, 1)])
    row = solve_exact(instance, "load", "highs", {}, Limits())
    assert (row.status, row.bound, row.makespan, row.schedule) == ("no_solution", 8, None, None)
    assert not row.proven
    # neither an unsolved run nor an optimum, whereas a real timeout stays one
    assert outcome(row.document()) == "skipped"
    timeout = row.document() | {"method": row.method | {"formulation": "linearized"}}
    assert outcome(timeout) == "timeout"
