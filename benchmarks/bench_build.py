"""Building each formulation's model, without solving it."""

import pytest

from formulations import find_formulation, formulation_names
from instances.families import find_family
from solvers.bracket import find_bracket

INSTANCE = find_family("uniform").generate(0, {"jobs": 6, "servers": 3})


@pytest.mark.parametrize("name", formulation_names())
def test_build(benchmark, name):
    formulation = find_formulation(name)
    arguments = (INSTANCE, find_bracket(INSTANCE), formulation.options())
    program = benchmark.pedantic(formulation.program, arguments, rounds=5, warmup_rounds=1)
    assert program.model is not None
