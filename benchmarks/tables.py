"""Numbers as people read them, in plain text or Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate

PLAIN, MARKDOWN = "simple", "github"
_PERCENT = {"optimal", "gap to best known"}
_INTEGER = (int, str)


def table(lines: Sequence[Mapping[str, Any]], style: str = PLAIN) -> str:
    """The lines as a table; columns that are empty or zero throughout are left out."""
    columns: list[str] = []
    for line in lines:
        columns += [column for column in line if column not in columns]
    shown = [column for column in columns if any(line.get(column) for line in lines)]
    cells = [[text(column, line.get(column)) for column in shown] for line in lines]
    right = ["left" if index == 0 else "right" for index in range(len(shown))]
    return tabulate(cells, headers=shown, tablefmt=style, colalign=right, disable_numparse=True)


def text(column: str, value: Any) -> str:
    """One cell."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return "-".join(number(part) for part in value)
    if column in _PERCENT:
        return f"{100 * value:.1f} %"
    return number(value) if isinstance(value, float) else str(value)


def number(value: float) -> str:
    """Three decimals below 10, fewer above."""
    return f"{value:.3f}" if value < 10 else f"{value:.2f}" if value < 100 else f"{value:.1f}"
