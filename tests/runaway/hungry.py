"""A model that grows until memory runs out."""

from dataclasses import dataclass

import pyomo.environ as pyo


@dataclass(frozen=True)
class Options:
    """None."""


def build(instance, bracket, options):
    model = pyo.ConcreteModel()
    model.table = pyo.Param(pyo.NonNegativeIntegers, within=pyo.Any, mutable=True)
    for index in range(10**6):
        model.table[index] = bytearray(b"x") * 1_000_000
