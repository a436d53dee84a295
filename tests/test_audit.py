"""The audit: agreement with brute force is found, and so is a disagreement."""

import dataclasses
import json
from collections import Counter

from conftest import jobs_of_slots

from benchmarks.audit import Case, audit, audited_methods, draw_cases, finding
from benchmarks.brute_force import brute_force
from benchmarks.campaign import local_executor
from benchmarks.cli import main
from benchmarks.commands.audit import saved
from benchmarks.methods import Method
from formulations import formulation_names
from instances.families import family_names
from instances.schedule import Schedule
from solvers.backends import backend_names
from solvers.result import Limits, Result
from solvers.solve import solve_exact


def case():
    instance = jobs_of_slots([2], [(1, 1), (1, 1), (1, 2)], horizon=9)
    return Case(instance, brute_force(instance), False)


def test_of_200_at_least_100_optima_span_servers_and_40_depend_on_contention():
    cases = list(draw_cases(200, 1))
    families = Counter(case.instance.family for case in cases)
    assert set(families) == {*family_names(), "hair-close"}
    assert sum(case.spanning for case in cases) >= 100
    assert sum(case.sensitive for case in cases) >= 40


def test_hair_close_instances_change_where_the_floor_is_50():
    cases = [case for case in draw_cases(40, 3) if case.instance.family == "hair-close"]
    assert len(cases) == 4
    for hair in cases:
        timing = hair.instance.timing
        assert {timing.rate(0, h, max(0, h - 1)) for h in (1, 2)} == {49}
        rounder = brute_force(hair.instance, rate=lambda job, h, p: 50)
        assert rounder.makespan < hair.truth.makespan


def test_every_usable_backend_and_every_formulation_takes_part():
    methods, missing = audited_methods()
    assert {method.backend for method in methods} | set(missing) == set(backend_names())
    assert {method.formulation for method in methods} - {None} == set(formulation_names())


def test_what_agrees_and_what_does_not():
    optimum = case()
    row = solve_exact(optimum.instance, "linearized", "highs", {}, Limits()).document()
    assert finding(optimum, row) == "agreed"
    later = row | {"makespan": 3, "bound": 3}
    assert finding(optimum, later) == "disagreed"
    assert finding(optimum, row | {"makespan": 1, "bound": 1}) == "disagreed"
    assert finding(optimum, row | {"status": "infeasible", "makespan": None}) == "disagreed"
    assert finding(optimum, row | {"status": "wrong"}) == "disagreed"
    limit = row | {"status": "feasible", "makespan": 3, "bound": 1}
    assert finding(optimum, limit) == "undecided"
    assert finding(optimum, limit | {"bound": 3}) == "disagreed"
    none = Case(optimum.instance, None, False)
    assert finding(none, row) == "disagreed"
    assert finding(none, row | {"status": "infeasible", "makespan": None}) == "agreed"


def test_a_bound_agrees_up_to_the_optimum():
    row = Result("i", "f", {"formulation": "load"}, "no_solution", bound=2).document()
    assert finding(case(), row) == "agreed"
    assert finding(case(), row | {"bound": 3}) == "disagreed"
    assert finding(case(), row | {"bound": None}) == "undecided"


def test_it_stops_at_the_first_disagreement():
    truth = case()
    doubtful = dataclasses.replace(
        truth, truth=Schedule((0, 0, 1), (((0, 1),),) * 3, truth.truth.makespan + 1)
    )
    methods = [Method(None, "linearized", "highs"), Method(None, None, "search")]
    found = audit([truth, doubtful, truth], methods, Limits(time=60), local_executor(1))
    assert found.disagreement[0] is doubtful
    assert found.disagreement[1]["makespan"] == truth.truth.makespan
    assert sum(tally.agreed for tally in found.tallies) == 2
    assert sum(tally.disagreed for tally in found.tallies) == 1


def test_a_disagreement_is_saved_as_instance_and_both_schedules(tmp_path):
    optimum = case()
    row = solve_exact(optimum.instance, None, "search", {}, Limits()).document()
    late = Schedule((0, 0, 1), (((0, 1),),) * 3, optimum.truth.makespan)  # ends after it says
    files = saved(dataclasses.replace(optimum, truth=late), row, tmp_path / "found")["files"]
    assert set(files) == {"instance", "brute-force", "method", "row"}
    assert main(["check", files["instance"], files["method"]]) == 0
    assert main(["check", files["instance"], files["brute-force"]]) == 1


def test_the_command_prints_agreements_as_json_and_nothing_else(capsys):
    assert main(["audit", "--count", "2", "--seed", "1", "--workers", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["disagreement"] is None
    for line in document["methods"]:
        assert line["agreed"] + sum(line["undecided"].values()) == 2
        assert line["disagreed"] == 0
        assert set(line["undecided"]) <= {"licence_limit", "too_large", "no_solution", "feasible"}


def test_bad_input(capsys):
    assert main(["audit", "--count", "0"]) == 2
    assert "--count 0: must be at least 1" in capsys.readouterr().err
