"""Figures in SVG, drawn by hand so that page and files show the same and nothing else is needed.

A panel is small enough for a phone; a figure is a grid of panels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH = 348
"""Pixels of a panel; three stand side by side on a desk, one on a phone."""
INK, MUTED, GRID, PAPER = "#1c2430", "#6b7280", "#e6e3dc", "#ffffff"
FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#5b5ea6",
    "#7f7f7f",
)  # fmt: skip
"""Okabe and Ito (2008), told apart by the colour-blind, and three more."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """What is drawn for one method.

    Attributes
    ----------
    points : list of (float, float)
        Positions; for strips (ratio, 0).
    hollow : list of (float, float)
        Positions of what was not solved.
    ranges : list of (float, float)
        Intervals that a value is known to lie in.
    mark : float or None
        A mean, for strips.
    """

    name: str
    points: list[Point] = field(default_factory=list)
    hollow: list[Point] = field(default_factory=list)
    ranges: list[Point] = field(default_factory=list)
    mark: float | None = None


@dataclass(frozen=True)
class Panel:
    """A finished panel: its height in pixels and what is inside."""

    height: float
    content: str


class Palette:
    """The same colour for the same method in every figure."""

    def __init__(self, names: Iterable[str]) -> None:
        self._colours = {
            name: COLOURS[index % len(COLOURS)] for index, name in enumerate(dict.fromkeys(names))
        }

    def __getitem__(self, name: str) -> str:
        return self._colours[name]


def figure(panels: Sequence[Panel], columns: int) -> str:
    """A file: the panels in a grid."""
    gap = 20
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    width = min(columns, len(panels)) * (WIDTH + gap) + gap
    parts, y = [], float(gap)
    for row in rows:
        for column, panel in enumerate(row):
            x = gap + column * (WIDTH + gap)
            parts.append(f'<g transform="translate({x} {y:g})">{panel.content}</g>')
        y += max(panel.height for panel in row) + gap
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y:g}" width="{width}" '
        f'height="{y:g}" font-family="{FONT}"><rect width="100%" height="100%" fill="{PAPER}"/>'
        f"{''.join(parts)}</svg>\n"
    )


def inline(panel: Panel, title: str) -> str:
    """The panel as it stands in a page."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {panel.height:g}" role="img" aria-label="{escape(title)}">'
        f"{panel.content}</svg>"
    )


def strips(
    title: str, note: str, series: Sequence[Series], palette: Palette, largest: float
) -> Panel:
    """One line per method, one dot per value, on a logarithmic axis from 1 to `largest`."""
    left, right, top, line = 118, 14, 34, 21
    scale = _log_scale(1.0, largest, left, WIDTH - right)
    bottom = top + line * len(series)
    parts = [_heading(title, note)]
    for tick in _ratio_ticks(largest):
        parts.append(_vertical(scale(tick), top - 4, bottom))
        parts.append(_text(scale(tick), bottom + 14, f"{tick:g}", "middle", MUTED, 10))
    for index, one in enumerate(series):
        y, colour = top + line * (index + 0.5), palette[one.name]
        parts.append(_text(left - 10, y + 4, one.name, "end", INK, 11))
        parts += [
            f'<line x1="{scale(low):.1f}" x2="{scale(high):.1f}" y1="{y + _jitter(i):.1f}" '
            f'y2="{y + _jitter(i):.1f}" stroke="{colour}" stroke-opacity=".3" stroke-width="1.6"/>'
            for i, (low, high) in enumerate(one.ranges)
        ]
        parts += [
            f'<circle cx="{scale(value):.1f}" cy="{y + _jitter(i):.1f}" r="2.7" fill="{colour}" '
            'fill-opacity=".55"/>'
            for i, (value, _) in enumerate(one.points)
        ]
        if one.mark is not None:
            x = scale(one.mark)
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 8:g}" y2="{y + 8:g}" stroke="{INK}" '
                'stroke-width="1.8"/>'
            )
    return Panel(bottom + 22, "".join(parts))


