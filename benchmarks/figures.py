"""The figures of a report: which panels, with what in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks.comparison import Comparison, exact_ratios
from benchmarks.metrics import Row, outcome, shifted_geometric_mean
from benchmarks.plots import Palette, Panel, Series, profile, scaling, strips
from benchmarks.results import Results, labeller


@dataclass(frozen=True)
class Figure:
    """Panels that belong together.

    Attributes
    ----------
    name : str
        Of the file.
    panels : list of (str, Panel)
        Each with its title.
    """

    name: str
    title: str
    caption: str
    panels: list[tuple[str, Panel]]


def figures(results: Results, comparisons: Iterable[Comparison]) -> list[Figure]:
    """All figures that the rows give something for."""
    found = [ratio_figure(results), profile_figure(comparisons), scaling_figure(results)]
    return [figure for figure in found if figure.panels]


def families(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by family, families by name."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.get("family") or "instances", []).append(row)
    return dict(sorted(groups.items()))


def ratio_figure(results: Results) -> Figure:
    """Distribution of makespan / optimum, a panel per family."""
    rows = [row for row in results.rows if row["method"]["kind"] == "heuristic"]
    name = labeller(rows)
    palette = Palette(map(name, rows))
    drawn = {
        family: [_strip(results, who, mine) for who, mine in _grouped(group, name).items()]
        for family, group in families(rows).items()
    }
    values = [x for series in drawn.values() for one in series for x, _ in one.points]
    values += [high for series in drawn.values() for one in series for _, high in one.ranges]
    largest = max([1.5, *values]) * 1.05
    panels = [
        (family, strips(family, _proven(results, family), series, palette, largest))
        for family, series in drawn.items()
        if any(one.points or one.ranges for one in series)
    ]
    caption = (
        "Makespan over optimum, one dot per run. A bar is the geometric mean of the dots; a line "
        "is an interval, where the optimum is not proven. Logarithmic axis, the same in all panels."
    )
    return Figure("ratios", "Ratio to the optimum", caption, panels)


def _proven(results: Results, family: str) -> str:
    known = {
        row.get("base") or row["fingerprint"]: results.known(row).optimum is not None
        for row in results.rows
        if (row.get("family") or "instances") == family
    }
    return f"{sum(known.values())} of {len(known)} optima proven"


def _strip(results: Results, who: str, rows: list[Row]) -> Series:
    ratios = list(exact_ratios(rows, results).values())
    ranges = []
    for row in rows:
        known = results.known(row)
        if row["makespan"] is None or row["status"] == "wrong" or known.optimum is not None:
            continue
        if known.best is not None and known.bound:
            ranges.append((row["makespan"] / known.best, row["makespan"] / known.bound))
    mark = shifted_geometric_mean(ratios, 0.0)
    return Series(who, [(ratio, 0.0) for ratio in ratios], [], ranges, mark)


def profile_figure(comparisons: Iterable[Comparison]) -> Figure:
    """One panel of profiles per comparison."""
    panels = []
    for comparison in comparisons:
        if len(comparison.profiles) < 1:
            continue
        series = [Series(name, points) for name, points in comparison.profiles.items()]
        heuristics = comparison.title == "heuristics"
        axis = "makespan / optimum" if heuristics else "seconds / seconds of the fastest"
        palette = Palette(comparison.profiles)
        panel = profile(comparison.title, "share of units", series, palette, axis)
        panels.append((comparison.title, panel))
    caption = (
        "The share of units on which a method is within a factor of the best. For exact methods "
        "the best is the fastest (Dolan and More, 2002) and a curve ends at the share solved; for "
        "heuristics it is the proven optimum, and a curve ends at the share scheduled."
    )
    return Figure("profiles", "Performance profiles", caption, panels)


def scaling_figure(results: Results) -> Figure:
    """Time of exact methods over the number of jobs, a panel per family."""
    rows = [
        row
        for row in results.rows
        if row["method"]["kind"] == "exact"
        and outcome(row) in ("solved", "timeout")
        and row["fingerprint"] in results.instances
    ]
    name = labeller(rows)
    palette = Palette(map(name, rows))
    panels = []
    for family, group in families(rows).items():
        series = [_times(results, who, mine) for who, mine in _grouped(group, name).items()]
        limit = max((row.get("time_limit") or 0 for row in group), default=0) or None
        panels.append((family, scaling(family, "", series, palette, limit)))
    caption = (
        "Wall seconds, model building included, over the number of jobs. A hollow dot was not "
        "solved; a line joins medians; the dashed line is the time limit."
    )
    return Figure("scaling", "Time to proof", caption, panels)


def _times(results: Results, who: str, rows: list[Row]) -> Series:
    def points(wanted: str) -> list[tuple[float, float]]:
        return [
            (len(results.instances[row["fingerprint"]].jobs), max(1e-3, row["wall_seconds"]))
            for row in rows
            if outcome(row) == wanted
        ]

    return Series(who, points("solved"), points("timeout"))


def _grouped(rows: Iterable[Row], name: Callable[[Row], str]) -> dict[str, list[Any]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    return groups
