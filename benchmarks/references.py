"""What is known about each instance: the best schedule, the best bound, perhaps the optimum.

Instances that differ only in the order of their jobs share one reference, under the fingerprint of
the order as given (``base``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Reference:
    """The best makespan that any checked schedule has, and the best proven bound."""

    best: int | None = None
    bound: int | None = None

    @property
    def optimum(self) -> int | None:
        """The proven optimum, where the two meet."""
        return self.best if self.best == self.bound else None

    def ratio(self, makespan: int) -> float | None:
        """Makespan / optimum where the optimum is proven."""
        return None if self.optimum is None else makespan / self.optimum

    def interval(self, makespan: int) -> tuple[float, float] | None:
        """[makespan / best known, makespan / best bound] where it is not."""
        if self.optimum is not None or self.best is None or self.bound is None:
            return None
        return makespan / self.best, makespan / self.bound


def references(rows: Iterable[Row]) -> dict[str, Reference]:
    """The reference of every base fingerprint among the rows; wrong rows are ignored."""
    found: dict[str, Reference] = {}
    for row in rows:
        if row["status"] == "wrong":
            continue
        base = row.get("base") or row["fingerprint"]
        known = found.get(base, Reference())
        makespans = [value for value in (known.best, row["makespan"]) if value is not None]
        bounds = [value for value in (known.bound, row["bound"]) if value is not None]
        found[base] = Reference(min(makespans, default=None), max(bounds, default=None))
    return found


def claim(
    method: str, instance: str, fingerprint: str, makespan: int | None, bound: int | None
) -> Row:
    """What somebody else says about an instance, in the form of a row."""
    return {
        "instance": instance,
        "fingerprint": fingerprint,
        "base": fingerprint,
        "method": {"kind": "claim", "name": method},
        "status": "optimal" if makespan == bound else "feasible",
        "makespan": makespan,
        "bound": bound,
    }


def claims_by_construction(instances: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Optima that the instances, by fingerprint, say they know."""
    found = []
    for fingerprint, document in instances.items():
        known = document.get("known")
        if known is not None:
            optimum = known["optimum"]
            name = "known by construction"
            found.append(claim(name, document["name"], fingerprint, optimum, optimum))
    return found
