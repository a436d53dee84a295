"""The checker refuses whatever breaks a constraint, and nothing else."""

import copy
import subprocess
import sys

import pytest
from conftest import jobs_of_slots, tiny
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from instances.checker import check
from instances.schedule import Schedule
from instances.simulator import simulate
from solvers.heuristics import find_heuristic


def correct(seed):
    instance = tiny(seed)
    heuristic = find_heuristic("longest-first")
    schedule = heuristic.schedule(instance, heuristic.options(), 0)
    assume(schedule is not None)
    return instance, schedule


def set_start(value):
    return lambda d, i, job: d["jobs"][job].update(start=value(i))


def set_count(value):
    def mutate(d, i, job):
        gpus = d["jobs"][job]["gpus"]
        server = next(iter(gpus))
        gpus[server] = value(gpus[server])

    return mutate


def all_on_first_server(d, i, job):
    for entry, data in zip(d["jobs"].values(), i.jobs, strict=True):
        entry.update(start=0, gpus={i.servers[0].id: data.gpus})
    assume(sum(data.gpus for data in i.jobs) > i.servers[0].gpus)


def rename_server(d, i, job):
    gpus = d["jobs"][job]["gpus"]
    gpus["elsewhere"] = gpus.pop(next(iter(gpus)))


def empty_server(d, i, job):
    unused = [s.id for s in i.servers if s.id not in d["jobs"][job]["gpus"]]
    assume(unused)
    d["jobs"][job]["gpus"][unused[0]] = 0


def borrowed_worker(d, i, job):
    gpus = d["jobs"][job]["gpus"]
    unused = [s.id for s in i.servers if s.id not in gpus]
    assume(unused)
    gpus[next(iter(gpus))] += 1
    gpus[unused[0]] = -1


MUTATIONS = {
    "overfull server": all_on_first_server,
    "missing worker": set_count(lambda count: count - 1),
    "extra worker": set_count(lambda count: count + 1),
    "fraction of a worker": set_count(lambda count: count + 0.5),
    "worker as text": set_count(str),
    "worker as truth value": set_count(lambda count: True if count == 1 else None),
    "borrowed worker": borrowed_worker,
    "empty server": empty_server,
    "unknown server": rename_server,
    "servers as a list": lambda d, i, job: d["jobs"][job].update(gpus=["s0"]),
    "wrong makespan": lambda d, i, job: d.update(makespan=d["makespan"] + 1),
    "smaller makespan": lambda d, i, job: d.update(makespan=d["makespan"] - 1),
    "makespan as a float": lambda d, i, job: d.update(makespan=float(d["makespan"])),
    "makespan left out": lambda d, i, job: d.pop("makespan"),
    "wrong fingerprint": lambda d, i, job: d.update(fingerprint="0" * 64),
    "job missing": lambda d, i, job: d["jobs"].pop(job),
    "extra job": lambda d, i, job: d["jobs"].update(other=d["jobs"][job]),
    "jobs as a list": lambda d, i, job: d.update(jobs=[]),
    "negative start": set_start(lambda i: -1),
    "beyond the horizon": set_start(lambda i: i.horizon),
    "far beyond the horizon": set_start(lambda i: 10**15),
    "start between slots": set_start(lambda i: 0.5),
    "start as truth value": set_start(lambda i: False),
    "start left out": lambda d, i, job: d["jobs"][job].pop("start"),
}


@pytest.mark.parametrize("kind", MUTATIONS)
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 200), choice=st.integers(0, 99))
def test_every_broken_constraint_is_refused(kind, seed, choice):
    instance, schedule = correct(seed)
    document = schedule.document(instance)
    assert check(instance.document(), document).feasible
    mutated = copy.deepcopy(document)
    MUTATIONS[kind](mutated, instance, instance.jobs[choice % len(instance.jobs)].id)
    verdict = check(instance.document(), mutated)
    assert not verdict.feasible
    assert verdict.violations


@settings(deadline=None, max_examples=200)
@given(seed=st.integers(0, 200), shift=st.integers(-4, 6), choice=st.integers(0, 99))
def test_shifted_start_is_judged_as_capacity_and_completion_demand(seed, shift, choice):
    instance, schedule = correct(seed)
    job = choice % len(instance.jobs)
    starts = list(schedule.starts)
    starts[job] += shift
    assume(starts[job] >= 0)
    shifted = Schedule(tuple(starts), schedule.placements, schedule.makespan)
    completion = simulate(instance, starts, schedule.placements)
    good = max(completion) == schedule.makespan <= instance.horizon and all(
        sum(
            count
            for j, placement in enumerate(schedule.placements)
            for s, count in placement
            if s == server and starts[j] <= slot < completion[j]
        )
        <= instance.servers[server].gpus
        for server in range(len(instance.servers))
        for slot in range(max(completion))
    )
    assert check(instance.document(), shifted.document(instance)).feasible == good


def test_touching_jobs_do_not_overlap():
    instance = jobs_of_slots([1], [(1, 3), (1, 2)])
    schedule = Schedule((0, 3), (((0, 1),), ((0, 1),)), 5)
    verdict = check(instance.document(), schedule.document(instance))
    assert verdict.feasible
    assert verdict.completion == {"j0": 3, "j1": 5}
    assert verdict.makespan == 5


def test_overlap_by_one_slot_is_seen():
    instance = jobs_of_slots([1], [(1, 3), (1, 2)])
    schedule = Schedule((0, 2), (((0, 1),), ((0, 1),)), 4)
    verdict = check(instance.document(), schedule.document(instance))
    assert verdict.violations == ("server s0: 2 GPUs used in slot 2, has 1 (2)",)


@pytest.mark.parametrize("garbage", [None, 3, [], "x", {}, {"jobs": None}, {"jobs": {"j0": 3}}])
def test_what_is_no_schedule_is_reported_not_raised(garbage):
    assert not check(tiny(0).document(), garbage).feasible


def test_checking_imports_no_pyomo_and_no_solver():
    code = (
        "import sys, instances.checker, instances.files; "
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('pyomo', 'highspy', 'solvers', 'formulations', 'pyscipopt', 'gurobipy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
