"""The enumerated set Y, and the program over it."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.brute_force import brute_force, every_placement
from formulations._joint import JointSchedules
from instances.degradations.linear import Degradation as Linear
from instances.errors import TooLarge
from instances.families import find_family
from instances.generation import Draft, assemble
from instances.instance import Job, Network
from instances.simulator import simulate
from solvers.result import Limits
from solvers.solve import solve_exact


def drawn(seed, jobs, servers, gpus, twins):
    """A tiny instance; with `twins` all servers and pairs of jobs are equal."""
    parameters = {"jobs": jobs, "servers": servers, "gpus_per_server": gpus}
    instance = find_family("tiny").generate(seed, parameters)
    if not twins:
        return instance
    picked = [Job(f"j{i}", *fields(instance.jobs[i // 2])) for i in range(jobs)]
    return assemble(
        Draft([gpus] * servers, picked, instance.network, instance.reduce_speed), "x", "x", None, {}
    )


def fields(job):
    return (
        job.gpus, job.iterations, job.gradient_size, job.batch_size, job.forward_time,
        job.backward_time,
    )  # fmt: skip


sizes = (st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3), st.integers(1, 2))


@given(*sizes, st.booleans())
@settings(deadline=None)
def test_the_optimum_stays_in_what_is_left(seed, jobs, servers, gpus, twins):
    instance = drawn(seed, jobs, servers, gpus, twins)
    optimum = brute_force(instance).makespan
    left = JointSchedules(instance, optimum).reduced(10_000)
    assert {max(run.end for run in state) for state in left} == {optimum}
    assert JointSchedules(instance, optimum - 1).reduced(10_000) == []


@given(st.integers(0, 10**6), st.integers(1, 2), st.integers(1, 3), st.booleans())
@settings(deadline=None, max_examples=30)
def test_y_is_what_the_definition_says(seed, jobs, servers, twins):
    instance = drawn(seed, jobs, servers, 2, twins)
    slots = brute_force(instance).makespan + 1
    everything = set(all_schedules(instance, slots))
    enumeration = JointSchedules(instance, slots)
    left = {as_decisions(state) for state in enumeration.reduced(10_000)}
    assert enumeration.count(10_000) == len(everything)
    undominated = {schedule for schedule in everything if not dominated(instance, *schedule)}
    assert left <= undominated
    orbits = {representative(instance, schedule) for schedule in undominated}
    assert {representative(instance, schedule) for schedule in left} == orbits


def all_schedules(instance, slots):
    """Every feasible (starts, placements), by trying all and simulating each."""
    choices = [every_placement(instance, job.gpus) for job in instance.jobs]
    for starts in itertools.product(range(slots), repeat=len(instance.jobs)):
        for placements in itertools.product(*choices):
            ends = simulate(instance, starts, placements)
            if ends and max(ends) <= slots and fits(instance, starts, ends, placements):
                yield starts, placements


def fits(instance, starts, ends, placements):
    return all(
        sum(
            dict(placement).get(s, 0)
            for start, end, placement in zip(starts, ends, placements, strict=True)
            if start <= t < end
        )
        <= server.gpus
        for t in range(max(ends))
        for s, server in enumerate(instance.servers)
    )


def dominated(instance, starts, placements):
    """Whether some job could start a slot earlier on idle GPUs and slow nobody in that slot."""
    ends = simulate(instance, starts, placements)
    for j, start in enumerate(starts):
        active = [i for i, a in enumerate(starts) if i != j and a <= start - 1 < ends[i]]
        idle = [server.gpus for server in instance.servers]
        for i in active:
            for s, count in placements[i]:
                idle[s] -= count
        spanning = {s for i in active if len(placements[i]) > 1 for s, _ in placements[i]}
        contends = len(placements[j]) > 1 and spanning & dict(placements[j]).keys()
        if start > 0 and not contends and all(n <= idle[s] for s, n in placements[j]):
            return True
    return False


def as_decisions(state):
    placements = (tuple((s, n) for s, n in enumerate(run.row) if n) for run in state)
    return tuple(run.start for run in state), tuple(placements)


def representative(instance, schedule):
    """The least image of a schedule under all exchanges of equal servers and of equal jobs."""
    starts, placements = schedule
    data = [fields(job) for job in instance.jobs]
    images = []
    for servers in itertools.permutations(range(len(instance.servers))):
        if any(instance.servers[s].gpus != instance.servers[u].gpus for s, u in enumerate(servers)):
            continue
        moved = [tuple(sorted((servers[s], n) for s, n in placement)) for placement in placements]
        images.append(sorted(zip(map(str, data), starts, moved, strict=True)))
    return str(min(images))


def test_the_row_reports_the_size_of_y():
    instance = find_family("tiny").generate(9, {"jobs": 3})
    result = solve_exact(instance, "schedule-ilp", "highs", {}, Limits(time=60))
    assert (result.status, result.makespan) == ("optimal", brute_force(instance).makespan)
    assert result.message.startswith("|Y| = ")
    assert result.warm_start is True


def test_a_large_y_is_refused_with_the_count_reached():
    instance = find_family("tiny").generate(9, {"jobs": 3})
    result = solve_exact(instance, "schedule-ilp", "highs", {"limit": "2"}, Limits(time=60))
    assert (result.status, result.makespan) == ("too_large", None)
    assert "refused at" in result.message
    with pytest.raises(TooLarge, match="refused at 3 joint schedules"):
        JointSchedules(instance, instance.horizon).reduced(2)


def test_an_empty_y_is_infeasible():
    jobs = [Job(f"j{i}", 1, f, 0.0, 1, 0.0, 1.0) for i, f in enumerate((2, 2, 2))]
    network = Network(10.0, 1.0, 1.0, 0.0, Linear(0.0))
    instance = assemble(Draft([2], jobs, network, 1.0, horizon=3), "x", "x", None, {})
    result = solve_exact(instance, "schedule-ilp", "highs", {}, Limits(time=60))
    assert result.status == "infeasible"
