"""The identity of an instance: sha256 over the content that decides what a schedule is worth.

Names, family, seed, generator parameters, models and known optima do not count; server and job
ids do, since schedules speak of them, and so does the order of jobs, since heuristics follow it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_WHOLE = {"gpus", "iterations", "batch_size", "horizon"}


def fingerprint(document: Mapping[str, Any]) -> str:
    """The sha256, in hexadecimal, of an instance document (a valid one)."""
    job_fields = ("id", "gpus", "iterations", "gradient_size", "batch_size")
    content = {
        "servers": [_pick(server, ("id", "gpus")) for server in document["servers"]],
        "network": _pick(document["network"], sorted(document["network"])),
        "reduce_speed": _canonical("reduce_speed", document["reduce_speed"]),
        "horizon": document["horizon"],
        "jobs": [
            _pick(job, (*job_fields, "forward_time", "backward_time")) for job in document["jobs"]
        ],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _pick(record: Mapping[str, Any], fields: tuple[str, ...] | list[str]) -> dict[str, Any]:
    return {field: _canonical(field, record[field]) for field in fields}


def _canonical(field: str, value: Any) -> Any:
    """4 and 4.0 are one bandwidth; -0.0 is 0.0."""
    if isinstance(value, Mapping):
        return _pick(value, sorted(value))
    return value if isinstance(value, str) or field in _WHOLE else float(value) + 0.0
