"""The same campaign on a Dask cluster of two worker processes, one of which dies."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchmarks.store import read_rows, row_key

ROOT = Path(__file__).resolve().parent.parent

SUITE = """
[limits]
time = 30
[[instances]]
family = "tiny"
seeds = [0, 1, 2, 3]
[[methods]]
heuristic = ["longest-first", "sjf-bco"]
[[methods]]
formulation = "linearized"
backend = "highs"
"""


def start(*words):
    return subprocess.Popen(
        [sys.executable, "-m", *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


@pytest.fixture
def cluster(tmp_path):
    """Address of a scheduler on loopback, and its two workers."""
    file = tmp_path / "scheduler.json"
    scheduler = start(
        "dask", "scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard",
        "--scheduler-file", file,
    )  # fmt: skip
    processes = [scheduler]
    try:
        wait_until(lambda: file.exists() and file.read_text().strip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        workers = [
            start("dask", "worker", address, "--nthreads", 1, "--no-nanny", "--no-dashboard")
            for _ in range(2)
        ]
        processes += workers
        yield address, workers
    finally:
        for process in processes:
            process.kill()
            process.wait()


def campaign(suite, folder, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks", "run", str(suite), "--out", str(folder), *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process):
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out.replace("\n", " ").rpartition(" rows in ")[0]


def facts(folder):
    return {row_key(row): (row["instance"], row["status"], row["makespan"], row["bound"])
            for row in read_rows(folder)}  # fmt: skip


def test_a_worker_killed_in_the_middle_costs_no_row(tmp_path, cluster):
    address, workers = cluster
    suite = tmp_path / "small.toml"
    suite.write_text(SUITE)
    rows = tmp_path / "dask" / "rows.jsonl"
    running = campaign(suite, tmp_path / "dask", "--dask", address)
    wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") >= 2)
    children = psutil.Process(workers[0].pid).children(recursive=True)
    os.kill(workers[0].pid, signal.SIGKILL)
    table = finished(running)
    assert rows.read_bytes().count(b"\n") == 12
    wait_until(lambda: not any(child.is_running() for child in children))
    at_home = finished(campaign(suite, tmp_path / "home", "--workers", "2"))
    assert facts(tmp_path / "dask") == facts(tmp_path / "home")
    assert sorted(table.split()) == sorted(at_home.split())


def test_no_scheduler_is_one_clear_line(tmp_path):
    suite = tmp_path / "small.toml"
    suite.write_text(SUITE)
    running = campaign(suite, tmp_path / "dask", "--dask", "nonsense://nowhere")
    _, err = running.communicate(timeout=120)
    assert running.returncode == 2
    assert err.count("\n") == 1 and "--dask nonsense://nowhere" in err
