"""The checker, on a schedule at the paper's own scale and on a long one."""

import pytest

from instances.checker import check
from instances.families import find_family
from solvers.heuristics import find_heuristic

SIZES = {
    "paper": ("paper", {}),
    "planted 200 jobs": ("planted", {"jobs": 200}),
    "contended 40 jobs": ("contended", {"jobs": 40, "servers": 8}),
}


@pytest.mark.parametrize("size", SIZES)
def test_check(benchmark, size):
    family, settings = SIZES[size]
    instance = find_family(family).generate(0, settings)
    heuristic = find_heuristic("longest-first")
    schedule = heuristic.schedule(instance, heuristic.options(), 0)
    documents = (instance.document(), schedule.document(instance))
    assert benchmark.pedantic(check, documents, rounds=5, warmup_rounds=1).feasible
