"""The report of campaigns: one HTML page, Markdown tables, figures and flat tables as files."""

from __future__ import annotations

from pathlib import Path

from benchmarks.comparison import compare
from benchmarks.export import write_tables
from benchmarks.figures import figures
from benchmarks.plots import figure
from benchmarks.report.page import page
from benchmarks.report.tables import markdown
from benchmarks.results import Results
from instances.errors import InputError

COLUMNS = 3


def write_report(results: Results, folder: Path) -> list[Path]:
    """Write everything into `folder` and return the files, the page first.

    Raises
    ------
    InputError
        Where the folder cannot be written.
    """
    comparisons = compare(results, None)
    drawn = figures(results, comparisons)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        html, text = folder / "report.html", folder / "tables.md"
        html.write_text(page(results, comparisons, drawn), encoding="utf-8")
        text.write_text(markdown(results, comparisons), encoding="utf-8")
        files = [html, text]
        for one in drawn:
            path = folder / f"{one.name}.svg"
            path.write_text(figure([panel for _, panel in one.panels], COLUMNS), encoding="utf-8")
            files.append(path)
        return files + write_tables(results, folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from error
