"""Scaling: what is missing is measured, what is there stays, and the docs show the file."""

from pathlib import Path

import pytest

from benchmarks.methods import Method
from benchmarks.scaling import FAMILIES, measure, read_scaling, scaling_table
from instances.errors import InputError

ROOT = Path(__file__).parent.parent
LINEARIZED, SEARCH = Method(None, "linearized", "highs"), Method(None, None, "search")


def test_running_again_measures_only_what_is_missing(tmp_path):
    file = tmp_path / "scaling.jsonl"
    measure(file, [LINEARIZED], 60, 2)
    before = file.read_text()
    rows = read_scaling(file)
    assert [(row["family"], row["jobs"]) for row in rows] == [
        (f, n) for f in FAMILIES for n in (1, 2)
    ]
    assert all(row["status"] == "optimal" and row["variables"] > 0 for row in rows)
    measured = []
    measure(file, [LINEARIZED, SEARCH], 60, 1, measured.append)
    assert [row["method"] for row in measured] == ["search"] * 2
    assert file.read_text().startswith(before)
    file.write_text(before.partition("\n")[2])
    measured.clear()
    measure(file, [LINEARIZED], 60, 2, measured.append)
    assert [(row["family"], row["jobs"]) for row in measured] == [(FAMILIES[0], 1)]


def test_growth_stops_at_the_first_size_that_is_not_proven(tmp_path):
    file = tmp_path / "scaling.jsonl"
    refusing = Method(None, "schedule-ilp", "highs", {"limit": 1})
    measure(file, [refusing], 60, 3)
    for family in FAMILIES:
        rows = [row for row in read_scaling(file) if row["family"] == family]
        assert [row["jobs"] for row in rows] == list(range(1, len(rows) + 1))
        *proven, last = [row["status"] for row in rows]
        assert set(proven) <= {"optimal"}
        assert last == "too_large"
    assert "too_large" in scaling_table(read_scaling(file))


def test_a_broken_line_is_bad_input(tmp_path):
    file = tmp_path / "scaling.jsonl"
    file.write_text('{"family": "uniform"}\n{"fam')
    with pytest.raises(InputError, match="line 2"):
        read_scaling(file)


def test_the_docs_show_the_committed_file():
    rows = read_scaling(ROOT / "results" / "reference" / "scaling.jsonl")
    assert rows
    assert scaling_table(rows) in (ROOT / "docs" / "scaling.md").read_text()
