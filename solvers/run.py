"""An exact backend at work on one instance, under limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyomo.environ as pyo

from formulations import Bracket, Formulation, Program
from instances.errors import TooLarge, Unsupported
from instances.instance import Instance
from instances.schedule import Schedule
from solvers.backends import Backend, Outcome
from solvers.bracket import narrowed
from solvers.judge import judged, verdict_on
from solvers.result import Limits, Result

_FOR_THE_RESTRICTION = 0.5
"""Share of the time left that the restriction of a formulation may take."""


class Run:
    """A backend, an instance, and limits that began to count at `began`."""

    def __init__(
        self,
        instance: Instance,
        bracket: Bracket,
        solver: Backend,
        options: Any,
        limits: Limits,
        began: float,
        note: Callable[[Result], None],
    ) -> None:
        self._instance, self._bracket, self._solver = instance, bracket, solver
        self._options, self._limits, self._began, self._note = options, limits, began, note
        self._found: Schedule | None = None

    def without_model(self, result: Result) -> Result:
        """Solve with a backend that takes the instance itself."""
        assert self._solver.solve_instance is not None
        self._note(replace(result, status="no_solution", message="while it solved"))
        limits = self._what_is_left()
        outcome = self._solver.solve_instance(self._instance, self._bracket, limits, self._options)
        result = replace(
            result,
            solver_seconds=outcome.seconds,
            nodes=outcome.nodes,
            warm_start=outcome.warm_start,
            message=outcome.message or result.message,
            log=outcome.log,
        )
        return self._result(result, outcome)

    def with_model(self, result: Result, formulation: Formulation, options: Any) -> Result:
        """Build the model, then solve it; before, whatever the formulation wants to be given."""
        try:
            if formulation.bracket == "narrow":
                self._note(replace(result, status="no_solution", message="while it priced"))
                self._bracket = narrowed(
                    self._instance, self._bracket, self._limits.time, self._limits.seed
                )
                self._found = self._bracket.incumbent
                if formulation.restriction is not None and not self._bracket.settled:
                    result = self._improve(result, formulation.restriction, options)
                if result.status == "wrong":
                    return result
                if self._bracket.settled:
                    return self._judged(result, self._bracket.incumbent, self._bracket.lower)
            return self._solve(result, formulation.program, options)
        except TooLarge as error:
            return replace(result, status="too_large", message=str(error))
        except Unsupported as error:
            return replace(result, status="unsupported", message=str(error))

    def _better(self) -> Bracket:
        """What is left to look for once there is an incumbent: a better schedule."""
        return replace(self._bracket, upper=self._bracket.upper - 1, incumbent=None)

    def _improve(self, result: Result, restriction: Callable[..., Program], options: Any) -> Result:
        """Look in a smaller model for a better incumbent; no bound of it counts."""
        began = time.perf_counter()
        program = restriction(self._instance, self._better(), options)
        if program.kind not in self._solver.kinds:
            return result
        built = time.perf_counter() - began
        outcome = self._handed_over(program, None, self._what_is_left(_FOR_THE_RESTRICTION))
        best = outcome.schedule
        if best is not None and best.makespan < self._bracket.upper:
            if not verdict_on(self._instance, best).feasible:
                return self._judged(result, best, None)
            self._found = best
            self._bracket = replace(self._bracket, upper=best.makespan, incumbent=best)
        return self._counted(result, program, outcome, built)

    def _solve(self, result: Result, build: Callable[..., Program], options: Any) -> Result:
        began = time.perf_counter()
        self._note(replace(result, status="no_solution", message="while it built the model"))
        sought = self._bracket if self._found is None else self._better()
        program = build(self._instance, sought, options)
        built = time.perf_counter() - began
        counted = self._counted(result, program, Outcome("limit"), built)
        if program.kind not in self._solver.kinds:
            message = f"{self._solver.name} takes no {program.kind}"
            return replace(counted, status="unsupported", message=message)
        limits = self._what_is_left()
        if limits.time is not None and limits.time <= 0:
            message = "the time limit passed while the model was built"
            return self._judged(replace(counted, message=message), self._found, None)
        self._note(replace(counted, status="no_solution", message="while it solved the model"))
        outcome = self._handed_over(program, sought.incumbent, limits)
        return self._result(self._counted(result, program, outcome, built), outcome)

    def _handed_over(self, program: Program, start: Schedule | None, limits: Limits) -> Outcome:
        """Solve, from `start` where the model can be started."""
        if start is not None and program.start is not None:
            program.start(start)
        assert self._solver.solve_program is not None
        return self._solver.solve_program(program, limits, self._options)

    def _counted(self, result: Result, program: Program, outcome: Outcome, built: float) -> Result:
        """Add what a model cost to what was spent before it."""
        nodes = [count for count in (result.nodes, outcome.nodes) if count is not None]
        return replace(
            result,
            build_seconds=result.build_seconds + built + outcome.hand_over_seconds,
            solver_seconds=result.solver_seconds + outcome.seconds,
            nodes=sum(nodes) if nodes else None,
            variables=_count(program, pyo.Var),
            constraints=_count(program, pyo.Constraint),
            warm_start=outcome.warm_start,
            message=outcome.message or program.message,
            log=result.log + outcome.log,
        )

    def _what_is_left(self, share: float = 1.0) -> Limits:
        if self._limits.time is None:
            return self._limits
        elapsed = time.perf_counter() - self._began
        return replace(self._limits, time=share * (self._limits.time - elapsed))

    def _result(self, result: Result, outcome: Outcome) -> Result:
        """Take over what the backend says, and let the judge decide what it is worth."""
        if outcome.termination == "infeasible":
            if self._found is not None:  # it was asked for a better one
                return self._judged(result, self._found, self._found.makespan)
            if self._bracket.incumbent is not None:
                known = self._bracket.incumbent.makespan
                message = f"claims infeasible, but a checked schedule has makespan {known}"
                return replace(result, status="wrong", message=message)
            return replace(result, status="infeasible")
        if outcome.termination != "optimal" and outcome.termination != "limit":
            return replace(result, status=outcome.termination)
        return self._judged(result, outcome.schedule or self._found, outcome.bound)

    def _judged(self, result: Result, schedule: Schedule | None, bound: float | None) -> Result:
        undecided = replace(result, status="no_solution")
        return judged(self._instance, undecided, schedule, bound, self._bracket)


def _count(program: Program, kind: Any) -> int:
    return sum(1 for _ in program.model.component_data_objects(kind, active=True))
