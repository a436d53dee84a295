"""Heuristics: what they claim is true, and they are the paper's."""

import dataclasses

import pytest
from conftest import jobs_of_slots, tiny

from instances.errors import InputError
from instances.families import find_family
from solvers.dispatch import Cluster
from solvers.heuristics import find_heuristic, heuristic_names
from solvers.heuristics.sjf_bco import Options, distinct_kappas, search
from solvers.judge import verdict_on
from solvers.load_limit import search_limit
from solvers.result import Limits
from solvers.solve import solve_heuristic


@pytest.mark.parametrize("name", heuristic_names())
def test_the_makespan_claimed_is_the_checkers_on_300_instances(name):
    heuristic = find_heuristic(name)
    scheduled = 0
    for seed in range(300):
        instance = tiny(seed, jobs=2 + seed % 5, servers=1 + seed % 3)
        schedule = heuristic.schedule(instance, heuristic.options(), seed)
        if schedule is not None:
            scheduled += 1
            assert verdict_on(instance, schedule).violations == ()
    assert scheduled >= 200


@pytest.mark.parametrize("name", heuristic_names())
def test_same_seed_same_schedule(name):
    instance = find_family("uniform").generate(1, {"jobs": 12})
    runs = [solve_heuristic(instance, name, {}, Limits(seed=5)).schedule for _ in range(2)]
    assert runs[0] == runs[1] is not None


@pytest.mark.parametrize("name", heuristic_names())
def test_an_unknown_option_is_refused_with_the_likely_one(name):
    with pytest.raises(InputError, match="unknown option 'ordr'"):
        solve_heuristic(tiny(0), name, {"ordr": "sjf"}, Limits())


@pytest.mark.parametrize("bisection", ["as-printed", "tightest"])
@pytest.mark.parametrize("fa_ffp", ["least-loaded", "packing"])
def test_distinct_kappas_are_the_full_loop(bisection, fa_ffp):
    options = Options(bisection=bisection, fa_ffp=fa_ffp)
    families = ["tiny", "uniform", "fragmented", "contended"]
    for seed in range(50):
        settings = {} if seed % 4 == 0 else {"jobs": 6 + seed % 3, "servers": 3}
        instance = find_family(families[seed % 4]).generate(seed, settings)
        widest = max(job.gpus for job in instance.jobs)
        full = search(instance, options, range(1, widest + 1))
        assert search(instance, options, distinct_kappas(instance)) == full


def test_line_4_at_the_largest_kappa_is_list_scheduling_of_shortest_first():
    scheduled = 0
    for seed in range(100):
        instance = tiny(seed, jobs=5)
        kappa = max(job.gpus for job in instance.jobs)
        ours = find_heuristic("sjf-bco").schedule(instance, Options(kappa=kappa), 0)
        ls = find_heuristic("list-scheduling")
        assert ours == ls.schedule(instance, ls.options(order="sjf"), 0)
        scheduled += ours is not None
    assert scheduled >= 50


@pytest.mark.parametrize("gpus", [2, 3, 4])
def test_graham_makes_sjf_bco_almost_twice_the_optimum(gpus):
    instance = find_family("graham").generate(0, {"gpus": gpus})
    assert instance.known.optimum == gpus
    assert solve_heuristic(instance, "sjf-bco", {}, Limits()).makespan == 2 * gpus - 1
    assert solve_heuristic(instance, "longest-first", {}, Limits()).makespan == gpus


@pytest.mark.parametrize("gpus", [2, 4, 8])
def test_sjf_trap_costs_half_the_optimum(gpus):
    instance = find_family("sjf-trap").generate(0, {"gpus": gpus})
    optimum = instance.known.optimum
    assert solve_heuristic(instance, "sjf-bco", {}, Limits()).makespan * 2 == optimum * 3


def test_a_break_makes_the_limit_infeasible_not_a_schedule_with_a_job_missing():
    # As printed, the partial makespan of 1 would be returned, without the job of 2 slots.
    instance = jobs_of_slots([2], [(1, 1), (1, 1), (1, 2)], horizon=10)
    result = solve_heuristic(instance, "sjf-bco", {}, Limits())
    assert result.makespan == 3
    assert set(result.schedule["jobs"]) == {"j0", "j1", "j2"}


def test_tightest_finds_the_smallest_limit_and_as_printed_does_not():
    instance = jobs_of_slots([1], [(1, 2), (1, 3)], horizon=100)
    printed, tightest = (
        search(instance, Options(bisection=kind), [1]) for kind in ("as-printed", "tightest")
    )
    assert tightest.limit == 5
    assert printed.limit == 50
    assert printed.schedule.makespan == tightest.schedule.makespan == 5


def test_limits_visited_are_those_of_the_bisection_as_printed():
    visited = []

    def never(limit):
        visited.append(limit)
        return []

    assert search_limit(jobs_of_slots([1], [(1, 1)], horizon=10), "as-printed", never) is None
    assert visited == [5, 8, 9, 10]


def test_a_makespan_of_the_horizon_is_infeasible_for_the_paper_but_not_for_the_checker():
    instance = jobs_of_slots([1], [(1, 2), (1, 3)], horizon=5)
    assert solve_heuristic(instance, "sjf-bco", {}, Limits()).status == "no_solution"
    assert solve_heuristic(instance, "longest-first", {}, Limits()).makespan == 5


def test_packing_fills_servers_in_use_fullest_first():
    instance = jobs_of_slots([4, 4], [(1, 5), (1, 5), (1, 5)])
    result = solve_heuristic(instance, "sjf-bco", {"fa-ffp": "packing", "kappa": 1}, Limits())
    assert {tuple(entry["gpus"]) for entry in result.schedule["jobs"].values()} == {("s0",)}


def test_wide_jobs_take_the_fewest_least_loaded_servers():
    instance = jobs_of_slots([2, 2, 2], [(1, 4), (3, 2)])
    result = solve_heuristic(instance, "sjf-bco", {"kappa": 1}, Limits())
    assert result.schedule["jobs"]["j1"] == {"start": 0, "gpus": {"s1": 2, "s2": 1}}


def test_longest_first_backfills_and_keeps_to_one_server():
    # The 2-GPU job waits for a whole server; the last one overtakes it.
    instance = jobs_of_slots([2, 2], [(1, 9), (1, 8), (2, 4), (1, 2)])
    result = solve_heuristic(instance, "longest-first", {}, Limits())
    jobs = result.schedule["jobs"]
    assert [len(entry["gpus"]) for entry in jobs.values()] == [1, 1, 1, 1]
    assert result.makespan == 9


def test_gpus_are_numbered_server_by_server():
    cluster = Cluster(jobs_of_slots([2, 3], [(1, 1)]), [0])
    assert cluster.server_of == (0, 0, 1, 1, 1)
    assert cluster.placement([1, 2, 4]) == ((0, 1), (1, 2))


def test_cost_does_not_depend_on_durations():
    short = jobs_of_slots([2], [(1, 2), (2, 3), (1, 4)])
    long = jobs_of_slots([2], [(1, 2 * 10**9), (2, 3 * 10**9), (1, 4 * 10**9)])
    for name in heuristic_names():
        heuristic = find_heuristic(name)
        small, large = (
            heuristic.schedule(instance, heuristic.options(), 0) for instance in (short, long)
        )
        assert large == dataclasses.replace(
            small,
            starts=tuple(start * 10**9 for start in small.starts),
            makespan=small.makespan * 10**9,
        )
