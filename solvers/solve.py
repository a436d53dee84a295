"""One run, from an instance to a judged result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from formulations import Formulation, find_formulation
from instances.errors import InputError
from instances.instance import Instance
from instances.options import make_options, option_names, recorded
from instances.registry import suggestion
from solvers.backends import Backend, find_backend
from solvers.bracket import find_bracket
from solvers.heuristics import find_heuristic
from solvers.judge import judged
from solvers.result import Limits, Result
from solvers.run import Run


def recorded_options(
    heuristic: str | None, formulation: str | None, backend: str | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The options, defaults included, that the row of such a run records.

    Raises
    ------
    InputError
        On unknown names or options, or a backend and formulation that do not go together.
    """
    if heuristic is not None:
        kind = find_heuristic(heuristic).options
        return recorded(make_options(kind, settings, f"heuristic {heuristic}"))
    if backend is None:
        raise InputError("give either a heuristic or a backend")
    solver = find_backend(backend)
    program = _matching_formulation(formulation, solver)
    of_formulation, of_backend = _split_settings(settings, program, solver)
    return (recorded(of_formulation) if program else {}) | recorded(of_backend)


def solve_heuristic(
    instance: Instance, name: str, settings: Mapping[str, Any], limits: Limits
) -> Result:
    """Run a heuristic and judge its schedule.

    Raises
    ------
    InputError
        On an unknown heuristic, an unknown option or one out of range.
    """
    heuristic = find_heuristic(name)
    options = make_options(heuristic.options, settings, f"heuristic {name}")
    began = time.perf_counter()
    schedule = heuristic.schedule(instance, options, limits.seed)
    seconds = time.perf_counter() - began
    result = Result(
        instance=instance.name,
        fingerprint=instance.fingerprint,
        method={"kind": "heuristic", "name": name, "version": version("ringbench")},
        status="no_solution",
        solver_seconds=seconds,
        threads=limits.threads,
        seed=limits.seed,
        options=recorded(options),
    )
    if schedule is not None:
        result = judged(instance, result, schedule)
    return replace(result, wall_seconds=time.perf_counter() - began)


def solve_exact(
    instance: Instance,
    formulation: str | None,
    backend: str,
    settings: Mapping[str, Any],
    limits: Limits,
    began: float | None = None,
    note: Callable[[Result], None] = lambda result: None,
) -> Result:
    """Solve to optimality, as far as the limits allow, and judge the outcome.

    Parameters
    ----------
    formulation : str or None
        None for a backend that needs no model.
    settings : mapping
        Options of the formulation and of the backend; each goes to those that declare it.
    began : float, optional
        ``time.perf_counter()`` when loading began; the time limit counts from there.
    note : callable, optional
        Is given what is known so far, before each step that may not return.

    Raises
    ------
    InputError
        On unknown names or options, or a backend and formulation that do not go together.
    """
    began = time.perf_counter() if began is None else began
    solver = find_backend(backend)
    program = _matching_formulation(formulation, solver)
    formulation_options, backend_options = _split_settings(settings, program, solver)
    available = solver.availability()
    result = Result(
        instance=instance.name,
        fingerprint=instance.fingerprint,
        method={
            "kind": "exact",
            "formulation": formulation,
            "backend": backend,
            "version": available.version,
        },
        status="unavailable",
        threads=limits.threads,
        seed=limits.seed,
        options=(recorded(formulation_options) if program else {}) | recorded(backend_options),
        message=available.reason,
    )
    if available.usable:
        note(replace(result, status="no_solution", message="while it ran the heuristics"))
        bracket = find_bracket(instance)
        run = Run(instance, bracket, solver, backend_options, limits, began, note)
        if bracket.lower > bracket.upper:
            message = f"makespan is at least {bracket.lower}, horizon is {bracket.upper}"
            result = replace(result, status="infeasible", message=message)
        elif program is None:
            result = run.without_model(result)
        else:
            result = run.with_model(result, program, formulation_options)
    return replace(result, wall_seconds=time.perf_counter() - began)


def _matching_formulation(formulation: str | None, solver: Backend) -> Formulation | None:
    if solver.needs_model and formulation is None:
        raise InputError(f"backend {solver.name} solves a model: add --formulation NAME")
    if not solver.needs_model and formulation is not None:
        raise InputError(f"backend {solver.name} needs no model: leave out --formulation")
    return None if formulation is None else find_formulation(formulation)


def _split_settings(
    settings: Mapping[str, Any], program: Formulation | None, solver: Backend
) -> tuple[Any, Any]:
    """Options of formulation and backend, each setting given to those that declare it."""
    kinds: list[Any] = [solver.options] + ([program.options] if program else [])
    known = {name.replace("_", "-"): name for kind in kinds for name in option_names(kind)}
    for key in settings:
        if key.replace("_", "-") not in known:
            where = f"formulation {program.name}, backend" if program else "backend"
            raise InputError(
                f"{where} {solver.name}: unknown option {key!r}: "
                f"{suggestion(key, known.values()) if known else 'there are none'}"
            )

    def options(kind: type, where: str) -> Any:
        own = {name.replace("_", "-") for name in option_names(kind)}
        mine = {key: value for key, value in settings.items() if key.replace("_", "-") in own}
        return make_options(kind, mine, where)

    return (
        options(program.options, f"formulation {program.name}") if program else None,
        options(solver.options, f"backend {solver.name}"),
    )
