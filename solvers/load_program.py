"""The smallest theta_u of eqs. (14)-(16): by bisection over feasibility, and directly."""

from __future__ import annotations

from formulations import Bracket, Program
from formulations.load import Options, build
from instances.bounds import simple_bound
from instances.instance import Instance
from solvers.backends import Outcome, find_backend
from solvers.judge import round_up
from solvers.result import Limits


def load_feasible(
    instance: Instance, theta: int, backend: str = "highs", limits: Limits | None = None
) -> bool | None:
    """Whether no GPU need carry more than `theta` slots; None where the limits do not tell."""
    if theta < simple_bound(instance):
        return False
    program = build(instance, Bracket(1, theta, None), Options())
    program.model.theta.fix(theta)
    program.model.objective.set_value(0)
    termination = _solved(program, backend, limits).termination
    return {"optimal": True, "infeasible": False}.get(termination)


def bisected_load(
    instance: Instance, backend: str = "highs", limits: Limits | None = None
) -> int | None:
    """theta_u* by bisection; None where the limits, which count for each step, do not tell."""
    left, right = simple_bound(instance), sum(instance.timing.shortest)
    while left < right:
        theta = (left + right) // 2
        feasible = load_feasible(instance, theta, backend, limits)
        if feasible is None:
            return None
        left, right = (left, theta) if feasible else (theta + 1, right)
    return left


def least_load(
    instance: Instance, backend: str = "highs", limits: Limits | None = None
) -> int | None:
    """theta_u* by direct minimisation; None where the limits do not tell."""
    program = build(instance, Bracket(1, sum(instance.timing.shortest), None), Options())
    outcome = _solved(program, backend, limits)
    if outcome.termination != "optimal" or outcome.bound is None:
        return None
    return round_up(outcome.bound)


def _solved(program: Program, backend: str, limits: Limits | None) -> Outcome:
    solver = find_backend(backend)
    assert solver.solve_program is not None
    return solver.solve_program(program, limits or Limits(), solver.options())
