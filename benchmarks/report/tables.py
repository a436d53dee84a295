"""The tables of a report, as lines that become HTML or Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.comparison import Comparison
from benchmarks.consistency import label
from benchmarks.figures import families
from benchmarks.metrics import Row
from benchmarks.ratios import ratios, summarise
from benchmarks.results import Results, labeller
from benchmarks.tables import MARKDOWN, table

Lines = list[dict[str, Any]]


@dataclass(frozen=True)
class Section:
    """A table with its title and what there is to say about it."""

    title: str
    lines: Lines
    note: str = ""


def sections(results: Results, comparisons: Iterable[Comparison]) -> list[Section]:
    """The tables that both the page and the Markdown file show."""
    found = [Section("Instances and optima", _optima(results))]
    for comparison in comparisons:
        title = comparison.title[0].upper() + comparison.title[1:]
        found.append(Section(title, comparison.lines, f"{comparison.rule}. {comparison.verdict}."))
        found.append(Section(f"{title}: pairwise wins", comparison.win_lines()))
    ratio_lines = summarise(ratios(_with_instances(results), results.instances))
    note = "Mean, geometric mean and maximum over proven optima alone."
    found.append(Section("Ratios per family and heuristic", ratio_lines, note))
    return [section for section in found if section.lines]


def _with_instances(results: Results) -> list[Row]:
    return [row for row in results.rows if row["fingerprint"] in results.instances]


def _optima(results: Results) -> Lines:
    lines: Lines = []
    for family, rows in families(results.rows).items():
        known = {row.get("base") or row["fingerprint"]: results.known(row) for row in rows}
        proven = sum(one.optimum is not None for one in known.values())
        lines.append({"family": family, "instances": len(known), "proven optima": proven})
    total = {key: sum(line[key] for line in lines) for key in ("instances", "proven optima")}
    return [*lines, {"family": "all", **total}]


def row_lines(results: Results) -> Lines:
    """One line per row, the numbers that people look for first."""
    name = labeller(results.rows)
    return [
        {
            "instance": row["instance"],
            "method": name(row),
            "seed": row["seed"],
            "status": row["status"],
            "makespan": row["makespan"],
            "bound": row["bound"],
            "ratio": _ratio(results, row),
            "seconds": round(row["wall_seconds"], 3),
            "memory MB": row.get("peak_memory_mb"),
            "message": row.get("message") or None,
        }
        for row in results.rows
    ]


def _ratio(results: Results, row: Row) -> str | None:
    known = results.known(row)
    if row["makespan"] is None or row["status"] == "wrong" or not known.bound:
        return None
    if known.optimum is not None:
        return f"{row['makespan'] / known.optimum:.3f}"
    assert known.best is not None
    return f"{row['makespan'] / known.best:.3f}-{row['makespan'] / known.bound:.3f}"


def disagreements(results: Results) -> Lines:
    """Every contradiction, and every row that was found wrong by itself."""
    lines: Lines = [
        {
            "instance": pair.claim["instance"],
            "claim": label(pair.claim),
            "claims": f"makespan at least {pair.claim['bound']}"
            if pair.claim["bound"] is not None
            else "infeasible",
            "schedule": label(pair.schedule),
            "makespan": pair.schedule["makespan"],
        }
        for pair in results.contradictions
    ]
    told = "contradiction: "
    return lines + [
        {"instance": row["instance"], "claim": label(row), "claims": row["message"]}
        for row in results.rows
        if row["status"] == "wrong" and not row["message"].startswith(told)
    ]


def markdown(results: Results, comparisons: Iterable[Comparison]) -> str:
    """All tables as Markdown."""
    parts = ["# " + ", ".join(folder.name for folder in results.folders)]
    if results.apart:
        parts.append(f"Kept apart: {results.apart}.")
    bad = Section("Disagreements", disagreements(results))
    for section in [*sections(results, comparisons), *([bad] if bad.lines else [])]:
        parts += [f"## {section.title}", table(section.lines, MARKDOWN), section.note]
    return "\n\n".join(filter(None, parts)) + "\n"


def identity(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the rows of a campaign have in common; empty where it left no manifest."""
    found: Mapping[str, Any] = manifest.get("identity", {})
    return found
