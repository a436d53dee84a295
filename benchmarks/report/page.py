"""One self-contained HTML page: no outside address, light, readable on a phone and on paper."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from benchmarks.comparison import Comparison
from benchmarks.figures import Figure
from benchmarks.gantt import layout
from benchmarks.metrics import Row
from benchmarks.plots import inline
from benchmarks.report.tables import Section, disagreements, identity, row_lines, sections
from benchmarks.results import Results, labeller
from benchmarks.tables import text

HERE = Path(__file__).parent
MAX_ROWS = 3000
"""Rows in the page's table; ``rows.csv`` has them all."""
MAX_CHART_BYTES = 3_000_000
"""The page stays under 5 MB: charts of further instances are left out, and the page says so."""


def page(results: Results, comparisons: Sequence[Comparison], drawn: Sequence[Figure]) -> str:
    """The page as text."""
    charts, left_out = _charts(results)
    body = [
        _header(results),
        *(_figure(one) for one in drawn),
        _gantt(charts, left_out),
        _tables(sections(results, comparisons)),
        _disagreements(results),
        _rows(results),
        _about(results),
    ]
    title = ", ".join(folder.name for folder in results.folders)
    parts = {
        "title": escape(f"ringbench: {title}"),
        "style": (HERE / "page.css").read_text(encoding="utf-8"),
        "script": (HERE / "page.js").read_text(encoding="utf-8"),
        "data": json.dumps(charts, separators=(",", ":")).replace("</", "<\\/"),
        "body": "\n".join(filter(None, body)),
    }
    template = (HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _header(results: Results) -> str:
    names = [identity(manifest).get("suite", {}).get("name") for manifest in results.manifests]
    shown = ", ".join(dict.fromkeys(filter(None, names))) or "campaign"
    created = [manifest["created"][:10] for manifest in results.manifests if "created" in manifest]
    machines = dict.fromkeys(row["processor"] for row in results.rows if row.get("processor"))
    facts = [*sorted(set(created)), *machines, f"{len(results.rows)} runs"]
    apart = f'<p class="notice">Kept apart: {escape(results.apart)}.</p>' if results.apart else ""
    return (
        f'<header><p class="kicker">ringbench</p><h1>{escape(shown)}</h1>'
        f'<p class="facts">{escape(" · ".join(facts))}</p>{apart}{_tiles(results)}</header>'
    )


def _tiles(results: Results) -> str:
    """The figures to see first."""
    known = {row.get("base") or row["fingerprint"]: results.known(row) for row in results.rows}
    proven = sum(one.optimum is not None for one in known.values())
    wrong = sum(row["status"] == "wrong" for row in results.rows)
    tiles = [
        (f"{len(known)}", "instances"),
        (f"{proven / len(known):.0%}" if known else "-", f"optima proven ({proven})"),
        (f"{wrong}", "wrong rows" if wrong else "contradictions"),
    ]
    cells = "".join(
        f'<div class="tile{" bad" if wrong and "wrong" in words else ""}"><b>{escape(number)}</b>'
        f"<span>{escape(words)}</span></div>"
        for number, words in tiles
    )
    return f'<div class="tiles">{cells}</div>'


def _figure(one: Figure) -> str:
    panels = "".join(
        f'<div class="panel">{inline(panel, title)}</div>' for title, panel in one.panels
    )
    return (
        f'<section id="{one.name}"><h2>{escape(one.title)}</h2>'
        f'<p class="caption">{escape(one.caption)}</p><div class="panels">{panels}</div></section>'
    )


def _gantt(charts: Sequence[Mapping[str, Any]], left_out: int) -> str:
    if not charts:
        return ""
    groups: dict[str, list[str]] = {}
    for index, chart in enumerate(charts):
        option = f'<option value="{index}">{escape(chart["name"])}</option>'
        groups.setdefault(chart["family"], []).append(option)
    options = "".join(
        f'<optgroup label="{escape(family)}">{"".join(found)}</optgroup>'
        for family, found in groups.items()
    )
    more = f" Charts of {left_out} further instances are left out." if left_out else ""
    return (
        '<section id="schedules"><h2>Schedules</h2><p class="caption">The best schedule known and '
        "that of every heuristic on one time axis; one lane per GPU, grouped by server. Jobs keep "
        "their colour. A job with an outline spans servers; hatched slots are contended: another "
        f"spanning job shares one of its servers.{more}</p>"
        f'<div class="chooser"><label for="instance">Instance</label> '
        '<button type="button" id="previous" aria-label="previous instance">&#8249;</button>'
        f'<select id="instance">{options}</select>'
        '<button type="button" id="next" aria-label="next instance">&#8250;</button></div>'
        '<p id="about-instance" class="facts"></p><div id="gantt"></div></section>'
    )


def _tables(found: Iterable[Section]) -> str:
    parts = [
        f"<h3>{escape(section.title)}</h3>{_table(section.lines)}"
        + (f'<p class="caption">{escape(section.note)}</p>' if section.note else "")
        for section in found
    ]
    return f'<section id="tables"><h2>Tables</h2>{"".join(parts)}</section>'


def _disagreements(results: Results) -> str:
    lines = disagreements(results)
    body = _table(lines) if lines else (
        '<p class="fine">None. Every claimed bound is at most every checked makespan, for all '
        "rows, for what instances know by construction and for the best-known values.</p>"
    )  # fmt: skip
    return f'<section id="disagreements"><h2>Disagreements</h2>{body}</section>'


def _rows(results: Results) -> str:
    lines = row_lines(results)
    shown = lines[:MAX_ROWS]
    more = (
        f" The first {MAX_ROWS} of {len(lines)}; rows.csv has all." if len(lines) > MAX_ROWS else ""
    )
    return (
        f'<section id="rows"><h2>Runs</h2><p class="caption">Choose a column to sort by it.{more}'
        '</p><input id="filter" type="search" placeholder="Filter, e.g. sjf-bco contended" '
        f'aria-label="Filter runs">{_table(shown, "long")}</section>'
    )


def _about(results: Results) -> str:
    """Where and how the rows were made."""
    parts = []
    for folder, manifest in zip(results.folders, results.manifests, strict=True):
        found, where = identity(manifest), manifest.get("machine", {})
        git = manifest.get("git") or {}
        versions = found.get("versions", {})
        facts = {
            "Command": f"ringbench run {found.get('suite', {}).get('name', '?')}",
            "Limits": ", ".join(f"{key} {value}" for key, value in found.get("limits", {}).items()),
            "Machine": ", ".join(f"{value} {key}" if isinstance(value, int) else str(value)
                                 for key, value in where.items()),
            "Code": f"{found.get('code', '?')}, commit {git.get('commit', '?')[:12]}"
            + (" with changes" if git.get("dirty") else ""),
            "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
        }  # fmt: skip
        items = "".join(
            f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>"
            for key, value in facts.items()
            if value
        )
        parts.append(f"<h3>{escape(folder.name)}</h3><dl>{items}</dl>")
    return f'<section id="about"><h2>Where this comes from</h2>{"".join(parts)}</section>'


def _table(lines: Sequence[Mapping[str, Any]], kind: str = "") -> str:
    """A sortable table; numbers carry their value, so that they sort as numbers."""
    columns = list(dict.fromkeys(key for line in lines for key in line))
    shown = [key for key in columns if any(line.get(key) not in (None, 0, "") for line in lines)]
    numeric = {key for key in shown if not any(isinstance(line.get(key), str) for line in lines)}
    numeric |= {"ratio"} & set(shown)
    head = "".join(
        f'<th scope="col"{_number_class(key, numeric)}><button type="button">{escape(key)}'
        "</button></th>"
        for key in shown
    )
    body = "".join(
        f"<tr>{''.join(_cell(key, line.get(key), numeric) for key in shown)}</tr>" for line in lines
    )
    return (
        f'<div class="scroll {kind}"><table class="sortable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _number_class(key: str, numeric: set[str]) -> str:
    return ' class="number"' if key in numeric else ""


def _cell(key: str, value: Any, numeric: set[str]) -> str:
    shown = escape(text(key, value)).replace("-", "&#8209;" if key == "ratio" else "-")
    if key == "status":
        return f'<td><span class="status {escape(str(value))}">{shown}</span></td>'
    first = value[0] if isinstance(value, tuple) else value
    sort = f' data-value="{first}"' if isinstance(first, float) else ""
    return f"<td{_number_class(key, numeric)}{sort}>{shown}</td>"


def _charts(results: Results) -> tuple[list[dict[str, Any]], int]:
    """The data of the Gantt charts, and for how many instances there was no room."""
    groups: dict[str, list[Row]] = {}
    for row in results.rows:
        if row["schedule"] is not None and row["status"] != "wrong" and not row.get("permutation"):
            groups.setdefault(row["fingerprint"], []).append(row)
    name = labeller(results.rows)
    charts, size, left_out = [], 0, 0
    for fingerprint, rows in groups.items():
        if fingerprint not in results.instances:
            continue
        if size > MAX_CHART_BYTES:
            left_out += 1
            continue
        chart = _chart(results, fingerprint, rows, name)
        size += len(json.dumps(chart, separators=(",", ":")))
        charts.append(chart)
    return charts, left_out


def _chart(
    results: Results, fingerprint: str, rows: list[Row], name: Callable[[Row], str]
) -> dict[str, Any]:
    """One instance: the best schedule first, then the best of each heuristic."""
    instance, known = results.instances[fingerprint], results.known(rows[0])
    best = min(rows, key=lambda row: (row["makespan"], row["method"]["kind"] != "exact"))
    proven = known.optimum is not None and best["makespan"] == known.optimum
    chosen = {f"{'optimum' if proven else 'best known'} ({name(best)})": best}
    for row in sorted(rows, key=lambda row: row["makespan"], reverse=True):
        if row["method"]["kind"] == "heuristic":
            chosen[name(row)] = row
    return {
        "name": instance.name,
        "family": instance.family,
        "servers": [[server.id, server.gpus] for server in instance.servers],
        "jobs": [[job.id, job.gpus] for job in instance.jobs],
        "optimum": known.optimum,
        "bound": known.bound,
        "charts": [
            {
                "method": who,
                "makespan": row["makespan"],
                "jobs": layout(instance, row["schedule"]),
            }
            for who, row in sorted(chosen.items(), key=lambda item: item[1]["makespan"])
        ],
    }
