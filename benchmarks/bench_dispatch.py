"""Dispatching at the paper's own scale: 160 jobs on 20 servers."""

import pytest

from instances.families import find_family
from solvers.heuristics import find_heuristic, heuristic_names
from solvers.heuristics.sjf_bco import Options, distinct_kappas, search

PAPER = find_family("paper").generate(0, {})


@pytest.mark.parametrize("name", heuristic_names())
def test_dispatch(benchmark, name):
    heuristic = find_heuristic(name)
    arguments = (PAPER, heuristic.options(), 0)
    schedule = benchmark.pedantic(heuristic.schedule, arguments, rounds=5, warmup_rounds=1)
    assert schedule is not None


@pytest.mark.parametrize("loop", ["distinct kappas", "every kappa"])
def test_kappa_loop(benchmark, loop):
    """The paper's loop over kappa = 1..max G_j against one kappa for each split of the jobs."""
    widest = max(job.gpus for job in PAPER.jobs)
    kappas = distinct_kappas(PAPER) if loop == "distinct kappas" else range(1, widest + 1)
    arguments = (PAPER, Options(), kappas)
    assert benchmark.pedantic(search, arguments, rounds=5, warmup_rounds=1) is not None
