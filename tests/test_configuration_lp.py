"""The configuration LP: all columns at once, or those that are needed, give one bound."""

import json

import pytest
from conftest import tiny

from benchmarks.cli import main
from instances.families import find_family
from instances.files import write_json
from solvers.configuration_bound import configuration_bound
from solvers.result import Limits
from solvers.solve import solve_exact

CASES = [("tiny", {"jobs": 4, "servers": 3}), ("contended", {"jobs": 4, "servers": 3})]


def bound_of(instance, **settings):
    return solve_exact(instance, "configuration-lp", "highs", settings, Limits())


@pytest.mark.parametrize(("family", "settings"), CASES)
@pytest.mark.parametrize("seed", range(8))
def test_enumeration_equals_column_generation(family, settings, seed):
    instance = find_family(family).generate(seed, settings)
    enumerated = bound_of(instance)
    assert enumerated.bound == configuration_bound(instance, 60.0)[0]
    optimum = solve_exact(instance, None, "search", {}, Limits())
    assert optimum.proven
    assert enumerated.bound <= optimum.makespan


def test_it_claims_no_schedule():
    result = bound_of(tiny(0))
    assert (result.status, result.makespan, result.schedule) == ("no_solution", None, None)
    assert "configurations" in result.message


def test_too_many_columns_are_refused_with_the_limit():
    result = bound_of(find_family("contended").generate(0, {}), limit=3)
    assert result.status == "too_large"
    assert "more than 3" in result.message


def test_the_command_prints_every_bound(tmp_path, capfd):
    instance = find_family("contended").generate(0, {"jobs": 4, "servers": 3})
    write_json(instance.document(), tmp_path / "i.json")
    assert main(["bound", str(tmp_path / "i.json"), "--json"]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["bounds"]["configuration"] == bound_of(instance).bound
    assert printed["bound"] == max(printed["bounds"].values())
    assert main(["bound", str(tmp_path / "i.json"), "--time-limit", "1e-9"]) == 0
    assert "gpu-slots" in capfd.readouterr().out
