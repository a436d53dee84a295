"""Microsoft Philly: the original JSON log of jobs and attempts, or its CSV conversion."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from instances.errors import InputError
from instances.traces.formats import TraceOptions
from instances.traces.tables import Record, Table, delimited

COLUMNS = {"id": "jobid", "gpus": "num_gpus", "duration": "duration", "submit": "timestamp"}


def read(text: str, source: str, options: TraceOptions) -> Table:
    """CSV with timestamp, duration and num_gpus, or JSON, whose jobs get the same columns."""
    if not text.lstrip().startswith(("[", "{")):
        return delimited(text, source)
    try:
        jobs = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source}: line {error.lineno} column {error.colno}: is not JSON: {error.msg}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"{source}: is no job log: {error}") from error
    if not isinstance(jobs, list):
        raise InputError(f"{source}: must be a list of jobs, not a JSON object")
    return Table(sorted(COLUMNS.values()), map(_record, jobs), in_seconds=True)


def _record(job: Any) -> Record:
    """The columns of one job, or why there are none."""
    if not isinstance(job, dict):
        return Record(fault="not a job")
    try:
        return _columns(job)
    except (AttributeError, KeyError, TypeError, ValueError):
        return Record(fault="attempts cannot be read")


def _columns(job: dict[str, Any]) -> Record:
    """A job runs for the sum of its attempts, without the gaps between them.

    It has as many GPUs as its widest attempt. An attempt with neither start nor end never ran.
    """
    spans = [(_time(a, "start_time"), _time(a, "end_time"), a) for a in job.get("attempts") or []]
    ran = [(start, end, attempt) for start, end, attempt in spans if start or end]
    if not ran:
        return Record(fault="no attempt that ran")
    lengths = [end - start for start, end, _ in ran if start and end]
    if len(lengths) < len(ran):
        return Record(fault="start or end time missing")
    if min(lengths) < timedelta(0):
        return Record(fault="ends before it starts")
    submitted = _time(job, "submitted_time")
    return Record(
        {
            "jobid": str(job.get("jobid") or ""),
            "timestamp": submitted.isoformat() if submitted else "",
            "duration": repr(sum(lengths, timedelta(0)).total_seconds()),
            "num_gpus": str(max(_gpus(attempt) for _, _, attempt in ran)),
        }
    )


def _time(record: Any, key: str) -> datetime | None:
    """None where it is missing or the text "None"."""
    text = record.get(key)
    return None if text in (None, "", "None") else datetime.fromisoformat(text)


def _gpus(attempt: Any) -> int:
    return sum(len(detail["gpus"]) for detail in attempt.get("detail") or [])
