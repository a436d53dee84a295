"""The contract that every registered backend keeps, and the licence states of Gurobi."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest
from conftest import jobs_of_slots, tiny

from benchmarks.brute_force import brute_force
from formulations import Bracket, find_formulation
from instances.errors import InputError
from instances.families import find_family
from instances.files import write_json
from instances.schedule import Schedule
from solvers.backends import backend_names, find_backend
from solvers.judge import judged
from solvers.result import Limits, Result
from solvers.solve import solve_exact

BACKENDS = backend_names()


@pytest.fixture(params=BACKENDS)
def backend(request):
    found = find_backend(request.param)
    state = found.availability()
    if not state.usable:
        assert state.reason  # whoever asks is told why
        pytest.skip(f"{found.name}: {state.reason}")
    return found


def solve(backend, instance, settings=None, **limits):
    formulation = "linearized" if backend.needs_model else None
    return solve_exact(instance, formulation, backend.name, settings or {}, Limits(**limits))


def outcome_of(backend, instance, bracket, **limits):
    """What the backend itself says, without the heuristics' bracket and the judge."""
    if not backend.needs_model:
        return backend.solve_instance(instance, bracket, Limits(**limits), backend.options())
    program = find_formulation("linearized").program(instance, bracket, None)
    return backend.solve_program(program, Limits(**limits), backend.options())


def test_takes_models_or_instances(backend):
    assert (backend.solve_program is None) != (backend.solve_instance is None)
    assert backend.needs_model == bool(backend.kinds)
    assert backend.summary and backend.availability().version


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_solves_without_knowing_anything(backend, seed):
    instance = tiny(seed, jobs=3, servers=2)
    truth = brute_force(instance)
    outcome = outcome_of(backend, instance, Bracket(1, instance.horizon, None))
    assert outcome.termination == "optimal"
    row = judged(instance, Result("i", "f", {}, "no_solution"), outcome.schedule, outcome.bound)
    assert (row.status, row.makespan) == ("optimal", truth.makespan)


def test_a_time_limit_without_incumbent_is_no_solution_with_numbers_null(backend):
    instance = find_family("contended").generate(0, {"jobs": 5, "servers": 3, "max_slots": 6})
    outcome = outcome_of(backend, instance, Bracket(1, 12, None), time=0.001)
    if outcome.termination == "licence_limit":
        pytest.skip("too large for the licence")
    assert (outcome.termination, outcome.schedule) == ("limit", None)
    assert outcome.bound is None or 0 <= outcome.bound <= 12
    row = judged(instance, Result("i", "f", {}, "no_solution"), None, outcome.bound)
    document = row.document()
    assert (document["status"], document["proven"]) == ("no_solution", False)
    assert all(document[key] is None for key in ("makespan", "gap", "schedule"))


def test_infeasible(backend):
    # Each job takes the whole cluster for 2 slots, and there are 3.
    instance = jobs_of_slots([1, 1], [(2, 2), (2, 2)], horizon=3)
    outcome = outcome_of(backend, instance, Bracket(1, 3, None))
    assert (outcome.termination, outcome.schedule) == ("infeasible", None)
    row = solve(backend, instance)
    assert (row.status, row.makespan, row.schedule) == ("infeasible", None, None)


def test_a_bad_option_is_bad_input(backend):
    with pytest.raises(InputError, match="unknown option 'no-such-option'"):
        solve(backend, tiny(0), {"no-such-option": "1"})
    for field in dataclasses.fields(backend.options):
        with pytest.raises(InputError, match=field.name):
            solve(backend, tiny(0), {field.name: "neither a number nor a word"})


def test_threads_1_2_4_and_seeds_in_one_process_give_one_makespan(backend):
    instance = tiny(2, jobs=3, servers=3)
    truth = brute_force(instance)
    for threads, seed in ((1, 0), (2, -1), (4, 2**40 + 3)):
        row = solve(backend, instance, threads=threads, seed=seed)
        assert (row.status, row.makespan) == ("optimal", truth.makespan)
        assert (row.threads, row.seed) == (threads, seed)


def test_the_row_says_whether_the_start_was_taken_and_a_bad_one_does_no_harm(
    backend,
):
    instance = tiny(2, jobs=3, servers=3)
    row = solve(backend, instance)
    if not backend.needs_model:
        assert row.warm_start in (None, True)
        return
    assert row.warm_start in (True, False)
    # A start that breaks the capacity is refused by the solver, and the optimum is found.
    tight = jobs_of_slots([1], [(1, 1), (1, 1)], horizon=4)
    program = find_formulation("linearized").program(tight, Bracket(1, 4, None), None)
    program.start(Schedule((0, 0), (((0, 1),), ((0, 1),)), 1))
    outcome = backend.solve_program(program, Limits(), backend.options())
    assert outcome.warm_start is not True
    assert outcome.termination == "optimal"
    assert outcome.schedule.makespan == 2


def test_a_bound_above_a_checked_schedule_is_wrong():
    instance = jobs_of_slots([1], [(1, 1), (1, 1)], horizon=4)
    schedule = Schedule((0, 1), (((0, 1),), ((0, 1),)), 2)
    claimed = judged(
        instance, Result("i", "f", {}, "no_solution"), None, 3.0, Bracket(1, 2, schedule)
    )
    assert claimed.status == "wrong"


def run_gurobi(folder, instance, **environment):
    """One solve through the command line; its stdout must be one JSON object."""
    pytest.importorskip("gurobipy")
    write_json(instance.document(), folder / "i.json")
    words = ["--formulation", "linearized", "--backend", "gurobi", "--json"]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "solve", str(folder / "i.json"), *words],
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_gurobi_solves_what_its_size_limited_licence_allows(tmp_path):
    row = run_gurobi(tmp_path, jobs_of_slots([1], [(1, 1), (1, 2)]))
    assert (row["status"], row["makespan"]) == ("optimal", 3)


def test_gurobi_with_too_large_a_model_is_a_licence_limit(tmp_path):
    state = find_backend("gurobi").availability()
    if "size-limited" not in state.reason:
        pytest.skip("the licence here has no size limit")
    row = run_gurobi(tmp_path, find_family("contended").generate(0, {"jobs": 8}))
    assert row["status"] == "licence_limit"
    assert row["message"]
    assert row["makespan"] is None


def test_gurobi_without_its_licence_file_is_unavailable_with_the_reason(tmp_path):
    row = run_gurobi(
        tmp_path, tiny(0, jobs=2, servers=2), GRB_LICENSE_FILE=str(tmp_path / "none.lic")
    )
    assert row["status"] == "unavailable"
    assert "none.lic" in row["message"] or "license" in row["message"].lower()


def test_gurobi_with_a_dead_token_server_is_unavailable_with_the_reason(tmp_path):
    (tmp_path / "dead.lic").write_text("TOKENSERVER=127.0.0.1\nPORT=9\n")
    row = run_gurobi(
        tmp_path, tiny(0, jobs=2, servers=2), GRB_LICENSE_FILE=str(tmp_path / "dead.lic")
    )
    assert row["status"] == "unavailable"
    assert row["message"]
