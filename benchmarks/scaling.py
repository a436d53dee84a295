"""How far each formulation gets on each backend: growing instances, until one is not proven."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.audit import label
from benchmarks.methods import Method, Run
from instances.errors import InputError
from instances.families import find_family
from solvers.result import Limits

Row = dict[str, Any]
FAMILIES = ("uniform", "contended")
_KEPT = (
    "status", "makespan", "bound", "variables", "constraints", "build_seconds", "solver_seconds",
    "wall_seconds", "message",
)  # fmt: skip


def read_scaling(file: Path) -> list[Row]:
    """The rows measured so far; none where there is no file. Raises InputError."""
    if not file.exists():
        return []
    rows = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise InputError(f"{file}, line {number}: not JSON: remove that line") from error
    return rows


def measure(
    file: Path,
    methods: Sequence[Method],
    limit: float,
    most: int,
    note: Callable[[Row], object] = lambda row: None,
) -> None:
    """Append what `file` lacks: for each family and method 1, 2, ... jobs, until one is unproven.

    Parameters
    ----------
    limit : float
        Seconds per run; runs under another limit are other measurements.
    most : int
        Largest number of jobs.
    """
    known = {_key(row): row for row in read_scaling(file)}
    file.parent.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        for method in methods:
            for jobs in range(1, most + 1):
                row = known.get((family, label(method), limit, jobs))
                if row is None:
                    row = _measured(family, method, jobs, limit)
                    with file.open("a") as lines:
                        lines.write(json.dumps(row, allow_nan=False) + "\n")
                    note(row)
                if row["status"] != "optimal":
                    break


def _key(row: Row) -> tuple[str, str, float, int]:
    return row["family"], row["method"], row["time_limit"], row["jobs"]


def _measured(family: str, method: Method, jobs: int, limit: float) -> Row:
    instance = find_family(family).generate(0, {"jobs": jobs})
    row, _ = Run(instance, method, Limits(time=limit)).isolated()
    about = {"family": family, "method": label(method), "time_limit": limit, "jobs": jobs}
    version = {"version": row["method"]["version"], "fingerprint": instance.fingerprint}
    return about | {key: row[key] for key in _KEPT} | version


def scaling_table(rows: Iterable[Row]) -> str:
    """Markdown: the largest size proven, what it took, and how the next one ended."""
    groups: dict[tuple[str, str, float], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["family"], row["method"], row["time_limit"]), []).append(row)
    return tabulate(
        [_line(groups[key]) for key in sorted(groups)],
        headers="keys",
        tablefmt="github",
        floatfmt=".2f",
        missingval="-",
    )


def _line(rows: list[Row]) -> dict[str, Any]:
    """One family and method, up to the first size that is not proven."""
    rows = sorted(rows, key=lambda row: int(row["jobs"]))
    proven = [row for row in rows if row["status"] == "optimal"]
    largest = proven[-1] if proven else dict.fromkeys(rows[0])
    last = rows[-1]
    return {
        "family": last["family"],
        "method": last["method"],
        "limit s": f"{last['time_limit']:g}",
        "jobs proven": largest["jobs"] or 0,
        "variables": largest["variables"],
        "constraints": largest["constraints"],
        "build s": largest["build_seconds"],
        "solver s": largest["solver_seconds"],
        "then": "not tried" if last["status"] == "optimal" else last["status"],
    }
