"""The judge: recompute a schedule slot by slot from the documents alone.

Written apart from the simulator and from every model, in integers and fractions with the standard
library only, and as plainly as the definition in section 3 of the paper. Every number that the
project reports about a schedule has gone through here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from instances.fingerprint import fingerprint


@dataclass(frozen=True)
class Verdict:
    """What the checker found.

    Attributes
    ----------
    feasible : bool
        Whether every constraint and every statement of the schedule holds.
    makespan : int or None
        Largest completion time, recomputed; None where it cannot be.
    completion : dict of str to int
        Completion time of every job that completes within the horizon.
    violations : tuple of str
        What does not hold, one line each.
    """

    feasible: bool
    makespan: int | None
    completion: dict[str, int]
    violations: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "violations": list(self.violations)}


def check(instance: Mapping[str, Any], schedule: Any) -> Verdict:
    """Check a schedule document against a valid instance document.

    Parameters
    ----------
    instance : mapping
        An instance document that passed validation.
    schedule : object
        Anything that JSON can hold; what is no schedule is reported, never raised.
    """
    violations = _malformed(instance, schedule)
    if violations:
        return Verdict(False, None, {}, tuple(violations))
    completion, violations = _run(instance, schedule["jobs"])
    missing = [job["id"] for job in instance["jobs"] if job["id"] not in completion]
    makespan = None if missing else max(completion.values())
    for name in missing:
        violations.append(f"job {name}: not complete within the horizon {instance['horizon']}")
    if makespan is not None and makespan != schedule["makespan"]:
        violations.append(f"makespan: stated {schedule['makespan']}, recomputed {makespan}")
    return Verdict(not violations, makespan, completion, tuple(violations))


def _malformed(instance: Mapping[str, Any], schedule: Any) -> list[str]:
    """Faults of form and of constraints (1) and (5), which leave nothing to run."""
    if not isinstance(schedule, Mapping) or not isinstance(schedule.get("jobs"), Mapping):
        return ['schedule: must be an object with an object "jobs"']
    found = []
    if schedule.get("fingerprint") != fingerprint(instance):
        found.append("fingerprint: the schedule belongs to another instance")
    if not _is_int(schedule.get("makespan")):
        found.append(f"makespan: {schedule.get('makespan')!r} is not an integer")
    demand = {job["id"]: job["gpus"] for job in instance["jobs"]}
    servers = {server["id"] for server in instance["servers"]}
    found += [f"job {name}: is missing" for name in demand if name not in schedule["jobs"]]
    for name, entry in schedule["jobs"].items():
        if name not in demand:
            found.append(f"job {name}: is unknown to the instance")
        else:
            found += [f"job {name}: {fault}" for fault in _bad_entry(entry, demand[name], servers)]
    return found


def _bad_entry(entry: Any, demand: int, servers: set[str]) -> list[str]:
    """Faults of one job's start and placement."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("gpus"), Mapping):
        return ['must be an object with "start" and an object "gpus"']
    faults = []
    start, gpus = entry.get("start"), entry["gpus"]
    if not isinstance(start, int) or isinstance(start, bool):
        faults.append(f"start {start!r} is not an integer")
    elif start < 0:
        faults.append(f"start {start} is negative")
    faults += [f"server {name} is unknown to the instance" for name in gpus if name not in servers]
    wrong = {name: count for name, count in gpus.items() if not _is_int(count) or count < 1}
    faults += [
        f"{count!r} GPUs on {name} is no positive integer (5)" for name, count in wrong.items()
    ]
    if not wrong and sum(gpus.values()) != demand:
        faults.append(f"has {sum(gpus.values())} workers, needs {demand} (1)")
    return faults


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _run(
    instance: Mapping[str, Any], entries: Mapping[str, Any]
) -> tuple[dict[str, int], list[str]]:
    """Let the jobs run slot by slot up to the horizon, eqs. (2) and (6)-(9)."""
    clock = _Clock(instance)
    remaining = {job["id"]: job["iterations"] for job in instance["jobs"]}
    starting: dict[int, list[str]] = {}
    for name in remaining:
        starting.setdefault(entries[name]["start"], []).append(name)
    active: dict[str, Mapping[str, int]] = {}
    progress: dict[str, int] = {}
    completion: dict[str, int] = {}
    overfull: dict[str, str] = {}
    slot = 0
    while slot < instance["horizon"] and len(completion) < len(remaining):
        changed = slot in starting
        for name in starting.pop(slot, ()):
            active[name] = entries[name]["gpus"]
        if changed or not progress:
            _note_overfull(instance, active, slot, overfull)
            progress = clock.rates(active)
        if not any(progress.values()):  # nothing can change before the next start
            if not starting:
                break
            slot = min(starting)
            continue
        for name, rate in progress.items():
            remaining[name] -= rate
        slot += 1
        for name in [name for name in active if remaining[name] <= 0]:
            completion[name] = slot
            del active[name]
            progress = {}
    return completion, list(overfull.values())


