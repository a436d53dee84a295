"""Isolated runs: limits that hold, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchmarks.methods import GRACE_SECONDS
from benchmarks.process import ProcessServer, ServerDied, run_isolated
from instances.families import find_family
from instances.files import write_json

ROOT = Path(__file__).resolve().parent.parent
HERE = "tests.test_process"


# What the children run.


def double(note, number):
    print("a banner")
    return 2 * number


def sleep(note, seconds):
    note({"doing": "sleeping"})
    time.sleep(seconds)


def start_and_sleep(note, seconds):
    """As a solver that is a program of its own."""
    started = subprocess.Popen(["sleep", str(seconds)])
    note(started.pid)
    started.wait()


def abort(note):
    os.abort()


def grow(note):
    kept = []
    while True:
        kept.append(b"x" * 5_000_000)


def fail(note):
    raise ValueError("no good")


# The tests.


def runs(pid):
    """Whether it runs; a zombie that waits for init does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def server():
    with ProcessServer() as found:
        yield found


def run(server, target, *arguments, **limits):
    server.submit(f"{HERE}:{target}", *arguments, **limits)
    return server.wait(120)


def test_answer_and_chatter_are_two_things(server):
    ended = run(server, "double", 21)
    assert (ended.cause, ended.answer, ended.chatter) == ("done", 42, "a banner\n")
    assert ended.peak_memory_mb > 1


def test_runs_overlap_and_are_told_apart(server):
    slow = server.submit(f"{HERE}:sleep", 2)
    quick = server.submit(f"{HERE}:double", 1)
    assert [server.wait(60).id, server.wait(60).id] == [quick, slow]


def test_over_time_is_killed_and_what_it_noted_survives(server):
    ended = run(server, "sleep", 600, seconds=1)
    assert (ended.cause, ended.answer, ended.note) == ("time", None, {"doing": "sleeping"})


def test_over_memory_is_killed(server):
    ended = run(server, "grow", memory_mb=300)
    assert ended.cause == "memory"
    assert ended.peak_memory_mb > 300


def test_what_a_run_started_ends_with_it(server):
    ended = run(server, "start_and_sleep", 600, seconds=2)
    assert ended.cause == "time"
    assert not runs(ended.note)


def test_a_crash_and_an_exception_are_told(server):
    crashed = run(server, "abort")
    assert (crashed.cause, crashed.signal) == ("died", signal.SIGABRT)
    failed = run(server, "fail")
    assert (failed.cause, failed.exit) == ("died", 1)
    assert failed.chatter.endswith("ValueError: no good\n")


def test_the_server_lives_on_after_all_of_this(server):
    run(server, "abort")
    run(server, "sleep", 600, seconds=0.5)
    assert run(server, "double", 2).answer == 4


def test_a_dead_server_is_noticed(server):
    server.submit(f"{HERE}:sleep", 600)
    psutil.Process(server.pid).kill()
    with pytest.raises(ServerDied):
        server.wait(60)


def test_one_shot():
    assert run_isolated(f"{HERE}:double", 4).answer == 8


CLIENT = f"""
import sys, time
from benchmarks.process import ProcessServer
server = ProcessServer()
server.submit("{HERE}:start_and_sleep", 600)
time.sleep(600)
"""


def test_children_and_grandchildren_die_with_a_client_that_is_killed():
    client = subprocess.Popen([sys.executable, "-c", CLIENT], cwd=ROOT)
    process = psutil.Process(client.pid)
    deadline = time.monotonic() + 60
    while len(process.children(recursive=True)) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    family = process.children(recursive=True)
    assert len(family) == 3  # server, child, and the program that it started
    client.send_signal(signal.SIGKILL)
    client.wait()
    _, alive = psutil.wait_procs(family, timeout=30)
    assert alive == []


def solve(folder, formulation, *limits):
    """``ringbench solve`` with the runaway models among the formulations."""
    instance = folder / "instance.json"
    write_json(find_family("tiny").generate(0, {}).document(), instance)
    method = ("--formulation", formulation, "--backend", "highs")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "solve", instance, *method, "--json", *limits],
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "runaway"), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_solve_holds_its_time_limit_against_a_model_that_is_built_without_end(tmp_path):
    """Pitfall 18."""
    row = solve(tmp_path, "endless", "--time-limit", "1")
    assert (row["status"], row["makespan"], row["bound"]) == ("no_solution", None, None)
    assert (
        row["message"]
        == f"killed while it built the model, {GRACE_SECONDS:g} s after its limit of 1 s"
    )
    assert row["method"]["version"]


def test_solve_holds_its_memory_limit_against_a_model_that_grows_without_end(tmp_path):
    """Pitfall 18."""
    row = solve(tmp_path, "hungry", "--memory-limit", "300")
    assert row["status"] == "memory_limit"
    assert row["peak_memory_mb"] >= 300
