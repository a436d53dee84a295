"""Claims about one instance must fit together: no schedule lies below a claimed bound.

The order of jobs does not change what is optimal, so instances that differ in it alone are
judged together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Contradiction:
    """A claim, and a row with a schedule that it rules out."""

    claim: Row
    schedule: Row

    def __str__(self) -> str:
        bound = (
            "infeasible" if self.claim["bound"] is None else f"makespan >= {self.claim['bound']}"
        )
        return (
            f"{self.claim['instance']}: {label(self.claim)} claims {bound}, but "
            f"{label(self.schedule)} has a checked schedule of {self.schedule['makespan']}"
        )


def label(row: Row) -> str:
    """The method of a row, in a few words."""
    method = row["method"]
    parts = (method.get("name"), method.get("formulation"), method.get("backend"))
    return "/".join(part for part in parts if part)


def contradictions(rows: Iterable[Row]) -> list[Contradiction]:
    """Every pair of a claim and a schedule that cannot both be right."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["status"] != "wrong":
            groups.setdefault(row.get("base") or row["fingerprint"], []).append(row)
    return [pair for group in groups.values() for pair in _within(group)]


def _within(rows: list[Row]) -> Iterable[Contradiction]:
    scheduled = [row for row in rows if row["makespan"] is not None]
    for claim in rows:
        for other in scheduled:
            claimed = claim["bound"] is not None and claim["bound"] > other["makespan"]
            if claimed or claim["status"] == "infeasible":
                yield Contradiction(claim, other)


def wrong(row: Row, pair: Contradiction) -> Row:
    """The row, no longer to be believed."""
    return row | {"status": "wrong", "proven": False, "message": f"contradiction: {pair}"}
