"""From the jobs of a trace to an instance."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from instances.errors import InputError
from instances.generation import Draft, Streams, assemble, lasting
from instances.instance import Instance
from instances.measured import FABRICS, MODELS, REDUCE_SPEED, Model, measured_job, measured_network
from instances.options import describe, make_options, recorded
from instances.timing import exact
from instances.traces.formats import TraceOptions, find_format
from instances.traces.jobs import SECONDS, TraceJob, accepted_jobs, columns_of
from instances.traces.tables import read_text


@dataclass(frozen=True)
class Request:
    """What to import, as on the command line.

    Attributes
    ----------
    path : str
        The trace.
    format : str
        Name of its format.
    mapping : mapping of str to str
        Field: column, where the format's usual columns do not fit.
    jobs : int or None
        How many accepted jobs to take; None for all.
    settings : mapping
        Options of the format.
    time_unit : str or None
        Unit of the durations: s (the default), min or h.
    seed : int
        For the models of jobs whose model has not been measured.
    """

    path: str
    format: str
    mapping: Mapping[str, str]
    jobs: int | None
    settings: Mapping[str, Any]
    time_unit: str | None = None
    seed: int = 0


def import_trace(request: Request) -> Instance:
    """Read a trace and make an instance of its first jobs.

    What was skipped, and why, is in the instance's parameters.

    Raises
    ------
    InputError
        On a trace that cannot be read, a column that it lacks, or when it has no job.
    """
    if request.jobs is not None and request.jobs < 1:
        raise InputError(f"--jobs {request.jobs}: must be at least 1")
    if request.seed < 0:
        raise InputError(f"--seed {request.seed}: must not be negative")
    style = find_format(request.format)
    options = make_options(style.options, request.settings, f"format {style.name}")
    text = read_text(request.path)
    table = style.read(text, request.path, options)
    if table.in_seconds and request.time_unit not in (None, "s"):
        raise InputError(f"--time-unit {request.time_unit}: {style.name} durations are in seconds")
    columns = columns_of(table, style.columns, request.mapping, request.path)
    unit = request.time_unit or "s"
    most = None if options.servers is None else options.servers * options.gpus_per_server
    jobs, skipped = accepted_jobs(table, columns, SECONDS[unit], most)
    window = _window(request, options, jobs, skipped)
    models, drawn = _models(window, Streams(request.seed))
    parameters = {
        "format": style.name,
        "trace": Path(request.path).name,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "columns": columns,
        "time_unit": unit,
        "jobs": request.jobs,
        **recorded(options),
        "rows": len(jobs) + skipped.total(),
        "accepted": len(jobs),
        "skipped": dict(sorted(skipped.items())),
        "models_drawn": drawn,
    }
    return _instance(request, options, window, models, parameters)


def _window(
    request: Request, options: TraceOptions, jobs: Sequence[TraceJob], skipped: Counter[str]
) -> Sequence[TraceJob]:
    """The jobs to take; raises InputError where there are none."""
    if not jobs:
        reasons = ", ".join(f"{count} {reason}" for reason, count in skipped.most_common())
        raise InputError(
            f"{request.path}: no job accepted of {skipped.total()} rows"
            + (f" ({reasons}): check --format, --map and --time-unit" if reasons else "")
        )
    if options.skip >= len(jobs):
        raise InputError(f"skip = {options.skip}: must be less than the {len(jobs)} accepted jobs")
    end = None if request.jobs is None else options.skip + request.jobs
    return jobs[options.skip : end]


def _models(jobs: Sequence[TraceJob], streams: Streams) -> tuple[list[Model], int]:
    """The measured model of each job: the one that the trace names, else a drawn one."""
    named = {model.name.replace("-", ""): model for model in MODELS}
    named["inceptionv3"] = named["inception3"]
    draws = streams("model").integers(0, len(MODELS), len(jobs)).tolist()
    models, drawn = [], 0
    for job, draw in zip(jobs, draws, strict=True):
        name = re.sub(r"\(.*|[^a-z0-9]", "", (job.model or "").lower())
        drawn += name not in named
        models.append(named.get(name, MODELS[draw]))
    return models, drawn


def _instance(
    request: Request,
    options: TraceOptions,
    jobs: Sequence[TraceJob],
    models: Sequence[Model],
    parameters: dict[str, Any],
) -> Instance:
    """Jobs last as long as in the trace, rounded up to slots, if each has its fewest servers alone.

    The trace does not say who contended with whom, so its durations stand for no contention.
    """
    slot = options.slot_seconds
    draft = Draft(
        servers=[options.gpus_per_server] * (options.servers or _servers(jobs, options)),
        jobs=[
            measured_job(job.id or f"j{i}", job.gpus, model, slot)
            for i, (job, model) in enumerate(zip(jobs, models, strict=True))
        ],
        network=measured_network(FABRICS[options.network], slot),
        reduce_speed=REDUCE_SPEED * slot,
        horizon=options.horizon,
        slot_seconds=slot,
    )
    name = f"{Path(request.path).stem}-{options.skip}-{len(jobs)}-s{request.seed}"
    try:
        draft = lasting(draft, [job.seconds / exact(slot) for job in jobs])
        return assemble(draft, name, f"trace-{request.format}", request.seed, parameters)
    except ValidationError as error:
        raise InputError(f"{request.path}: {describe(error)}") from error


def _servers(jobs: Sequence[TraceJob], options: TraceOptions) -> int:
    """The fewest servers that hold the widest job and half of all requested GPUs."""
    needed = max(max(job.gpus for job in jobs), -(-sum(job.gpus for job in jobs) // 2))
    return -(-needed // options.gpus_per_server)
