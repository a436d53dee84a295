"""A model that grows until memory runs out."""

from dataclasses import dataclass

import pyomo.environ as pyo


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance, bracket, options):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(pyo.Any)
    for index in range(10**9):
        model.x[index] = float(index)
