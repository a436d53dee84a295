"""Exported models are the models: other readers of the files find the same optimum."""

import re
import subprocess

import highspy
import pytest
from conftest import tiny

from benchmarks.brute_force import brute_force
from benchmarks.cli import main
from instances.files import write_json

pulp = pytest.importorskip("pulp")


@pytest.fixture(params=[1, 4])
def case(request, tmp_path):
    instance = tiny(request.param, jobs=3, servers=2)
    write_json(instance.document(), tmp_path / "i.json")
    return tmp_path, brute_force(instance).makespan


def by_highs(file):
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("threads", 1)
    highspy.Highs.resetGlobalScheduler(True)
    assert solver.readModel(str(file)) == highspy.HighsStatus.kOk
    solver.run()
    return round(solver.getInfo().objective_function_value)


def by_cbc(file):
    command = [pulp.apis.coin_api.pulp_cbc_path, file.name, "-ratio", "0", "-solve"]
    run = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=True)
    return round(float(re.search(r"^Objective value: +(\S+)", run.stdout, re.MULTILINE)[1]))


def export(folder, formulation, name):
    command = ["export", str(folder / "i.json"), "--formulation", formulation]
    return main([*command, "-o", str(folder / name)])


@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_a_round_trip_through_highs_and_cbc_gives_the_optimum(case, suffix):
    folder, optimum = case
    assert export(folder, "linearized", f"m.{suffix}") == 0
    file = folder / f"m.{suffix}"
    assert "makespan" in file.read_text()
    assert by_highs(file) == by_cbc(file) == optimum


def test_nl_takes_the_non_convex_program_and_keeps_names(case):
    folder, _ = case
    assert export(folder, "nonconvex", "m.nl") == 0
    assert (folder / "m.nl").read_text().startswith("g3 ")
    assert "makespan" in (folder / "m.col").read_text().split()


def test_bad_input(case, capsys):
    folder, _ = case
    assert export(folder, "nonconvex", "m.mps") == 2
    assert "only NL holds" in capsys.readouterr().err
    assert export(folder, "linearized", "m.txt") == 2
    assert "ends in .mps or .lp or .nl" in capsys.readouterr().err
    assert export(folder, "linearized", "no/such/folder/m.lp") == 2
    assert "no/such/folder" in capsys.readouterr().err
