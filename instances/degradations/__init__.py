"""How much a shared link slows down: f(k) for k contending jobs, eq. (7). One file a function.

A file defines ``Degradation``, a frozen dataclass of its parameters with two methods:
``factor(k)`` in exact rationals and ``expression(k)`` in ordinary arithmetic, for models.
Every function has f(1) = 1 and does not decrease.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol

from instances.options import make_options
from instances.registry import plugin


class DegradationFunction(Protocol):
    """The interface of every degradation function."""

    def factor(self, k: Fraction) -> Fraction:
        """f(k) exactly, for rational k >= 1; irrational values to 12 significant digits."""
        ...

    def expression(self, k: Any) -> Any:
        """f(k) in the arithmetic of `k`: a float, an array, or an expression of a model."""
        ...


def parse_degradation(document: Any) -> DegradationFunction:
    """Read ``{"kind": "linear", "alpha": 0.2}``; raises InputError on anything else."""
    if not isinstance(document, Mapping):
        return document  # type: ignore[no-any-return]  # built in Python already
    kind = document.get("kind")
    if not isinstance(kind, str):
        raise ValueError('"kind" must name a degradation function, such as "linear"')
    module = plugin(sys.modules[__name__], "degradation", kind)
    values = {key: value for key, value in document.items() if key != "kind"}
    for key, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{key} = {value!r} must be a number")
    return make_options(module.Degradation, values, f"degradation {kind}")  # type: ignore[no-any-return]


def degradation_document(function: DegradationFunction) -> dict[str, Any]:
    """The JSON form of a degradation function; its kind is the name of its file."""
    kind = type(function).__module__.rpartition(".")[2].replace("_", "-")
    return {"kind": kind, **dataclasses.asdict(function)}  # type: ignore[call-overload]
