"""How runs are counted, averaged and compared.

One rule everywhere: what was not solved counts as its time limit, so that giving up is never
rewarded; what could not be tried (no licence, wrong class of model, refused enumeration, a program
that gives a bound and no schedule) is counted and left out for everybody; wrong rows enter nothing.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from instances.errors import InputError

Row = dict[str, Any]
Outcome = Literal["solved", "timeout", "failed", "skipped", "wrong"]
Unit = tuple[str, int, int]
"""What contestants are compared on: base fingerprint, permutation of the jobs, seed."""

VIRTUAL_BEST = "virtual best"
SHIFT_SECONDS = 10.0
"""Shift of the geometric mean of times, as in Mittelmann's and MIPLIB's benchmarks."""

RESOLUTION_SECONDS = 1e-6
"""No run takes less: ratios of times need a positive denominator."""

_OUTCOMES: dict[str, Outcome] = {
    "optimal": "solved",
    "infeasible": "solved",
    "feasible": "timeout",
    "no_solution": "timeout",
    "error": "failed",
    "memory_limit": "failed",
    "unsupported": "skipped",
    "unavailable": "skipped",
    "licence_limit": "skipped",
    "too_large": "skipped",
    "wrong": "wrong",
}


def outcome(row: Row) -> Outcome:
    """What became of a run; a heuristic has solved when it has found a schedule."""
    if row["method"]["kind"] == "heuristic" and row["status"] in ("feasible", "no_solution"):
        return "solved" if row["status"] == "feasible" else "failed"
    if row["status"] != "wrong" and _gives_bounds_alone(row["method"].get("formulation")):
        return "skipped"
    return _OUTCOMES[row["status"]]


@functools.cache
def _gives_bounds_alone(formulation: str | None) -> bool:
    """Whether a formulation has no schedule to find, so that finding none is no failure."""
    if formulation is None:
        return False
    from formulations import find_formulation  # imports Pyomo

    try:
        return find_formulation(formulation).minimises != "makespan"
    except InputError:
        return False  # a row from elsewhere


def unit(row: Row) -> Unit:
    """The unit of comparison that a row belongs to."""
    return row.get("base") or row["fingerprint"], row.get("permutation") or 0, row["seed"]


def shifted_geometric_mean(values: Iterable[float], shift: float = SHIFT_SECONDS) -> float | None:
    """exp(mean(log(v + shift))) - shift; None where there are no values."""
    logs = [math.log(value + shift) for value in values]
    return math.exp(math.fsum(logs) / len(logs)) - shift if logs else None


def counted_seconds(row: Row, limit: float) -> float:
    """Wall seconds of a solved run, at most the limit; the limit for any other."""
    if outcome(row) != "solved":
        return limit
    return max(RESOLUTION_SECONDS, min(float(row["wall_seconds"]), limit))


@dataclass(frozen=True)
class Contest:
    """What each contestant needed (seconds, or makespan over optimum) on the same units.

    Attributes
    ----------
    costs : mapping of contestant to (mapping of unit to float)
        The smaller, the better.
    solved : mapping of contestant to set of units
    shift : float
        Shift of the geometric mean.
    """

    costs: Mapping[str, Mapping[Unit, float]]
    solved: Mapping[str, frozenset[Unit]]
    shift: float

    @property
    def units(self) -> list[Unit]:
        return sorted(next(iter(self.costs.values()), {}))

    def mean(self, contestant: str) -> float | None:
        """Shifted geometric mean over all units; None for who is not part of the contest."""
        return shifted_geometric_mean(self.costs.get(contestant, {}).values(), self.shift)

    def spread(self, contestant: str) -> tuple[float, float] | None:
        """Smallest and largest mean over replicates; None where there is only one.

        A replicate is one seed with one order of the jobs: everything that should not matter.
        """
        replicates: dict[tuple[int, int], list[float]] = {}
        for (_, permutation, seed), cost in self.costs.get(contestant, {}).items():
            replicates.setdefault((permutation, seed), []).append(cost)
        means = [shifted_geometric_mean(costs, self.shift) for costs in replicates.values()]
        found = [mean for mean in means if mean is not None]
        return (min(found), max(found)) if len(found) > 1 else None

    def winner(self) -> str | None:
        """Who is better in every replicate than all others in any; None where ranges overlap."""
        spreads = {name: self.spread(name) for name in self.costs}
        for name, mine in spreads.items():
            others = [other for rival, other in spreads.items() if rival != name]
            if mine and others and all(other and mine[1] < other[0] for other in others):
                return name
        return None

    def verdict(self) -> str:
        """Who won, or why nobody did."""
        if len(self.costs) < 2:
            return "no winner: only one took part"
        if not self.units:
            return "no winner: there is nothing that all of them attempted"
        winner = self.winner()
        if winner is not None:
            return f"winner: {winner}, in every seed and job order"
        if any(self.spread(name) is None for name in self.costs):
            return "no winner: one seed and one job order say nothing about chance"
        return "no winner: the ranges over seeds and job orders overlap"

    def wins(self) -> dict[str, dict[str, int]]:
        """For every pair, the units that the first solved and the second did not, or less well."""
        return {
            name: {rival: self._wins(name, rival) for rival in self.costs if rival != name}
            for name in self.costs
        }

    def _wins(self, name: str, rival: str) -> int:
        mine, theirs = self.costs[name], self.costs[rival]
        return sum(
            unit not in self.solved[rival] or mine[unit] < theirs[unit]
            for unit in self.solved[name]
        )

    def virtual_best(self) -> Contest:
        """The contest of one who is always as good as the best."""
        best = {unit: min(costs[unit] for costs in self.costs.values()) for unit in self.units}
        solved = frozenset[Unit]().union(*self.solved.values())
        return Contest({VIRTUAL_BEST: best}, {VIRTUAL_BEST: solved}, self.shift)

    def profile(self, contestant: str) -> list[tuple[float, float]]:
        """Performance profile (Dolan and More, 2002): (factor, share of units) at every step.

        The share of units that the contestant solved at no more than `factor` times the cost of
        the best who solved it; it ends at the share that the contestant solved.
        """
        ratios = sorted(
            self.costs[contestant][unit]
            / min(self.costs[name][unit] for name in self.costs if unit in self.solved[name])
            for unit in self.solved[contestant]
        )
        return steps(ratios, len(self.units))


def steps(ratios: Sequence[float], total: int) -> list[tuple[float, float]]:
    """(ratio, share of `total` at or below it) for every distinct one of the sorted `ratios`."""
    last = {ratio: count for count, ratio in enumerate(ratios, start=1)}
    return [(ratio, count / total) for ratio, count in last.items()]


def race(rows: Iterable[Row], contestant: Callable[[Row], str]) -> Contest:
    """The contest in time of all who attempted something, over the units that all attempted.

    Units that somebody skipped, or got wrong, are left out for everybody; contestants that
    attempted nothing are not part of it. Without a time limit an unsolved run counts as the
    longest time of all.
    """
    rows = list(rows)
    limit = _limit(rows)
    attempts: dict[str, dict[Unit, Row]] = {}
    for row in rows:
        if outcome(row) in ("solved", "timeout", "failed"):
            attempts.setdefault(contestant(row), {})[unit(row)] = row
    common = set.intersection(*map(set, attempts.values())) if attempts else set()
    costs = {
        name: {unit: counted_seconds(tried[unit], limit) for unit in sorted(common)}
        for name, tried in attempts.items()
    }
    solved = {
        name: frozenset(unit for unit in common if outcome(tried[unit]) == "solved")
        for name, tried in attempts.items()
    }
    return Contest(costs, solved, SHIFT_SECONDS)


def _limit(rows: Sequence[Row]) -> float:
    """The time limit of the rows; each has the same, or the longest time stands in for it."""
    limits = {row.get("time_limit") for row in rows}
    if limits - {None}:
        return float(max(limit for limit in limits if limit is not None))
    return max((float(row["wall_seconds"]) for row in rows), default=0.0)
