"""The result of one solve: a row of every table."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal[
    "optimal", "feasible", "no_solution", "infeasible", "unsupported", "unavailable",
    "licence_limit", "memory_limit", "too_large", "error", "wrong",
]  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes
    ----------
    time : float or None
        Seconds from loading to the answer, model building included.
    memory : float or None
        MB of resident memory.
    threads, seed : int
        Threads and random seed of the solver or heuristic.
    """

    time: float | None = None
    memory: float | None = None
    threads: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Result:
    """One solve, judged: what ``solve --json`` prints, but for `log`.

    Attributes
    ----------
    makespan : int or None
        The checker's value, in slots; never a solver's.
    bound : int or None
        Proven lower bound on the makespan, rounded up.
    proven : bool
        Whether the makespan is proven optimal.
    wall_seconds, build_seconds, solver_seconds : float
        From loading to the answer; building the model and handing it over; inside the solver.
    warm_start : bool or None
        Whether the solver took the start it was offered; None where none was offered.
    schedule : dict or None
        The schedule document behind `makespan`.
    log : str
        What the solver printed.
    """

    instance: str
    fingerprint: str
    method: dict[str, Any]
    status: Status
    makespan: int | None = None
    bound: int | None = None
    build_seconds: float = 0.0
    solver_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_mb: float | None = None
    variables: int | None = None
    constraints: int | None = None
    nodes: int | None = None
    threads: int = 1
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    warm_start: bool | None = None
    schedule: dict[str, Any] | None = None
    message: str = ""
    log: str = field(default="", repr=False)

    @property
    def proven(self) -> bool:
        return self.status == "optimal"

    @property
    def gap(self) -> float | None:
        """(makespan - bound) / makespan."""
        if self.makespan is None or self.bound is None:
            return None
        return (self.makespan - self.bound) / self.makespan

    def document(self) -> dict[str, Any]:
        """The row as JSON."""
        row = asdict(self)
        del row["log"]
        return row | {"gap": self.gap, "proven": self.proven}
