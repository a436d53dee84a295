"""CP-SAT, OR-Tools' constraint solver, on the model that a practitioner would write."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field
from pyomo.common.dependencies import attempt_import

from formulations import Bracket
from formulations._activity import unroll
from formulations._reading import claimed
from instances.instance import Instance
from instances.schedule import Schedule
from solvers.backends import EXACT_GAP, Availability, Outcome, Termination
from solvers.result import Limits

cp_model, _ = attempt_import("ortools.sat.python.cp_model")

PRELOAD = ("ortools.sat.python.cp_model",)

_TERMINATIONS: dict[str, Termination] = {
    "OPTIMAL": "optimal", "INFEASIBLE": "infeasible", "FEASIBLE": "limit", "UNKNOWN": "limit",
}  # fmt: skip
_TAKEN = "complete_hint"
_SEEDS = 2**31 - 1


@dataclass(frozen=True)
class Options:
    gap: Annotated[float, Field(ge=0, lt=1)] = 0.0


def availability() -> Availability:
    try:
        from ortools import __version__
    except ImportError:
        return Availability(False, False, reason="the package ortools is not installed")
    return Availability(True, True, __version__)


def solve_instance(
    instance: Instance, bracket: Bracket, limits: Limits, options: Options
) -> Outcome:
    """Build the model and solve it; the objective is an integer, so "optimal" is exact."""
    began = time.perf_counter()
    model = _Model(instance, bracket)
    built = time.perf_counter() - began
    log: list[str] = []
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers, parameters.random_seed = limits.threads, limits.seed % _SEEDS
    parameters.relative_gap_limit, parameters.absolute_gap_limit = options.gap, EXACT_GAP
    parameters.symmetry_level = 0  # above it, presolve makes complete hints infeasible
    parameters.log_search_progress, parameters.log_to_stdout = True, False
    if limits.time is not None:
        parameters.max_time_in_seconds = max(0.0, limits.time - built)
    if limits.memory is not None:
        parameters.max_memory_in_mb = int(limits.memory)
    solver.log_callback = log.append
    status = solver.solve(model.cp)
    name = solver.status_name(status)
    found = name in ("OPTIMAL", "FEASIBLE")
    return Outcome(
        termination=_TERMINATIONS.get(name, "error"),
        schedule=model.read(solver) if found else None,
        bound=solver.best_objective_bound if name != "INFEASIBLE" else None,
        nodes=solver.num_branches,
        seconds=time.perf_counter() - began - built,
        hand_over_seconds=built,
        warm_start=None if bracket.incumbent is None else any(_TAKEN in line for line in log),
        message="" if name in _TERMINATIONS else f"CP-SAT: {name}",
        log="\n".join(log),
    )


class _Model:
    """Optional intervals on every server; slot by slot only what spanning jobs need.

    As in the other models a job may run slower or longer than it must, which harms nobody.
    """

    def __init__(self, instance: Instance, bracket: Bracket) -> None:
        self.cp, self._instance, self._upper = cp_model.CpModel(), instance, bracket.upper
        self._jobs = range(len(instance.jobs))
        self._servers = range(len(instance.servers))
        cp, upper = self.cp, bracket.upper
        self._makespan = cp.new_int_var(bracket.lower, upper, "makespan")
        cp.minimize(self._makespan)
        self._start = [cp.new_int_var(0, upper, f"start{j}") for j in self._jobs]
        self._slots = [
            cp.new_int_var(instance.timing.shortest[j], upper, f"slots{j}") for j in self._jobs
        ]
        self._end = [cp.new_int_var(0, upper, f"end{j}") for j in self._jobs]
        for end in self._end:
            cp.add(end <= self._makespan)
        self._gpus = {(j, s): self._count(j, s) for j in self._jobs for s in self._servers}
        self._uses = {key: cp.new_bool_var(f"uses{key}") for key in self._gpus}
        self._place()
        self._contend()
        if bracket.incumbent is not None:
            self._hint(bracket.incumbent)

    def _count(self, j: int, s: int) -> Any:
        most = min(self._instance.jobs[j].gpus, self._instance.servers[s].gpus)
        return self.cp.new_int_var(0, most, f"gpus{j},{s}")

    def _place(self) -> None:
        """Eqs. (1)-(5)."""
        cp = self.cp
        for j, job in enumerate(self._instance.jobs):
            cp.add(sum(self._gpus[j, s] for s in self._servers) == job.gpus)
        for s, server in enumerate(self._instance.servers):
            intervals = []
            for j in self._jobs:
                used = self._uses[j, s]
                cp.add(self._gpus[j, s] >= 1).only_enforce_if(used)
                cp.add(self._gpus[j, s] == 0).only_enforce_if(~used)
                run = (self._start[j], self._slots[j], self._end[j])
                intervals.append(cp.new_optional_interval_var(*run, used, f"on{j},{s}"))
            cp.add_cumulative(intervals, [self._gpus[j, s] for j in self._jobs], server.gpus)

    def _contend(self) -> None:
        """Eqs. (6)-(9): one server takes a constant time, more take what contention makes of it."""
        cp, timing = self.cp, self._instance.timing
        self._width = width = {
            (j, h): cp.new_bool_var(f"width{j},{h}")
            for j, job in enumerate(self._instance.jobs)
            for h in range(timing.fewest_servers[j], min(job.gpus, len(self._servers)) + 1)
        }
        wide = [j for j in self._jobs if any(i == j and h > 1 for i, h in width)]
        self._active = {
            (j, s, t): cp.new_bool_var(f"active{j},{s},{t}")
            for j in wide for s in self._servers for t in range(self._upper)
        }  # fmt: skip
        for j in self._jobs:
            mine = [(h, chosen) for (i, h), chosen in width.items() if i == j]
            cp.add_exactly_one(chosen for _, chosen in mine)
            cp.add(
                sum(self._uses[j, s] for s in self._servers)
                == sum(h * chosen for h, chosen in mine)
            )
            if (j, 1) in width:
                alone = timing.shortest[j]
                cp.add(self._slots[j] >= alone).only_enforce_if(width[j, 1])
        self._phases: dict[Any, Any] = {}
        self._rates: dict[Any, Any] = {}
        for j in wide:
            self._progress(j, width)

    def _progress(self, j: int, width: dict[Any, Any]) -> None:
        """A rate for each slot of a job that may span, allowed by the level on its servers."""
        cp, timing = self.cp, self._instance.timing
        modes = [
            (h, p) for i, h in width if i == j and h > 1 for p in range(1, timing.max_level + 1)
        ]
        spans = ~width[j, 1] if (j, 1) in width else cp.new_constant(1)
        wide = {i for i, _, _ in self._active}
        done = []
        for t in range(self._upper):
            runs = self._phase(j, t)
            rates = {mode: cp.new_bool_var(f"rate{j},{t},{mode}") for mode in modes}
            cp.add_at_most_one(rates.values())
            for (h, p), chosen in rates.items():
                self._rates[j, t, h, p] = chosen
                cp.add_implication(chosen, runs)
                cp.add_implication(chosen, width[j, h])
                for s in self._servers:
                    here = sum(self._active[i, s, t] for i in wide)
                    cp.add(here <= p).only_enforce_if(chosen, self._uses[j, s])
                done.append(timing.rate(j, h, p) * chosen)
            for s in self._servers:
                cp.add_bool_or(self._active[j, s, t], ~self._uses[j, s], ~runs, ~spans)
        cp.add(sum(done) >= self._instance.jobs[j].iterations).only_enforce_if(spans)

    def _phase(self, j: int, t: int) -> Any:
        """Before, while or after the job runs; returns whether it runs in slot t."""
        cp = self.cp
        before, runs, after = phases = [cp.new_bool_var(f"phase{j},{t},{k}") for k in range(3)]
        cp.add(self._start[j] > t).only_enforce_if(before)
        cp.add(self._start[j] <= t).only_enforce_if(runs)
        cp.add(self._end[j] > t).only_enforce_if(runs)
        cp.add(self._end[j] <= t).only_enforce_if(after)
        cp.add_exactly_one(phases)
        self._phases[j, t] = phases
        return runs

    def _hint(self, schedule: Schedule) -> None:
        """Every variable as a checked schedule has it."""
        activity, hint = unroll(self._instance, schedule), self.cp.add_hint
        spanning = {j for j in self._jobs if len(schedule.placements[j]) > 1}
        hint(self._makespan, schedule.makespan)
        for j, (start, end) in enumerate(zip(schedule.starts, activity.completion, strict=True)):
            counts = dict(schedule.placements[j])
            hint(self._start[j], start)
            hint(self._slots[j], end - start)
            hint(self._end[j], end)
            for s in self._servers:
                hint(self._gpus[j, s], counts.get(s, 0))
                hint(self._uses[j, s], s in counts)
        for (j, h), chosen in self._width.items():
            hint(chosen, h == len(schedule.placements[j]))
        for (j, s, t), chosen in self._active.items():
            here = j in spanning and s in dict(schedule.placements[j])
            hint(chosen, here and (j, t) in activity.level)
        for (j, t), phases in self._phases.items():
            start, end = schedule.starts[j], activity.completion[j]
            for chosen, value in zip(phases, (t < start, start <= t < end, end <= t), strict=True):
                hint(chosen, value)
        for (j, t, h, p), chosen in self._rates.items():
            hint(chosen, h == len(schedule.placements[j]) and activity.level.get((j, t)) == p)

    def read(self, solver: Any) -> Schedule:
        """The schedule that was found."""
        starts = [solver.value(start) for start in self._start]
        placements = [
            tuple((s, count) for s in self._servers if (count := solver.value(self._gpus[j, s])))
            for j in self._jobs
        ]
        return claimed(self._instance, starts, placements, solver.value(self._makespan))
