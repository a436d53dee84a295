"""The oracle against optima that are known by hand, and against the checker."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.brute_force import brute_force, every_placement, uncontended
from instances.degradations.linear import Degradation as Linear
from instances.errors import TooLarge
from instances.families import find_family
from instances.generation import Draft, assemble
from instances.instance import Job, Network
from solvers.judge import verdict_on


def instance_of(servers, jobs, horizon=None, inter_bandwidth=1.0):
    """Jobs are (gpus, iterations, gradient size); an iteration takes half a slot of work."""
    drawn = [Job(f"j{i}", g, f, m, 1, 0.0, 0.5) for i, (g, f, m) in enumerate(jobs)]
    network = Network(10.0, inter_bandwidth, 1.0, 0.0, Linear(0.0))
    return assemble(Draft(servers, drawn, network, 1e9, horizon), "x", "x", None, {})


def test_three_jobs_on_one_server():
    assert brute_force(instance_of([2], [(1, 2, 0.0), (1, 2, 0.0), (1, 4, 0.0)])).makespan == 2


def test_touching_jobs_do_not_overlap():
    instance = instance_of([1], [(1, 6, 0.0), (1, 4, 0.0)])
    found = brute_force(instance)
    assert found.makespan == 5
    assert sorted(found.starts) in ([0, 2], [0, 3])


def test_contention_is_avoided_where_it_can_be():
    assert brute_force(instance_of([2, 2], [(2, 3, 0.36), (2, 3, 0.36)])).makespan == 3


def test_jobs_that_must_share_a_link_run_in_turn_unless_contention_is_off():
    # tau = 0.98 alone and 1.46 together: phi = 1 and 0; any two placements share a server
    instance = instance_of([2, 2, 2], [(3, 4, 0.36), (3, 4, 0.36)])
    assert brute_force(instance).makespan == 8
    assert brute_force(instance, uncontended(instance)).makespan == 4


def test_none_where_the_horizon_admits_no_schedule():
    jobs = [(1, 6, 0.0), (1, 4, 0.0)]
    assert brute_force(instance_of([1], jobs, horizon=4)) is None
    assert brute_force(instance_of([1], jobs, horizon=5)).makespan == 5


def test_refuses_beyond_its_limit():
    with pytest.raises(TooLarge, match="more than 10 states"):
        brute_force(instance_of([2], [(1, 6, 0.0)] * 3), limit=10)


def test_every_placement():
    assert every_placement(instance_of([2, 1, 2], [(1, 1, 0.0)]), 3) == [
        ((1, 1), (2, 2)), ((0, 1), (2, 2)), ((0, 1), (1, 1), (2, 1)), ((0, 2), (2, 1)),
        ((0, 2), (1, 1)),
    ]  # fmt: skip


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
def test_the_checker_approves_and_no_slot_less_is_enough(seed, jobs, servers, gpus):
    settings = {"jobs": jobs, "servers": servers, "gpus_per_server": gpus}
    instance = find_family("tiny").generate(seed, settings)
    found = brute_force(instance)
    assert verdict_on(instance, found).feasible
    if found.makespan > 1:
        shorter = dataclasses.replace(instance, horizon=found.makespan - 1)
        assert brute_force(shorter) is None
