"""Tables that compare methods: exact ones by time to proof, heuristics by their schedules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.metrics import (
    SHIFT_SECONDS,
    VIRTUAL_BEST,
    Contest,
    Outcome,
    Row,
    Unit,
    outcome,
    race,
    shifted_geometric_mean,
    steps,
    unit,
)
from benchmarks.results import Results, labeller

OUTCOMES: tuple[Outcome, ...] = ("solved", "timeout", "failed", "skipped", "wrong")


TIME_FACTORS, RATIOS = (1.0, 2.0, 4.0, 10.0, 100.0), (1.0, 1.05, 1.1, 1.25, 1.5, 2.0)
"""Where profiles are read off in print."""


@dataclass(frozen=True)
class Comparison:
    """One table of contestants, and what stands beside it.

    Attributes
    ----------
    title : str
    lines : list of dict
        One per contestant, column by column.
    rule : str
        How the numbers came about.
    verdict : str
        Who won, or why nobody did.
    wins : dict of contestant to (dict of contestant to int)
        Units in which the first was better than the second.
    profiles : dict of contestant to list of (factor, share of units)
    """

    title: str
    lines: list[dict[str, Any]]
    rule: str
    verdict: str
    wins: dict[str, dict[str, int]]
    profiles: dict[str, list[tuple[float, float]]]
    factors: tuple[float, ...]

    def win_lines(self) -> list[dict[str, Any]]:
        """The pairwise wins as lines of a table; none for a contestant alone."""
        if len(self.wins) < 2:
            return []
        return [{"wins of": name} | {f"over {r}": n for r, n in row.items()}
                for name, row in self.wins.items()]  # fmt: skip

    def profile_lines(self) -> list[dict[str, Any]]:
        """The profiles, read off at a few factors and at their ends."""
        lines: list[dict[str, Any]] = []
        for name, profile in self.profiles.items():
            shares = [
                max((share for at, share in profile if at <= factor), default=0.0)
                for factor in self.factors
            ]
            line = {f"within {f:g}": s for f, s in zip(self.factors, shares, strict=True)}
            lines.append(
                {"share of units": name} | line | {"end": max([0.0, *(s for _, s in profile)])}
            )
        return lines


def compare(results: Results, by: str | None) -> list[Comparison]:
    """The comparisons that the rows allow.

    Parameters
    ----------
    by : {"backend", "formulation", "heuristic"} or None
        With "backend" (or "formulation") one table for each formulation (backend); backends that
        need no model are part of every one. None compares whole methods.
    """
    exact = [row for row in results.rows if row["method"]["kind"] == "exact"]
    heuristic = [row for row in results.rows if row["method"]["kind"] == "heuristic"]
    found = []
    if by == "backend":
        found = [
            compare_exact(results, rows, f"backends on {name}", frozenset({"formulation"}))
            for name, rows in _tables(exact, "formulation")
        ]
    elif by == "formulation":
        found = [
            compare_exact(results, rows, f"formulations on {name}", frozenset({"backend"}))
            for name, rows in _tables(exact, "backend")
        ]
    elif by is None and exact:
        found = [compare_exact(results, exact, "exact methods")]
    if by in (None, "heuristic") and heuristic:
        found.append(compare_heuristics(results, heuristic))
    return found


def _tables(rows: list[Row], part: str) -> Iterable[tuple[str, list[Row]]]:
    """Rows by formulation or by backend; those without a formulation stand in every table."""
    names = sorted({row["method"][part] for row in rows} - {None})
    for name in names:
        yield name, [row for row in rows if row["method"][part] in (name, None)]
    if not names and rows:
        yield "no model", rows


def compare_exact(
    results: Results, rows: Sequence[Row], title: str, hide: frozenset[str] = frozenset()
) -> Comparison:
    """Exact methods by time to proof."""
    name = labeller(rows, hide)
    skippers = {name(row) for row in rows if outcome(row) == "skipped"}
    races = [race([row for row in rows if name(row) not in skippers], name), race(rows, name)]
    common = races[-1]
    wins = common.wins()
    lines = []
    for who, mine in _grouped(rows, name):
        line = {"method": who, "runs": len(mine)} | _counts(mine)
        line |= {_mean_column(race): race.mean(who) for race in races}
        line["range over seeds"] = common.spread(who)
        line["wins"] = sum(wins[who].values()) if who in wins else None
        line["gap to best known"] = _mean(_gaps_to_best(mine, results))
        lines.append(line)
    if len(common.costs) > 1:
        best = common.virtual_best()
        solved = len(best.solved[VIRTUAL_BEST])
        mean = best.mean(VIRTUAL_BEST)
        lines.append({"method": VIRTUAL_BEST, "solved": solved, _mean_column(common): mean})
    limit = max((row.get("time_limit") or 0 for row in rows), default=0)
    rule = (
        f"mean s: shifted geometric mean of wall seconds, shift {SHIFT_SECONDS:g} s; a run not "
        f"solved counts as the limit ({limit:g} s); over the units (instance, job order, seed) "
        "that all in the column attempted, none skipped and none got wrong"
    )
    profiles = {who: common.profile(who) for who in common.costs} if common.units else {}
    return Comparison(title, lines, rule, common.verdict(), wins, profiles, TIME_FACTORS)


def _mean_column(race: Contest) -> str:
    return f"mean s, {len(race.units)} units"


def _counts(rows: Iterable[Row]) -> dict[str, int]:
    counts = Counter(map(outcome, rows))
    return {key: counts[key] for key in OUTCOMES}


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _gaps_to_best(rows: Iterable[Row], results: Results) -> list[float]:
    """(makespan - best known) / best known for every row with a schedule."""
    found = []
    for row in rows:
        best = results.known(row).best
        if row["makespan"] is not None and row["status"] != "wrong" and best is not None:
            found.append((row["makespan"] - best) / best)
    return found


def compare_heuristics(results: Results, rows: Sequence[Row]) -> Comparison:
    """Heuristics by makespan over optimum, where the optimum is proven."""
    name = labeller(rows)
    groups = _grouped(rows, name)
    ratios = {who: exact_ratios(mine, results) for who, mine in groups}
    common = frozenset.intersection(*(frozenset(found) for found in ratios.values()))
    contest = Contest(
        {who: {unit: found[unit] for unit in sorted(common)} for who, found in ratios.items()},
        dict.fromkeys(ratios, common),
        0.0,
    )
    wins = contest.wins()
    lines = []
    for who, mine in groups:
        line = {"method": who, "runs": len(mine)} | _counts(mine)
        line |= _ratio_columns(list(ratios[who].values()))
        line[f"geo mean, {len(common)} units"] = contest.mean(who)
        line["range over seeds"] = contest.spread(who)
        line["wins"] = sum(wins[who].values())
        line["intervals"] = sum(_has_interval(row, results) for row in mine)
        line["gap to best known"] = _mean(_gaps_to_best(mine, results))
        lines.append(line)
    rule = (
        "ratio: makespan / optimum where the optimum is proven; elsewhere it is an interval, "
        "[makespan / best known, makespan / best bound], and enters no mean; a heuristic that "
        "finds nothing has failed"
    )
    proven = {unit(row) for row in rows if results.known(row).optimum is not None}
    profiles = {who: steps(sorted(r.values()), len(proven)) for who, r in ratios.items() if r}
    return Comparison("heuristics", lines, rule, contest.verdict(), wins, profiles, RATIOS)


def exact_ratios(rows: Iterable[Row], results: Results) -> dict[Unit, float]:
    """Makespan / optimum by unit, where there is a schedule and the optimum is proven."""
    found = {}
    for row in rows:
        optimum = results.known(row).optimum
        if row["makespan"] is not None and row["status"] != "wrong" and optimum is not None:
            found[unit(row)] = row["makespan"] / optimum
    return found


def _has_interval(row: Row, results: Results) -> bool:
    known = results.known(row)
    scheduled = row["makespan"] is not None and row["status"] != "wrong"
    return scheduled and known.optimum is None and known.bound is not None


def _ratio_columns(ratios: Sequence[float]) -> dict[str, Any]:
    return {
        "ratios": len(ratios),
        "mean": _mean(ratios),
        "geo mean": shifted_geometric_mean(ratios, 0.0),
        "max": max(ratios, default=None),
        "optimal": _mean([float(ratio == 1) for ratio in ratios]),
    }


def _grouped(rows: Iterable[Row], name: Callable[[Row], str]) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    return list(groups.items())
