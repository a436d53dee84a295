"""Linear degradation, the paper's default: f(k) = k + alpha (k - 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field


@dataclass(frozen=True)
class Degradation:
    """f(k) = k + alpha (k - 1), below eq. (7)."""

    alpha: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    def factor(self, k: Fraction) -> Fraction:
        return k + Fraction(repr(self.alpha)) * (k - 1)

    def expression(self, k: Any) -> Any:
        return k + self.alpha * (k - 1)
