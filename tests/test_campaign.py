"""Campaigns: suites, resuming, limits that hold."""

import io
import json
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

import formulations
from benchmarks.cli import main
from benchmarks.consistency import contradictions
from benchmarks.store import read_rows, row_key
from benchmarks.suites import find_suite, suite_names
from instances.errors import InputError

ROOT = Path(__file__).resolve().parent.parent

SUITE = """
summary = "five small rows"
[limits]
time = 20
[[instances]]
family = "tiny"
seeds = [0, 1, 2, 3, 4]
[[methods]]
heuristic = "longest-first"
"""


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SUITE)
    return path


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


def ringbench(*words):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main([str(word) for word in words])
    return Done(status, out.getvalue(), err.getvalue())


def run_suite(suite, folder, *words):
    return ringbench("run", suite, "--out", folder, *words)


def start_suite(suite, folder):
    """The same in a process of its own, to be disturbed."""
    command = [sys.executable, "-m", "benchmarks", "run", str(suite), "--out", str(folder)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_campaign_keeps_a_row_a_log_folder_and_an_instance_per_run(suite, tmp_path):
    done = run_suite(suite, tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == {"feasible": 5}
    rows = read_rows(tmp_path / "out")
    assert sorted(row["instance"] for row in rows) == [f"tiny-s{seed}" for seed in range(5)]
    for row in rows:
        file = tmp_path / "out" / "instances" / f"{row['fingerprint']}.json"
        schedule = tmp_path / "schedule.json"
        schedule.write_text(json.dumps(row["schedule"]))
        assert ringbench("check", file, schedule).returncode == 0


def test_progress_is_silent_where_stderr_is_no_terminal(suite, tmp_path):
    assert run_suite(suite, tmp_path / "out").stderr == ""


def test_killed_at_row_3_with_a_failed_row_resumes_to_five_rows(suite, tmp_path):
    """Pitfall 17."""
    whole = tmp_path / "whole"
    run_suite(suite, whole)
    lines = (whole / "rows.jsonl").read_text().splitlines()
    failed = json.loads(lines[1]) | {"status": "error", "makespan": None, "schedule": None}
    broken = tmp_path / "broken"
    assert run_suite(suite, broken).returncode == 0
    torn = "\n".join([lines[0], json.dumps(failed), lines[2], lines[3][:100]])
    (broken / "rows.jsonl").write_text(torn)
    assert len(read_rows(broken)) == 3
    assert run_suite(suite, broken).returncode == 0
    written = [json.loads(line) for line in (broken / "rows.jsonl").read_text().splitlines()]
    assert len(written) == 6  # the failed one and its retry
    rows = read_rows(broken)
    assert sorted(map(row_key, rows)) == sorted(map(row_key, read_rows(whole)))
    assert [row["status"] for row in rows] == ["feasible"] * 5


def test_unknown_key_of_a_suite_is_bad_input_with_a_suggestion(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(SUITE.replace("seeds =", "seed ="))
    done = ringbench("run", path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "instances[0]" in done.stderr and "did you mean 'seeds'" in done.stderr


def test_rows_of_other_limits_never_mix(suite, tmp_path):
    run_suite(suite, tmp_path / "out")
    before = (tmp_path / "out" / "rows.jsonl").read_bytes()
    done = run_suite(suite, tmp_path / "out", "--limit", "time=7")
    assert done.returncode == 2
    assert "limits.time = 20.0, not 7.0" in done.stderr
    assert (tmp_path / "out" / "rows.jsonl").read_bytes() == before


def rows_left(folder):
    file = folder / "rows.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def facts(folder):
    return {
        row_key(row): (row["instance"], row["status"], row["makespan"]) for row in read_rows(folder)
    }


def test_kill_9_at_any_moment_then_resume_gives_the_rows_of_an_undisturbed_run(tmp_path):
    suite = tmp_path / "many.toml"
    suite.write_text(SUITE.replace("[0, 1, 2, 3, 4]", str(list(range(40)))))
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run_suite(suite, whole)
    for stop_at in (1, 15, 30):
        running = start_suite(suite, broken)
        deadline = time.monotonic() + 60
        while rows_left(broken) < stop_at and time.monotonic() < deadline:
            time.sleep(0.005)
        family = psutil.Process(running.pid).children(recursive=True)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        _, alive = psutil.wait_procs(family, timeout=30)
        assert alive == []
        assert stop_at <= len(read_rows(broken)) < 40
    assert run_suite(suite, broken).returncode == 0
    assert facts(broken) == facts(whole)
    assert rows_left(broken) == 40


def test_ctrl_c_ends_with_one_line_and_keeps_the_rows(tmp_path):
    suite = tmp_path / "many.toml"
    suite.write_text(SUITE.replace("[0, 1, 2, 3, 4]", str(list(range(80)))))
    running = start_suite(suite, tmp_path / "o")
    while rows_left(tmp_path / "o") < 3:
        assert running.poll() is None
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert err == "ringbench: interrupted; rows already written are kept\n"
    assert 3 <= len(read_rows(tmp_path / "o")) < 80


def test_a_second_campaign_on_the_folder_is_refused_while_the_first_runs(tmp_path):
    suite = tmp_path / "many.toml"
    suite.write_text(SUITE.replace("[0, 1, 2, 3, 4]", str(list(range(80)))))
    running = start_suite(suite, tmp_path / "o")
    while rows_left(tmp_path / "o") < 3:
        assert running.poll() is None
        time.sleep(0.005)
    second = run_suite(suite, tmp_path / "o")
    assert second.returncode == 2
    assert "another campaign is writing here" in second.stderr
    running.communicate(timeout=60)
    assert running.returncode == 0
    assert rows_left(tmp_path / "o") == 80


RUNAWAYS = """
[limits]
time = 3
memory = 300
[[instances]]
family = "tiny"
seeds = [0, 1]
set = { jobs = 2, servers = 2 }
[[methods]]
formulation = ["endless", "hungry", "linearized"]
backend = "highs"
"""


def test_runaway_models_end_their_rows_and_nothing_else(tmp_path, monkeypatch):
    """Pitfall 18."""
    suite = tmp_path / "runaway.toml"
    suite.write_text(RUNAWAYS)
    runaway = str(ROOT / "tests" / "runaway")
    monkeypatch.setenv("PYTHONPATH", runaway)  # for the children
    monkeypatch.setattr(formulations, "__path__", [*formulations.__path__, runaway])
    done = run_suite(suite, tmp_path / "o", "--json")
    assert done.returncode == 0, done.stderr
    found = {
        (row["method"]["formulation"], row["instance"]): row for row in read_rows(tmp_path / "o")
    }
    assert len(found) == 6
    for (formulation, _), row in found.items():
        expected = {"endless": "no_solution", "hungry": "memory_limit", "linearized": "optimal"}
        assert row["status"] == expected[formulation]
        assert row["method"]["version"] and row["peak_memory_mb"] > 10


def test_forty_solves_on_four_workers_make_forty_rows(tmp_path):
    """Pitfall 3."""
    suite = tmp_path / "forty.toml"
    suite.write_text(
        SUITE.replace("[0, 1, 2, 3, 4]", f"{list(range(40))}\nset = {{ jobs = 3 }}")
        .replace('heuristic = "longest-first"', 'formulation = "linearized"\nbackend = "highs"')
        .replace("time = 20", "time = 300")
    )
    done = run_suite(suite, tmp_path / "o", "--workers", "4", "--json")
    assert json.loads(done.stdout)["status"] == {"optimal": 40}


def test_a_schedule_below_a_claimed_bound_turns_both_rows_wrong(tmp_path):
    suite = tmp_path / "two.toml"
    suite.write_text(SUITE.replace("[0, 1, 2, 3, 4]", "[0, 1]"))
    folder = tmp_path / "o"
    run_suite(suite, folder)
    good = read_rows(folder)[0]
    method = {"kind": "exact", "formulation": "dreamt", "backend": "up", "version": "1"}
    liar = good | {"method": method, "bound": good["makespan"] + 1, "status": "optimal"}
    with (folder / "rows.jsonl").open("a") as file:
        file.write(json.dumps(liar | {"makespan": good["makespan"] + 1}) + "\n")
    done = run_suite(suite, folder)
    assert done.returncode == 1
    said = f"claims makespan >= {good['makespan'] + 1}, but longest-first has a checked schedule"
    assert said in done.stderr
    assert [row["status"] for row in read_rows(folder)] == ["wrong", "feasible", "wrong"]
    again = run_suite(suite, folder)  # the evidence stays
    assert again.returncode == 1
    compared = ringbench("compare", folder, "--json")
    assert compared.returncode == 1


def test_a_bound_above_the_schedule_of_another_job_order_is_a_contradiction_too():
    base = {"status": "feasible", "fingerprint": "f", "base": "b", "instance": "i"}
    one = base | {"bound": None, "makespan": 10, "method": {"name": "h"}}
    other = base | {"fingerprint": "g", "bound": 11, "makespan": None, "method": {"name": "e"}}
    assert len(contradictions([one, other])) == 1
    assert contradictions([one, other | {"bound": 10}]) == []
    assert len(contradictions([one, other | {"bound": None, "status": "infeasible"}])) == 1


GRID = """
seeds = [0, 1]
[[instances]]
family = "tiny"
seeds = [3, 4]
permutations = [0, 1]
set = { jobs = [3, 4], servers = 2 }
[[methods]]
heuristic = "sjf-bco"
set = { bisection = ["as-printed", "tightest"] }
[[methods]]
heuristic = "random"
seeds = [7]
"""


def test_a_suite_is_a_grid_of_settings_seeds_job_orders_and_methods(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    suite = find_suite(str(path))
    assert len(suite.cases) == 2 * 2 * 2
    assert len(list(suite.runs())) == 8 * (2 * 2 + 1)
    given, shuffled = suite.cases[:2]
    assert shuffled.base == given.instance.fingerprint != shuffled.instance.fingerprint
    assert sorted(job.id for job in shuffled.instance.jobs) == ["j0", "j1", "j2"]


@pytest.mark.parametrize("name", suite_names())
def test_suites_that_come_with_ringbench_are_valid(name):
    assert list(find_suite(name).runs())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"tiny"', '"tinny"', "did you mean 'tiny'"),
        ('"longest-first"', '"longest"', "did you mean 'longest-first'"),
        ("time = 20", "time = -1", "limits: time = -1"),
        ("time = 20", "tme = 20", "did you mean 'time'"),
        ("[[methods]]", "[[method]]", "did you mean 'methods'"),
        ("seeds = [0, 1, 2, 3, 4]", "seeds = []", "instances[0]: seeds"),
        ('family = "tiny"', 'files = ["none/*.json"]', "matches nothing"),
        ('heuristic = "longest-first"', 'formulation = "linearized"', "needs a backend"),
        ('heuristic = "longest-first"', 'backend = "highs"', "add a formulation"),
        ('heuristic = "longest-first"', 'heuristic = "sjf-bco"\nset = {kapa = 1}', "'kappa'"),
        ("summary", "summary =", "is not TOML"),
    ],
)
def test_a_fault_in_a_suite_is_one_line_that_says_where(tmp_path, old, new, said):
    path = tmp_path / "bad.toml"
    path.write_text(SUITE.replace(old, new))
    with pytest.raises(InputError) as caught:
        find_suite(str(path))
    assert said in str(caught.value)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_files_are_instances_too(tmp_path):
    ringbench("generate", "tiny", "--seed", 5, "-o", tmp_path / "mine.json")
    path = tmp_path / "files.toml"
    path.write_text(
        SUITE.replace('family = "tiny"\nseeds = [0, 1, 2, 3, 4]', 'files = ["m*.json"]')
    )
    assert [case.instance.name for case in find_suite(str(path)).cases] == ["tiny-s5"]