def _note_overfull(
    instance: Mapping[str, Any],
    active: Mapping[str, Mapping[str, int]],
    slot: int,
    overfull: dict[str, str],
) -> None:
    """Constraint (2); one line per server, for the first slot in which it is overfull."""
    for server in instance["servers"]:
        name, capacity = server["id"], server["gpus"]
        used = sum(gpus.get(name, 0) for gpus in active.values())
        if used > capacity:
            overfull.setdefault(
                name, f"server {name}: {used} GPUs used in slot {slot}, has {capacity} (2)"
            )


class _Clock:
    """Iterations per slot by the definition, eqs. (6)-(8)."""

    def __init__(self, instance: Mapping[str, Any]) -> None:
        self._instance = instance
        self._jobs = {job["id"]: job for job in instance["jobs"]}
        self._memo: dict[tuple[str, int, int], int] = {}

    def rates(self, active: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        """phi_j[t] of every active job, given who is active where."""
        sharing: dict[str, int] = {}  # per server, jobs with some but not all workers on it
        for name, gpus in active.items():
            for server, count in gpus.items():
                if 0 < count < self._jobs[name]["gpus"]:
                    sharing[server] = sharing.get(server, 0) + 1
        return {
            name: self._rate(
                name,
                len(gpus),
                max(
                    (sharing[s] for s, c in gpus.items() if c < self._jobs[name]["gpus"]), default=0
                ),
            )
            for name, gpus in active.items()
        }

    def _rate(self, name: str, servers: int, level: int) -> int:
        key = (name, servers, level)
        if key not in self._memo:
            self._memo[key] = int(1 / self._tau(self._jobs[name], servers, level))
        return self._memo[key]

    def _tau(self, job: Mapping[str, Any], servers: int, level: int) -> Fraction:
        """Time per iteration, eq. (8)."""
        network, workers = self._instance["network"], job["gpus"]
        if servers == 1:
            bandwidth = _decimal(network["intra_bandwidth"])
        else:
            sharing = max(Fraction(1), _decimal(network["xi1"]) * level)
            bandwidth = _decimal(network["inter_bandwidth"]) / _slowdown(
                network["degradation"], sharing
            )
        ring = Fraction(workers - 1, workers) * _decimal(job["gradient_size"])
        exchange = 2 * ring / bandwidth
        reduction = ring / _decimal(self._instance["reduce_speed"])
        overhead = _decimal(network["xi2"]) * servers
        compute: Fraction = _decimal(job["forward_time"]) * job["batch_size"] + _decimal(
            job["backward_time"]
        )
        return exchange + reduction + overhead + compute


def _decimal(number: float) -> Fraction:
    """The decimal that the file shows."""
    return Fraction(repr(float(number)))


def _slowdown(degradation: Mapping[str, Any], k: Fraction) -> Fraction:
    """f(k) of eq. (7)."""
    if degradation["kind"] == "linear":
        return k + _decimal(degradation["alpha"]) * (k - 1)
    if degradation["kind"] == "power":
        with localcontext() as context:
            context.prec = 50
            base = Decimal(k.numerator) / Decimal(k.denominator)
            value = base ** Decimal(repr(float(degradation["exponent"])))
            return Fraction(f"{value:.11e}")
    # A function that was added as a plug-in: only its own definition can say what f(k) is.
    from instances.degradations import parse_degradation

    return Fraction(parse_degradation(degradation).factor(k))
