"""`make perf`: timings that mean what they say (pitfall 16)."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def perf(tmp_path, *files):
    """What the Makefile runs, over these files only."""
    words = [sys.executable, "-m", "pytest", *map(str, files), "-p", "no:cacheprovider"]
    words += ["--override-ini", "python_files=bench_*.py", "--benchmark-json", "perf.json"]
    done = subprocess.run(words, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True)
    return done.returncode, json.loads((tmp_path / "perf.json").read_text())["benchmarks"]


def test_every_timing_has_rounds_and_a_spread(tmp_path):
    status, found = perf(tmp_path, ROOT / "benchmarks" / "bench_check.py")
    assert status == 0
    assert len(found) == 3
    for one in found:
        assert one["stats"]["rounds"] >= 5  # one round has no deviation
        assert one["stats"]["iterations"] == 1  # called as often as it says
        assert one["stats"]["stddev"] > 0


def test_every_benchmark_states_its_rounds_and_checks_what_it_timed():
    for path in sorted((ROOT / "benchmarks").glob("bench_*.py")):
        for body in re.split(r"\ndef ", path.read_text())[1:]:
            if body.startswith("test_"):
                assert "benchmark.pedantic(" in body and "rounds=" in body, path
                assert "assert" in body, path


def test_only_benchmarks_that_passed_reach_the_file(tmp_path):
    """A failed one's timing is in the JSON; its exit status keeps make from moving that."""
    recipe = re.search(r"^perf:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)[1]
    assert " -n " not in recipe  # xdist would write no JSON
    assert recipe.endswith("mv results/local/perf.part results/local/perf.json\n")
    (tmp_path / "bench_wrong.py").write_text(
        "def test_wrong(benchmark):\n    assert benchmark.pedantic(sum, ([1, 2],), rounds=5) == 4\n"
    )
    status, _ = perf(tmp_path, tmp_path / "bench_wrong.py")
    assert status == 1
