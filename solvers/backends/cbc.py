"""CBC, an older open MIP solver, as the binary that the package PuLP carries."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pyomo.environ as pyo
from pydantic import Field
from pyomo.common.dependencies import attempt_import
from pyomo.repn.plugins.lp_writer import LPWriter

from formulations import Program
from solvers.backends import EXACT_GAP, Availability, Outcome, Termination
from solvers.result import Limits

pulp, _ = attempt_import("pulp")

KINDS = ("MILP",)

_GRACE = 5.0
"""Seconds after its own time limit until CBC is killed."""
_SEEDS = 2**31 - 1
_TAKEN = "MIPStart provided solution with cost"


@dataclass(frozen=True)
class Options:
    gap: Annotated[float, Field(ge=0, lt=1)] = 0.0


def availability() -> Availability:
    """Start the binary, which no licence guards."""
    try:
        command = [pulp.apis.coin_api.pulp_cbc_path, "-quit"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=_GRACE, check=True)
    except ImportError:
        return Availability(False, False, reason="the package PuLP, which carries CBC, is missing")
    except (OSError, subprocess.SubprocessError) as error:
        return Availability(False, False, reason=f"the CBC of PuLP does not start: {error}")
    return Availability(True, True, _found(r"^Version: (\S+)", run.stdout))


def solve_program(program: Program, limits: Limits, options: Options) -> Outcome:
    """Solve a MILP; this CBC is built without threads, so it uses one whatever `limits` says."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        written = _write(program, Path(folder))
        handed_over = time.perf_counter()
        log = _run(Path(folder), written.offered, limits, options)
        seconds = time.perf_counter() - handed_over
        solution = Path(folder) / "cbc.sol"
        answer = solution.read_text() if solution.exists() else ""
    objective = _found(r"^Objective value: +(\S+)", log)  # printed of integer solutions alone
    schedule = None
    if objective is not None:
        _load(answer, written.columns)
        schedule = program.read()
    termination = _termination(answer, log)
    bound = _found(r"^Lower bound: +(\S+)", log) or (objective if answer[:7] == "Optimal" else None)
    nodes = _found(r"^Enumerated nodes: +(\d+)", log)
    return Outcome(
        termination=termination,
        schedule=schedule,
        bound=float(bound) if bound and abs(float(bound)) < 1e30 else None,
        nodes=int(nodes) if nodes else None,
        seconds=seconds,
        hand_over_seconds=handed_over - began,
        warm_start=_TAKEN in log if written.offered else None,
        message=f"CBC stopped: {answer or log[-200:]!r}" if termination == "error" else "",
        log=log,
    )


@dataclass(frozen=True)
class _Written:
    """What was handed over: the variable behind each column, and whether with a start."""

    columns: dict[str, Any]
    offered: bool


def _write(program: Program, folder: Path) -> _Written:
    """Write model.lp and, where every variable has a value, start.sol."""
    with (folder / "model.lp").open("w") as file:
        symbols = LPWriter().write(program.model, file).symbol_map.bySymbol
    columns = {name: item for name, item in symbols.items() if item.ctype is pyo.Var}
    offered = all(variable.value is not None for variable in columns.values())
    if offered:
        lines = (f"0 {name} {variable.value} 0" for name, variable in columns.items())
        (folder / "start.sol").write_text("\n".join(["start", *lines, ""]))
    return _Written(columns, offered)


def _run(folder: Path, start: bool, limits: Limits, options: Options) -> str:
    """Run CBC in `folder` and return what it printed; kill it where it overruns its limit."""
    command = [pulp.apis.coin_api.pulp_cbc_path, "model.lp", "-timeMode", "elapsed"]
    command += ["-ratio", str(options.gap), "-allow", str(EXACT_GAP)]
    command += ["-randomCbcSeed", str(limits.seed % _SEEDS)]
    command += [] if limits.time is None else ["-sec", str(limits.time)]
    command += ["-mips", "start.sol"] if start else []
    command += ["-solve", "-solu", "cbc.sol"]
    timeout = None if limits.time is None else limits.time + _GRACE
    with (folder / "cbc.log").open("w+") as log:
        try:
            subprocess.run(command, cwd=folder, stdout=log, stderr=log, timeout=timeout)
        except subprocess.TimeoutExpired:
            log.write(f"\n{_KILLED}\n")
        log.seek(0)
        return log.read()


_KILLED = "killed after its time limit"


def _termination(answer: str, log: str) -> Termination:
    """Map the first line of the solution file."""
    if answer.startswith("Optimal"):
        return "optimal"
    if answer.startswith(("Infeasible", "Integer infeasible")):
        return "infeasible"
    return "limit" if answer.startswith("Stopped on") or log.endswith(f"{_KILLED}\n") else "error"


def _load(answer: str, columns: dict[str, Any]) -> None:
    """Give the variables the values in the solution file, which may leave out zeros."""
    for variable in columns.values():
        variable.set_value(0, skip_validation=True)
    for line in answer.splitlines()[1:]:
        *_, name, value, _ = line.split()
        columns[name].set_value(float(value), skip_validation=True)


def _found(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None
