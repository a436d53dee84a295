"""Power degradation: f(k) = k ** exponent, rounded to 12 significant digits."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field


@dataclass(frozen=True)
class Degradation:
    """f(k) = k ** exponent; exponent 1 is a fair share, above 1 sharing itself costs."""

    exponent: Annotated[float, Field(ge=0, le=8)]

    def factor(self, k: Fraction) -> Fraction:
        with localcontext() as context:
            context.prec = 40
            value = (Decimal(k.numerator) / Decimal(k.denominator)) ** Decimal(repr(self.exponent))
            context.prec = 12
            return Fraction(+value)

    def expression(self, k: Any) -> Any:
        return k**self.exponent
