"""Campaigns: suites, resuming, limits that hold."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.store import read_rows, row_key

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


def ringbench(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )


def run_suite(suite, folder, *words):
    return ringbench("run", suite, "--out", folder, *words)


def test_campaign_keeps_a_row_a_log_folder_and_an_instance_per_run(suite, tmp_path):
    done = run_suite(suite, tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == {"feasible": 5}
    rows = read_rows(tmp_path / "out")
    assert [row["instance"] for row in rows] == [f"tiny-s{seed}" for seed in range(5)]
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
    assert "limits.time = 20.0, now it is 7.0" in done.stderr
    assert (tmp_path / "out" / "rows.jsonl").read_bytes() == before
