"""Which rows of a trace are jobs; every other row is counted under the reason why not."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from instances.errors import InputError
from instances.registry import suggestion
from instances.timing import exact
from instances.traces.tables import Table

NEEDED = ("gpus", "duration")
OPTIONAL = ("id", "submit", "model")
SECONDS = {"s": 1, "min": 60, "h": 3_600}
MOST_GPUS = 10_000
LONGEST = 10 * 365 * 86_400
"""Seconds; ten years. Real jobs of two months exist (Philly: 53 days)."""

_MISSING = {"", "none", "null", "nan", "na", "n/a"}
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.I)


@dataclass(frozen=True)
class TraceJob:
    """A job that ran: its GPUs, how long, and when it was submitted (None: in file order)."""

    id: str | None
    gpus: int
    seconds: Fraction
    submit: float | None
    model: str | None


class _Skip(Exception):
    """A row that is no job, with the reason."""


def columns_of(
    table: Table, usual: Mapping[str, str], mapping: Mapping[str, str], source: str
) -> dict[str, str]:
    """The column of each field that the trace has.

    Raises
    ------
    InputError
        On an unknown field, a column that does not exist or exists twice, or no column for the
        GPUs or the duration.
    """
    for name in mapping:
        if name not in (*NEEDED, *OPTIONAL):
            raise InputError(
                f"--map: unknown field {name!r}: {suggestion(name, (*NEEDED, *OPTIONAL))}"
            )
    found = {}
    for name in (*NEEDED, *OPTIONAL):
        column = mapping.get(name, usual.get(name))
        times = table.columns.count(column) if column is not None else 0
        if times > 1:
            raise InputError(f"{source}: has {times} columns {column!r}: rename all but one")
        if times == 1:
            found[name] = str(column)
        elif name in mapping or name in NEEDED:
            raise InputError(
                f"{source}: has no column {column!r} for {name}: use --map {name}=COLUMN; "
                f"{suggestion(str(column), table.columns)}"
            )
    return found


def accepted_jobs(
    table: Table, columns: Mapping[str, str], unit: int, most_gpus: int | None
) -> tuple[list[TraceJob], Counter[str]]:
    """Jobs in the order of submission (else of the file), and counts of what was skipped and why.

    Parameters
    ----------
    columns : mapping
        Column of each field.
    unit : int
        Seconds per unit of duration.
    most_gpus : int or None
        GPUs of the cluster, where it is given.
    """
    jobs: list[TraceJob] = []
    skipped: Counter[str] = Counter()
    ids: set[str] = set()
    for record in table.records:
        try:
            if record.fault is not None:
                raise _Skip(record.fault)
            cells = {field: record.values.get(column, "") for field, column in columns.items()}
            job = _job(cells, unit, most_gpus)
            if job.id in ids:
                raise _Skip("id used before")
        except _Skip as reason:
            skipped[str(reason)] += 1
            continue
        if job.id is not None:
            ids.add(job.id)
        jobs.append(job)
    return sorted(jobs, key=lambda job: job.submit or 0.0), skipped


def _job(cells: Mapping[str, str], unit: int, most_gpus: int | None) -> TraceJob:
    return TraceJob(
        id=_identifier(cells["id"]) if "id" in cells else None,
        gpus=_gpus(cells["gpus"], most_gpus),
        seconds=_seconds(cells["duration"], unit),
        submit=_moment(cells["submit"]) if "submit" in cells else None,
        model=cells.get("model"),
    )


def _identifier(text: str) -> str:
    if text.lower() in _MISSING:
        raise _Skip("id missing")
    if len(text) > 200:
        raise _Skip("id longer than 200 characters")
    return text


def _gpus(text: str, most: int | None) -> int:
    number = _number(text, "gpus")
    if number <= 0:
        raise _Skip("no GPUs")
    if number > MOST_GPUS:
        raise _Skip(f"more than {MOST_GPUS} GPUs")
    if number != int(number):
        raise _Skip("gpus is not a whole number")
    if most is not None and number > most:
        raise _Skip("more GPUs than the cluster has")
    return int(number)


def _seconds(text: str, unit: int) -> Fraction:
    number = _number(text, "duration")
    if number <= 0:
        raise _Skip("duration is not positive")
    if number * unit > LONGEST:
        raise _Skip("duration over ten years")
    return exact(number) * unit


def _number(text: str, field: str) -> float:
    if text.lower() in _MISSING:
        raise _Skip(f"{field} missing")
    if not _NUMBER.fullmatch(text):
        raise _Skip(f"{field} is not a number")
    return float(text)


def _moment(text: str) -> float:
    """Seconds, from a number or from a date and time; a time without zone is taken as UTC."""
    if text.lower() in _MISSING:
        raise _Skip("submit missing")
    try:
        moment = float(text) if _NUMBER.fullmatch(text) else _timestamp(text)
    except ValueError:
        raise _Skip("submit is not a time") from None
    if not math.isfinite(moment):
        raise _Skip("submit is not a time")
    return moment


def _timestamp(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
