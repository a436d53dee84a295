"""An instance of ring-all-reduce scheduling: servers, network, jobs (section 3 of the paper)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from instances.degradations import DegradationFunction, degradation_document, parse_degradation
from instances.errors import InputError
from instances.fingerprint import fingerprint
from instances.options import describe
from instances.timing import Timing

SCHEMA = "ringbench/instance/1"

_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1, le=10**12)]
Identifier = Annotated[str, Field(min_length=1, max_length=200)]
Degradation = Annotated[
    DegradationFunction,
    PlainValidator(parse_degradation),
    PlainSerializer(degradation_document),
]


@dataclass(frozen=True, config=_STRICT)
class Server:
    """Server s with O_s GPUs."""

    id: Identifier
    gpus: Annotated[int, Field(ge=1, le=10**6)]


@dataclass(frozen=True, config=_STRICT)
class Network:
    """Bandwidths b_i, b_e in data per slot, contention share xi1, overhead xi2, f of eq. (7)."""

    intra_bandwidth: Positive
    inter_bandwidth: Positive
    xi1: Annotated[float, Field(gt=0, le=1)]
    xi2: NonNegative
    degradation: Degradation

    def __post_init__(self) -> None:
        if self.intra_bandwidth < self.inter_bandwidth:
            raise ValueError(
                f"network.intra_bandwidth = {self.intra_bandwidth!r}: must be at least "
                f"inter_bandwidth = {self.inter_bandwidth!r}"
            )


@dataclass(frozen=True, config=_STRICT)
class Job:
    """Job j: G_j GPUs, F_j iterations, gradient m_j, batch M_j, times D_j^f and D_j^b in slots."""

    id: Identifier
    gpus: Annotated[int, Field(ge=1, le=10**6)]
    iterations: Count
    gradient_size: NonNegative
    batch_size: Count
    forward_time: NonNegative
    backward_time: NonNegative
    model: str | None = None


@dataclass(frozen=True, config=_STRICT)
class Known:
    """An optimum that is known by construction, its proof, and perhaps a schedule that meets it."""

    optimum: Count
    proof: str
    schedule: dict[str, Any] | None = None


@dataclass(frozen=True, config=_STRICT)
class Instance:
    """A whole instance; valid as soon as it exists.

    Raises
    ------
    pydantic.ValidationError
        On construction with a value out of range, a repeated id, a job larger than the cluster,
        or a job that cannot finish one iteration in a slot even alone on its fewest servers.
    """

    name: str
    family: str
    seed: int | None
    parameters: dict[str, Any]
    slot_seconds: Positive | None
    servers: Annotated[tuple[Server, ...], Field(min_length=1)]
    network: Network
    reduce_speed: Positive
    horizon: Count
    jobs: Annotated[tuple[Job, ...], Field(min_length=1)]
    known: Known | None = None

    def __post_init__(self) -> None:
        _refuse_repeated_ids("servers", [server.id for server in self.servers])
        _refuse_repeated_ids("jobs", [job.id for job in self.jobs])
        for index, job in enumerate(self.jobs):
            if job.gpus > self.total_gpus:
                raise ValueError(
                    f"jobs[{index}].gpus = {job.gpus}: the cluster has only {self.total_gpus} GPUs"
                )
        self.timing.refuse_stalled_jobs()

    @property
    def total_gpus(self) -> int:
        """N, the number of GPUs in the cluster."""
        return sum(server.gpus for server in self.servers)

    @cached_property
    def timing(self) -> Timing:
        """The exact integer table phi_j(h, p)."""
        return Timing(self)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 over the content that matters."""
        return fingerprint(self.document())

    def document(self) -> dict[str, Any]:
        """The instance as it stands in a JSON file."""
        body = TypeAdapter(Instance).dump_python(self, mode="json", warnings=False)
        if self.known is not None and self.known.schedule is None:
            del body["known"]["schedule"]
        return {"schema": SCHEMA, **body}

    @classmethod
    def from_document(cls, document: Any, source: str) -> Instance:
        """Validate a JSON document; `source` names it in errors.

        Raises
        ------
        InputError
            With source, field, value and what is allowed, in one line.
        """
        if not isinstance(document, Mapping):
            raise InputError(f"{source}: must be a JSON object, not {type(document).__name__}")
        if document.get("schema") != SCHEMA:
            raise InputError(f"{source}: schema = {document.get('schema')!r}: must be {SCHEMA!r}")
        body = {key: value for key, value in document.items() if key != "schema"}
        try:  # as JSON, where strict still takes an object for a dataclass and 1 for 1.0
            return TypeAdapter(cls).validate_json(json.dumps(body))
        except ValidationError as error:
            raise InputError(f"{source}: {describe(error)}") from error


def _refuse_repeated_ids(table: str, ids: list[str]) -> None:
    seen: set[str] = set()
    for index, identifier in enumerate(ids):
        if identifier in seen:
            raise ValueError(f"{table}[{index}].id = {identifier!r}: is used twice")
        seen.add(identifier)
