"""Real traces, where they are at hand: scheduled, checked, and the smaller ones solved."""

import os
from pathlib import Path

import pytest

from instances.traces.importing import Request, import_trace
from solvers.heuristics import find_heuristic, heuristic_names
from solvers.judge import verdict_on
from solvers.result import Limits
from solvers.solve import solve_exact

TRACES = Path(
    os.environ.get("RINGBENCH_TRACES", Path(__file__).resolve().parents[2] / "shared" / "traces")
)
FORMATS = {"microsoft_itp2021": "itp", "philly": "philly", "gavel_msr": "gavel"}


def trace_files():
    if not TRACES.is_dir():
        return []
    files = [*TRACES.rglob("*.csv"), *TRACES.rglob("*.trace")]
    return sorted(file for file in files if not file.name.startswith("steps_per_second"))


def window(file, jobs, **settings):
    style = FORMATS[file.relative_to(TRACES).parts[0]]
    if style == "gavel":
        settings["rates"] = str(file.parent / "steps_per_second_implied.csv")
    instance = import_trace(Request(str(file), style, {}, jobs, settings))
    assert len(instance.jobs) == jobs
    return instance


each_file = pytest.mark.parametrize(
    "file", trace_files(), ids=lambda file: f"{file.parent.name}-{file.stem}"
)


@pytest.mark.skipif(not TRACES.is_dir(), reason=f"no traces in {TRACES}")
def test_traces_are_there():
    assert len(trace_files()) >= 10


@each_file
@pytest.mark.parametrize("skip", [0, 60])
def test_twelve_consecutive_jobs_are_scheduled_and_checked(file, skip):
    instance = window(file, 12, slot_seconds=3600, skip=skip)
    for name in heuristic_names():
        heuristic = find_heuristic(name)
        schedule = heuristic.schedule(instance, heuristic.options(), 0)
        assert schedule is not None, name
        assert verdict_on(instance, schedule).violations == ()


@each_file
def test_six_consecutive_jobs_are_solved_exactly(file):
    instance = window(file, 6, slot_seconds=14400)
    searched = solve_exact(instance, None, "search", {}, Limits())
    assert searched.proven
    other = solve_exact(instance, "compact", "highs", {}, Limits(time=10))
    assert other.bound <= searched.makespan <= other.makespan
