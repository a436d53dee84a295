"""SCIP, the open solver that also takes non-convex programs, through Pyomo's direct interface."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

import pyscipopt
from pydantic import Field
from pyomo.contrib.solver.common.results import SolutionStatus
from pyomo.contrib.solver.solvers.scip.scip_direct import ScipDirect

from formulations import Program
from solvers.backends import EXACT_GAP, Availability, Outcome, Termination
from solvers.result import Limits

KINDS = ("MILP", "MINLP")

_TERMINATIONS: dict[str, Termination] = {
    "optimal": "optimal",
    "gaplimit": "optimal",
    "infeasible": "infeasible",
    "inforunbd": "infeasible",  # a makespan is never negative
    "timelimit": "limit",
    "userinterrupt": "limit",
    "memlimit": "memory_limit",
}

_SEEDS = 2**31
_TAKEN = "1/1 feasible solution given by solution candidate storage"


@dataclass(frozen=True)
class Options:
    gap: Annotated[float, Field(ge=0, lt=1)] = 0.0
    tolerance: Annotated[float, Field(ge=1e-9, le=1e-3)] = 1e-9


def availability() -> Availability:
    scip = pyscipopt.Model()
    numbers = scip.getMajorVersion(), scip.getMinorVersion(), scip.getTechVersion()
    return Availability(True, True, ".".join(map(str, numbers)))


def solve_program(program: Program, limits: Limits, options: Options) -> Outcome:
    """Solve a MILP or MINLP; SCIP's search itself uses one thread whatever `limits` says."""
    solver = _WarmStarted()
    config = solver.config
    config.load_solutions = False
    config.raise_exception_on_nonoptimal_result = False
    config.time_limit, config.threads = limits.time, limits.threads
    config.rel_gap, config.abs_gap = options.gap, EXACT_GAP
    config.solver_options = {
        "randomization/randomseedshift": limits.seed % _SEEDS,
        "numerics/feastol": options.tolerance,
    }
    if limits.memory is not None:
        config.solver_options["limits/memory"] = limits.memory
    began = time.perf_counter()
    results = solver.solve(program.model)
    seconds = float(results.timing_info.scip_time)
    schedule = None
    if results.solution_status in (SolutionStatus.optimal, SolutionStatus.feasible):
        results.solution_loader.load_solution()
        schedule = program.read()
    scip = solver._solver_model
    status, bound = scip.getStatus(), scip.getDualbound()
    return Outcome(
        termination=_TERMINATIONS.get(status, "error"),
        schedule=schedule,
        bound=None if scip.isInfinity(abs(bound)) else bound,
        nodes=scip.getNTotalNodes(),
        seconds=seconds,
        hand_over_seconds=max(0.0, time.perf_counter() - began - seconds),
        warm_start=_TAKEN in results.solver_log if solver.offered else None,
        message="" if status in _TERMINATIONS else f"SCIP stopped: {status}",
        log=results.solver_log,
    )


class _WarmStarted(ScipDirect):  # type: ignore[misc]
    """Pyomo's interface with the objective as it is, and a start from all variables' values."""

    offered = False

    def _set_objective(self, objective: Any) -> None:
        """Pyomo adds a continuous variable, from which SCIP cannot see that slots are integers."""
        expression = self._expr_visitor.walk_expression(objective.expr)
        self._solver_model.setObjective(expression, "minimize")
        self._objective = objective

    def _create_solver_model(self, model: Any, config: Any) -> Any:
        created = super()._create_solver_model(model, config)
        pairs = self._pyomo_var_to_solver_var_map.items()
        if all(variable.value is not None for variable, _ in pairs):
            start = self._solver_model.createSol()
            for variable, column in pairs:
                start[column] = variable.value
            self.offered = self._solver_model.addSol(start)
        return created
