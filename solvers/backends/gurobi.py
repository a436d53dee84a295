"""Gurobi, commercial, with the size-limited licence that comes with its package or a full one."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field
from pyomo.common.dependencies import attempt_import
from pyomo.contrib.solver.solvers.gurobi.gurobi_direct_minlp import GurobiDirectMINLP

from formulations import Program
from solvers.backends import EXACT_GAP, Availability, Outcome, Termination
from solvers.result import Limits

gurobipy, _ = attempt_import("gurobipy")

KINDS = ("MILP", "MINLP")

# https://docs.gurobi.com: error codes and optimization status codes
_ERRORS: dict[int, Termination] = {
    10001: "memory_limit", 10009: "unavailable", 10010: "licence_limit",
}  # fmt: skip
_TERMINATIONS: dict[int, Termination] = {
    2: "optimal",
    3: "infeasible",
    4: "infeasible",  # "infeasible or unbounded", and a makespan is never negative
    9: "limit",
    11: "limit",  # interrupted
    17: "memory_limit",
}
_LARGEST_SEED = 2_000_000_000
_SMALL = "size-limited licence: 2000 variables and constraints, 200 variables if non-convex"
_TAKEN = "Loaded user MIP start"


@dataclass(frozen=True)
class Options:
    gap: Annotated[float, Field(ge=0, lt=1)] = 0.0
    tolerance: Annotated[float, Field(ge=1e-9, le=1e-3)] = 1e-9


def availability() -> Availability:
    """Ask for a licence, and whether it allows one variable more than the size-limited one."""
    try:
        version = ".".join(map(str, gurobipy.gurobi.version()))
    except ImportError:
        return Availability(False, False, reason="the package gurobipy is not installed")
    try:
        with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
            model.addVars(2001)
            model.optimize()
    except gurobipy.GurobiError as error:
        small = _ERRORS.get(error.errno) == "licence_limit"
        return Availability(True, small, version, _SMALL if small else str(error))
    return Availability(True, True, version)


def solve_program(program: Program, limits: Limits, options: Options) -> Outcome:
    """Solve a MILP or MINLP; "optimal" means bound > makespan - 1."""
    solver = _WarmStarted()
    config = solver.config
    config.load_solutions = False
    config.raise_exception_on_nonoptimal_result = False
    config.time_limit, config.threads = limits.time, limits.threads
    config.rel_gap, config.abs_gap = options.gap, EXACT_GAP
    config.solver_options = {
        "Seed": limits.seed % _LARGEST_SEED,
        "FeasibilityTol": options.tolerance,
        "IntFeasTol": options.tolerance,
    }
    if limits.memory is not None:
        config.solver_options["SoftMemLimit"] = limits.memory / 1000  # GB
    began = time.perf_counter()
    try:
        results = solver.solve(program.model)
    except gurobipy.GurobiError as error:
        seconds = time.perf_counter() - began
        return Outcome(
            _ERRORS.get(error.errno, "error"), hand_over_seconds=seconds, message=str(error)
        )
    seconds = float(results.timing_info.gurobi_time)
    gurobi = results.solution_loader._solver_model
    schedule = None
    if gurobi.SolCount > 0:
        results.solution_loader.load_solution()
        schedule = program.read()
    bound = gurobi.ObjBound
    return Outcome(
        termination=_TERMINATIONS.get(gurobi.Status, "error"),
        schedule=schedule,
        bound=bound if math.isfinite(bound) and abs(bound) < gurobipy.GRB.INFINITY else None,
        nodes=int(gurobi.NodeCount),
        seconds=seconds,
        hand_over_seconds=max(0.0, time.perf_counter() - began - seconds),
        warm_start=_TAKEN in results.solver_log if solver.offered else None,
        message="" if gurobi.Status in _TERMINATIONS else f"Gurobi status {gurobi.Status}",
        log=results.solver_log,
    )


class _WarmStarted(GurobiDirectMINLP):  # type: ignore[misc]
    """Pyomo's interface for linear and other models, with a start from all variables' values."""

    offered = False

    def _create_solver_model(self, model: Any, config: Any) -> Any:
        created = super()._create_solver_model(model, config)
        pairs = self._var_map.items()
        if all(variable.value is not None for variable, _ in pairs):
            for variable, column in pairs:
                column.Start = variable.value
            self.offered = True
        return created
