"""Gavel job files: tab-separated, no header, steps instead of durations (--set rates=FILE)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from instances.errors import InputError
from instances.traces.formats import TraceOptions
from instances.traces.tables import Record, Table, delimited, read_text, table

COLUMNS = {
    "gpus": "scale_factor",
    "duration": "duration",
    "submit": "arrival_time",
    "model": "job_type",
}
_FIRST = ["job_type", "command", "num_steps_arg", "needs_data_dir", "total_steps"]
_LATER = ["scale_factor", "priority_weight", "SLO", "arrival_time"]
LAYOUTS = {
    7: [*_FIRST, "arrival_time", "scale_factor"],
    9: [*_FIRST, *_LATER],
    10: [*_FIRST[:2], "working_directory", *_FIRST[2:], *_LATER],
}
"""Column names by number of fields (stanford-futuredata/gavel, parse_trace, over the years)."""


@dataclass(frozen=True)
class Options(TraceOptions):
    """``rates`` is a table with the columns job_type and steps_per_second."""

    rates: str | None = None


def read(text: str, source: str, options: Options) -> Table:
    """The table with one column more: duration = total_steps / steps_per_second of its job type."""
    if options.rates is None:
        raise InputError(
            f"{source}: states steps, not durations: add --set rates=FILE, a table with the "
            "columns job_type and steps_per_second"
        )
    rows = [line.split("\t") for line in text.splitlines() if line.strip()]
    columns = LAYOUTS.get(len(rows[0]))
    if columns is None:
        allowed = ", ".join(map(str, LAYOUTS))
        raise InputError(f"{source}: line 1 has {len(rows[0])} tab-separated fields, not {allowed}")
    plain = table(columns, rows, in_seconds=True)
    records = _with_durations(plain.records, _read_rates(options.rates))
    return replace(plain, columns=[*columns, "duration"], records=records)


def _read_rates(path: str) -> dict[str, float]:
    found = delimited(read_text(path), path)
    rates = {}
    for name in ("job_type", "steps_per_second"):
        if name not in found.columns:
            raise InputError(f"{path}: has no column {name!r}: its columns are {found.columns}")
    for record in found.records:
        if record.fault is not None:
            raise InputError(f"{path}: a row has the {record.fault}")
        job_type, text = record.values["job_type"], record.values["steps_per_second"]
        try:
            rates[job_type] = float(text)
        except ValueError:
            rates[job_type] = 0.0
        if not 0 < rates[job_type] < float("inf"):
            raise InputError(f"{path}: steps_per_second = {text!r} of {job_type!r}: must be > 0")
    return rates


def _with_durations(records: Iterator[Record], rates: dict[str, float]) -> Iterator[Record]:
    for record in records:
        if record.fault is not None:
            yield record
        elif record.values["job_type"] not in rates:
            yield Record(fault="no rate for its job type")
        else:
            yield _with_duration(record, rates[record.values["job_type"]])


def _with_duration(record: Record, rate: float) -> Record:
    try:
        duration = repr(float(record.values["total_steps"]) / rate)
    except ValueError:
        return Record(fault="total_steps is not a number")
    return Record({**record.values, "duration": duration})