def profile(title: str, note: str, series: Sequence[Series], palette: Palette, axis: str) -> Panel:
    """Performance profiles: the share of units within a factor of the best, as steps."""
    left, right, top, height = 40, 14, 34, 190
    ends = [x for one in series for x, _ in one.points]
    largest = max([1.5, *ends]) * 1.08
    scale = _log_scale(1.0, largest, left, WIDTH - right)
    bottom = top + height
    parts = [_heading(title, note)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = bottom - share * height
        parts.append(_horizontal(y, left, WIDTH - right))
        parts.append(_text(left - 6, y + 3.5, f"{100 * share:g} %", "end", MUTED, 10))
    parts += [
        _text(scale(tick), bottom + 14, f"{tick:g}", "middle", MUTED, 10)
        for tick in _ratio_ticks(largest)
    ]
    parts.append(_text(WIDTH - right, bottom + 28, axis, "end", MUTED, 10))
    for one in series:
        path, last = [f"M{left} {bottom}"], 0.0
        for factor, share in one.points:
            path.append(f"H{scale(factor):.1f}V{bottom - share * height:.1f}")
            last = share
        path.append(f"H{WIDTH - right}")
        parts.append(
            f'<path d="{"".join(path)}" fill="none" stroke="{palette[one.name]}" '
            f'stroke-width="2" stroke-linejoin="round"><title>{escape(one.name)}: ends at '
            f"{100 * last:.0f} %</title></path>"
        )
    legend, rows = _legend([one.name for one in series], palette, bottom + 46)
    return Panel(bottom + 46 + 16 * rows, "".join(parts) + legend)


def scaling(
    title: str, note: str, series: Sequence[Series], palette: Palette, limit: float | None
) -> Panel:
    """Seconds over the number of jobs; a hollow dot was not solved."""
    left, right, top, height = 40, 14, 34, 170
    points = [point for one in series for point in one.points + one.hollow]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low = 10 ** math.floor(math.log10(max(1e-3, min(ys))))
    high = max([*ys, limit or 0, low * 10]) * 1.25
    across = _linear_scale(min(xs) - 0.5, max(xs) + 0.5, left, WIDTH - right)
    up = _log_scale(low, high, top + height, top)
    bottom = top + height
    parts = [_heading(title, note)]
    for power in range(round(math.log10(low)), math.floor(math.log10(high)) + 1):
        parts.append(_horizontal(up(10.0**power), left, WIDTH - right))
        parts.append(_text(left - 6, up(10.0**power) + 3.5, f"{10.0**power:g}", "end", MUTED, 10))
    if limit is not None:
        parts.append(_horizontal(up(limit), left, WIDTH - right, MUTED, "3 3"))
    parts += [
        _text(across(jobs), bottom + 14, f"{jobs:g}", "middle", MUTED, 10)
        for jobs in _whole_ticks(min(xs), max(xs))
    ]
    parts.append(_text(WIDTH - right, bottom + 28, "jobs (seconds upwards)", "end", MUTED, 10))
    for index, one in enumerate(series):
        colour, shift = palette[one.name], 4.0 * (index - (len(series) - 1) / 2)
        parts += [_median_line(one, across, up, colour, shift)]
        for (x, y), fill in [(p, colour) for p in one.points] + [(p, PAPER) for p in one.hollow]:
            parts.append(
                f'<circle cx="{across(x) + shift:.1f}" cy="{up(y):.1f}" r="2.8" fill="{fill}" '
                f'stroke="{colour}" fill-opacity=".7"/>'
            )
    legend, rows = _legend([one.name for one in series], palette, bottom + 46)
    return Panel(bottom + 46 + 16 * rows, "".join(parts) + legend)


def _median_line(
    one: Series, across: Callable[[float], float], up: Callable[[float], float], colour: str,
    shift: float,
) -> str:  # fmt: skip
    by_x: dict[float, list[float]] = {}
    for x, y in one.points + one.hollow:
        by_x.setdefault(x, []).append(y)
    path = " ".join(
        f"{across(x) + shift:.1f},{up(sorted(ys)[len(ys) // 2]):.1f}"
        for x, ys in sorted(by_x.items())
    )
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-opacity=".6"/>'


def _legend(names: Sequence[str], palette: Palette, y: float) -> tuple[str, int]:
    """Names with their colours in two columns; and how many lines that takes."""
    parts = []
    for index, name in enumerate(names):
        x, line = 8 + (index % 2) * WIDTH / 2, y + 16 * (index // 2)
        colour = palette[name]
        parts.append(
            f'<rect x="{x:g}" y="{line - 8:g}" width="12" height="4" rx="2" fill="{colour}"/>'
        )
        parts.append(_text(x + 18, line - 2.5, name, "start", INK, 11))
    return "".join(parts), (len(names) + 1) // 2


def _heading(title: str, note: str) -> str:
    return (
        f'<text x="0" y="14" fill="{INK}" font-size="13" font-weight="600">{escape(title)}</text>'
        + _text(WIDTH, 14, note, "end", MUTED, 10.5)
    )


def _text(x: float, y: float, text: str, anchor: str, colour: str, size: float) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
        f'font-size="{size:g}">{escape(text)}</text>'
    )


def _vertical(x: float, top: float, bottom: float) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{bottom:g}" stroke="{GRID}"/>'


def _horizontal(y: float, left: float, right: float, colour: str = GRID, dash: str = "") -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{left:g}" x2="{right:g}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"{dashes}/>'
    )


def _log_scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    span = math.log(high / low)
    return lambda value: start + (end - start) * math.log(max(value, low) / low) / span


def _linear_scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (end - start) * (value - low) / (high - low)


def _ratio_ticks(largest: float) -> list[float]:
    """A handful of round ratios from 1 on."""
    if largest <= 1.5:
        return [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
    if largest <= 6:
        return [tick for tick in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0) if tick <= largest]
    return [10.0**power for power in range(math.floor(math.log10(largest)) + 1)]


def _whole_ticks(low: float, high: float) -> list[float]:
    """Whole numbers, at most about eight of them."""
    step = max(1, math.ceil((high - low) / 8))
    return [float(tick) for tick in range(math.ceil(low), math.floor(high) + 1, step)]


def _jitter(index: int) -> float:
    """Up and down a little, so that equal values are seen as several."""
    return ((index * 7) % 11 - 5) * 1.1
