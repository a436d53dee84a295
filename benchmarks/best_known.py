"""The best that anybody has ever found and proven, with its provenance; kept in git.

A makespan enters only with a schedule that the checker approves, and that schedule is kept; a
bound only if no checked schedule lies below it. Each carries method, version, date, machine and
time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.claims import claim
from benchmarks.consistency import label
from benchmarks.provenance import ROOT
from instances.checker import check
from instances.errors import InputError
from instances.files import read_json, write_json

Row = dict[str, Any]
Entry = dict[str, Any]

FILE = ROOT / "results" / "best_known.json"
SCHEMA = "ringbench/best-known/1"


def read_best_known(path: Path = FILE) -> dict[str, Entry]:
    """Entries by fingerprint; none where there is no file yet. Raises InputError."""
    if not path.exists():
        return {}
    document = read_json(path)
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InputError(f"{path}: schema: must be {SCHEMA!r}")
    return dict(document["instances"])


def write_best_known(entries: Mapping[str, Entry], path: Path = FILE) -> None:
    """Write the file whole; raises InputError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = dict(sorted(entries.items(), key=lambda item: (item[1]["instance"], item[0])))
    write_json({"schema": SCHEMA, "instances": ordered}, path)


def claims_of_best_known(entries: Mapping[str, Entry]) -> list[Row]:
    """What the file says, in the form of rows."""
    return [
        claim("best known", entry["instance"], fingerprint, _value(entry, "makespan"),
              _value(entry, "bound"))
        for fingerprint, entry in entries.items()
    ]  # fmt: skip


def _value(entry: Entry | None, field: str) -> int | None:
    found = (entry or {}).get(field)
    return None if found is None else int(found["value"])


def improved(entry: Entry | None, row: Row, instance: Mapping[str, Any]) -> Entry:
    """The entry with what the row adds to it; the same where it adds nothing.

    Rows and entries have been tested for contradictions before (`benchmarks.results`).

    Raises
    ------
    InputError
        Where the row's schedule does not pass the checker.
    """
    new: Entry = entry or {
        "instance": instance["name"],
        "family": instance["family"],
        "seed": instance["seed"],
        "parameters": instance["parameters"],
        "makespan": None,
        "bound": None,
    }
    makespan, bound = _checked_makespan(row, instance), row["bound"]
    best, proven = _value(new, "makespan"), _value(new, "bound")
    if makespan is not None and (best is None or makespan < best):
        new = new | {"makespan": _found(row, makespan) | {"schedule": row["schedule"]["jobs"]}}
    if bound is not None and (proven is None or bound > proven):
        new = new | {"bound": _found(row, bound) | {"proof": _proof(row)}}
    return new


def _checked_makespan(row: Row, instance: Mapping[str, Any]) -> int | None:
    if row["schedule"] is None:
        return None
    verdict = check(instance, row["schedule"])
    if not verdict.feasible:
        fault = verdict.violations[0]
        raise InputError(f"{row['instance']}: the schedule of {label(row)} fails: {fault}")
    return verdict.makespan


def _found(row: Row, value: int) -> dict[str, Any]:
    method = row["method"]
    return {
        "value": value,
        "method": label(row),
        "version": method["version"],
        "options": row["options"],
        "date": row.get("date"),
        "machine": row.get("machine"),
        "threads": row["threads"],
        "seconds": round(row["wall_seconds"], 3),
    }


def _proof(row: Row) -> str:
    what = "optimal" if row["status"] == "optimal" else "bound of an unfinished search"
    return f"{what}: {label(row)} {row['method']['version']}"
