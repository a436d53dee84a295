"""HiGHS, the open MIP solver, through Pyomo's solver interface."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import highspy
from pydantic import Field
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition
from pyomo.contrib.solver.solvers.highs import Highs

from formulations import Program
from solvers.backends import EXACT_GAP, Availability, Outcome, Termination
from solvers.result import Limits

KINDS = ("MILP",)

_SEEDS = 2**31

_START_TAKEN = re.compile(
    r"MIP start solution is feasible|Assessing feasibility of MIP .*: feasible$", re.MULTILINE
)


@dataclass(frozen=True)
class Options:
    gap: Annotated[float, Field(ge=0, lt=1)] = 0.0
    presolve: Literal["choose", "on", "off"] = "choose"


def availability() -> Availability:
    return Availability(True, True, ".".join(map(str, Highs().version())))


def solve_program(program: Program, limits: Limits, options: Options) -> Outcome:
    """Solve a MILP; "optimal" means bound > makespan - 1, since makespans are integers."""
    highspy.Highs.resetGlobalScheduler(True)  # else the first solve's thread count stays
    began = time.perf_counter()
    solver = _WarmStarted()
    solver.deadline = None if limits.time is None else began + limits.time
    config = solver.config
    config.load_solutions = False
    config.raise_exception_on_nonoptimal_result = False
    config.threads = limits.threads
    config.rel_gap, config.abs_gap = options.gap, EXACT_GAP
    presolve = "off" if options.presolve == "choose" and not program.presolve else options.presolve
    config.solver_options = {"random_seed": limits.seed % _SEEDS, "presolve": presolve}
    results = solver.solve(program.model)
    seconds = float(results.timing_info.highs_time)
    schedule = None
    if results.solution_status in (SolutionStatus.optimal, SolutionStatus.feasible):
        results.solution_loader.load_solution()
        schedule = program.read()
    log = results.solver_log
    return Outcome(
        termination=_termination(results.termination_condition),
        schedule=schedule,
        bound=_finite(results.objective_bound),
        nodes=getattr(results.extra_info, "mip_node_count", None),
        seconds=seconds,
        hand_over_seconds=max(0.0, time.perf_counter() - began - seconds),
        warm_start=bool(_START_TAKEN.search(log)) if solver.offered else None,
        log=log,
    )


class _WarmStarted(Highs):  # type: ignore[misc]
    """Pyomo's interface, with two things it lacks.

    It offers a start, from the variables' values; and the time limit covers the hand-over too.
    """

    offered = False
    deadline: float | None = None

    def _solve(self) -> Any:
        if self.deadline is not None:
            self._active_config.time_limit = max(0.0, self.deadline - time.perf_counter())
        values = [variable.value for variable, *_ in self._vars.values()]
        if values and None not in values:
            start = highspy.HighsSolution()
            start.col_value = values
            self._solver_model.setSolution(start)
            self.offered = True
        return super()._solve()


def _termination(condition: TerminationCondition) -> Termination:
    if condition == TerminationCondition.convergenceCriteriaSatisfied:
        return "optimal"
    if condition in (
        TerminationCondition.provenInfeasible,
        TerminationCondition.infeasibleOrUnbounded,  # a makespan is never negative
    ):
        return "infeasible"
    if condition in (TerminationCondition.maxTimeLimit, TerminationCondition.iterationLimit):
        return "limit"
    return "error"


def _finite(bound: float | None) -> float | None:
    return bound if bound is not None and math.isfinite(bound) else None
