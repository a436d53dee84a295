"""Measured ratios: exact where the optimum is proven, else intervals; Theorem 5 beside them."""

from fractions import Fraction

import pytest
from conftest import jobs_of_slots, tiny

from benchmarks.ratios import brackets, heuristic_label, ratio_report, ratios, summarise
from benchmarks.theorem import theorem_bound
from instances.families import find_family
from solvers.result import Limits
from solvers.solve import solve_exact, solve_heuristic


def rows_of(instance, *, exact=True, heuristics=("sjf-bco", "longest-first")):
    rows = [solve_heuristic(instance, name, {}, Limits()).document() for name in heuristics]
    if exact:
        rows.append(solve_exact(instance, "linearized", "highs", {}, Limits()).document())
    return rows, {instance.fingerprint: instance}


@pytest.mark.parametrize("gpus", [2, 3])
def test_graham_violates_theorem_5(gpus):
    instance = find_family("graham").generate(0, {"gpus": gpus})
    assert theorem_bound(instance) == 1
    found = ratios(*rows_of(instance))
    sjf, longest = found
    assert (sjf.exact, sjf.violates) == (Fraction(2 * gpus - 1, gpus), True)
    assert (longest.exact, longest.violates) == (1, False)
    assert "Theorem 5 is violated 1 times" in ratio_report(*rows_of(instance))


def test_the_theorem_spelled_out():
    instance = find_family("tiny").generate(0, {})
    timing = instance.timing
    slowest = max(
        Fraction(timing.duration(j, h, p), timing.shortest[j])
        for j, job in enumerate(instance.jobs)
        for h in range(timing.fewest_servers[j], min(job.gpus, len(instance.servers)) + 1)
        for p in (range(1, timing.max_level + 1) if h > 1 else [0])
    )
    most = max(job.gpus for job in instance.jobs)
    assert theorem_bound(instance) == most * slowest**2


def test_no_promise_where_a_rate_in_the_range_is_0():
    promises = [theorem_bound(tiny(seed, jobs=5)) for seed in range(300)]
    stalled = [
        seed
        for seed in range(300)
        if any(
            tiny(seed, jobs=5).timing.rate(j, h, tiny(seed, jobs=5).timing.max_level) == 0
            for j, job in enumerate(tiny(seed, jobs=5).jobs)
            for h in range(2, min(job.gpus, len(tiny(seed, jobs=5).servers)) + 1)
        )
    ]
    assert [seed for seed in range(300) if promises[seed] is None] == stalled


def test_an_open_optimum_gives_an_interval_that_enters_no_mean():
    instance = jobs_of_slots([2], [(1, 3), (1, 3), (1, 2), (1, 2), (1, 2)])
    rows, instances = rows_of(instance, exact=False)
    bracket = brackets(rows, instances)[instance.fingerprint]
    assert (bracket.bound, bracket.best, bracket.optimum) == (6, 7, None)
    found = ratios(rows, instances)
    assert [ratio.exact for ratio in found] == [None, None]
    assert [ratio.low for ratio in found if ratio.low == 1]
    assert all(ratio.high > ratio.low for ratio in found)
    assert all(line["exact"] == 0 and line["mean"] is None for line in summarise(found))
    assert "[1.000, 1.167]" in ratio_report(rows, instances)


def test_wrong_rows_enter_nothing():
    rows, instances = rows_of(find_family("graham").generate(0, {"gpus": 2}))
    lie = rows[0] | {"status": "wrong", "makespan": 1, "bound": 9}
    found = ratios([lie, *rows[1:]], instances)
    assert [(ratio.heuristic, ratio.exact) for ratio in found] == [("longest-first", 1)]


def test_a_planted_optimum_counts_once_its_schedule_is_checked_and_meets_the_bound():
    shown = find_family("planted").generate(0, {"jobs": 30, "reveal": True})
    hidden = find_family("planted").generate(0, {"jobs": 30})
    rows, instances = rows_of(shown, exact=False)
    assert brackets(rows, instances)[shown.fingerprint].optimum == shown.known.optimum
    rows, instances = rows_of(hidden, exact=False, heuristics=("sjf-bco",))
    assert brackets(rows, instances)[hidden.fingerprint].optimum is None


def test_options_that_differ_are_told_apart():
    instance = find_family("graham").generate(0, {"gpus": 2})
    row = solve_heuristic(instance, "sjf-bco", {"bisection": "tightest"}, Limits()).document()
    assert heuristic_label(row) == "sjf-bco bisection=tightest"
    assert ratios([row], {instance.fingerprint: instance})[0].theorem == 1
