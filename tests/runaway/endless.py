"""A model that is built without end."""

from dataclasses import dataclass

import pyomo.environ as pyo


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance, bracket, options):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(100))
    model.constraints = pyo.ConstraintList()
    while True:
        model.constraints.clear()
        model.constraints.add(sum(model.x.values()) >= 1)
