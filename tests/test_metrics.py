"""How runs are averaged and compared."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.metrics import outcome, race, shifted_geometric_mean


def row(method, instance, status, seconds=1.0, seed=0, permutation=0, limit=3600.0, **more):
    return {
        "instance": instance,
        "fingerprint": f"{instance}-{permutation}",
        "base": instance,
        "permutation": permutation,
        "method": {"kind": "exact", "formulation": None, "backend": method, "version": "1"},
        "options": {},
        "seed": seed,
        "status": status,
        "wall_seconds": seconds,
        "time_limit": limit,
        "makespan": None,
        "bound": None,
        "threads": 1,
        **more,
    }


def backend(row):
    return row["method"]["backend"]


PITFALL_14 = [
    row("A", "i1", "optimal", 1), row("A", "i2", "optimal", 1), row("A", "i3", "no_solution", 3601),
    row("B", "i1", "optimal", 2), row("B", "i2", "optimal", 2), row("B", "i3", "optimal", 100),
]  # fmt: skip


def test_unsolved_counts_as_the_limit():
    """Pitfall 14."""
    found = race(PITFALL_14, backend)
    assert round(found.mean("A"), 3) == 65.875
    assert round(found.mean("B"), 3) == 15.114


def test_profiles_start_at_the_share_of_wins_and_end_at_the_share_solved():
    found = race(PITFALL_14, backend)
    assert found.profile("A") == [(1.0, 2 / 3)]
    assert found.profile("B") == [(1.0, 1 / 3), (2.0, 1.0)]


def test_wins_and_virtual_best():
    found = race(PITFALL_14, backend)
    assert found.wins() == {"A": {"B": 2}, "B": {"A": 1}}
    best = found.virtual_best()
    assert len(best.solved["virtual best"]) == 3
    assert best.mean("virtual best") == pytest.approx(shifted_geometric_mean([1, 1, 100]))


@pytest.mark.parametrize("status", ["unsupported", "unavailable", "licence_limit", "too_large"])
def test_what_one_skipped_is_left_out_for_all_and_is_no_loss(status):
    rows = [row("A", "i1", "optimal"), row("B", "i1", "optimal"), row("A", "i2", status),
            row("B", "i2", "optimal", 50)]  # fmt: skip
    found = race(rows, backend)
    assert [unit[0] for unit in found.units] == ["i1"]
    assert outcome(rows[2]) == "skipped"


def test_wrong_rows_enter_no_statistic():
    rows = [row("A", "i1", "optimal", 1), row("A", "i2", "wrong", 1),
            row("B", "i1", "optimal", 1), row("B", "i2", "optimal", 999)]  # fmt: skip
    found = race(rows, backend)
    assert [unit[0] for unit in found.units] == ["i1"]


def seeded(a, b):
    return [
        row(name, f"i{i}", "optimal", seconds, seed=seed)
        for name, by_seed in (("A", a), ("B", b))
        for seed, seconds in enumerate(by_seed)
        for i in range(3)
    ]


def test_no_winner_where_ranges_overlap():
    """Pitfall 15."""
    overlapping = race(seeded([10, 20], [15, 40]), backend)
    assert overlapping.winner() is None
    assert "overlap" in overlapping.verdict()
    assert overlapping.spread("A") == pytest.approx((10, 20))
    apart = race(seeded([10, 20], [25, 40]), backend)
    assert apart.winner() == "A"


def test_job_order_is_a_replicate_like_a_seed():
    rows = [row(name, "i", "optimal", seconds, permutation=permutation)
            for name, times in (("A", [10, 30]), ("B", [20, 21]))
            for permutation, seconds in enumerate(times)]  # fmt: skip
    assert race(rows, backend).spread("A") == pytest.approx((10, 30))
    assert race(rows, backend).winner() is None


def test_one_seed_declares_no_winner():
    assert race(PITFALL_14, backend).winner() is None
    assert "one seed" in race(PITFALL_14, backend).verdict()


STATUSES = st.sampled_from(["optimal", "no_solution", "feasible", "error", "memory_limit"])


@given(st.lists(st.tuples(STATUSES, STATUSES, st.floats(0.001, 10), st.floats(0.001, 10)),
                min_size=1, max_size=20))  # fmt: skip
def test_solving_one_more_never_worsens_a_mean_and_profiles_end_at_the_share_solved(runs):
    rows = [
        row(name, f"i{i}", run[side], run[2 + side], limit=10.0)
        for i, run in enumerate(runs)
        for side, name in enumerate("AB")
    ]
    found = race(rows, backend)
    for side, name in enumerate("AB"):
        solved = sum(run[side] == "optimal" for run in runs)
        profile = found.profile(name)
        assert (profile[-1][1] if profile else 0.0) == pytest.approx(solved / len(runs))
        assert all(a < b for a, b in itertools.pairwise(profile))
    for index, line in enumerate(rows):
        better = [*rows[:index], line | {"status": "optimal"}, *rows[index + 1 :]]
        name = backend(line)
        assert race(better, backend).mean(name) <= found.mean(name) + 1e-9


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=30), st.floats(0.1, 100))
def test_shifted_geometric_mean_lies_between_smallest_and_largest(values, shift):
    mean = shifted_geometric_mean(values, shift)
    assert min(values) - 1e-6 <= mean <= max(values) + 1e-6
    assert mean <= math.fsum(values) / len(values) + 1e-6
