"""Proof of equality: every formulation on every backend, against brute force, on tiny instances."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from benchmarks.brute_force import brute_force, uncontended
from benchmarks.campaign import Executor
from benchmarks.methods import Method, Run
from formulations import Bracket, find_formulation, formulation_names
from instances.degradations.linear import Degradation as Linear
from instances.errors import InputError, TooLarge
from instances.families import family_names, find_family
from instances.generation import Draft, assemble
from instances.instance import Instance, Job, Network
from instances.schedule import Schedule
from solvers.backends import backend_names, find_backend
from solvers.result import Limits

Row = dict[str, Any]
Finding = Literal["agreed", "disagreed", "undecided"]

STATES = 10_000
"""Largest number of states of brute force; an instance with more is drawn again."""
_TRIES = 20
_HAIR = "hair-close"
_CYCLE = ("contended", "tiny", "contended", None, "contended", "tiny", "contended", _HAIR,
          "contended", None)  # fmt: skip
"""Families of ten instances in a row; None is the next of the other families."""

_SMALL: dict[str, tuple[Any, ...]] = {
    "jobs": (3,),
    "servers": (3,),
    "gpus_per_server": (2,),
    "gpus": (2,),
    "min_slots": (1, 2),
    "max_slots": (4,),
    "slots": (2, 4),
    "makespan": (3, 4),
    "scale": (0.02,),
    "slot_length": (50, 100),
}
"""Values of a family's parameters by their names, small enough for brute force."""


@dataclass(frozen=True)
class Case:
    """A tiny instance and what brute force says of it.

    Attributes
    ----------
    truth : Schedule or None
        An optimal schedule; None where the horizon admits none.
    sensitive : bool
        Whether the optimum changes when contention is switched off.
    """

    instance: Instance
    truth: Schedule | None
    sensitive: bool

    @property
    def spanning(self) -> bool:
        """Whether the optimal schedule has a job on more than one server."""
        return self.truth is not None and any(len(place) > 1 for place in self.truth.placements)


@dataclass
class Tally:
    """What became of one method's runs; those undecided by status."""

    method: str
    agreed: int = 0
    disagreed: int = 0
    undecided: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Audit:
    """What an audit found; it ends at the first disagreement, `disagreement`."""

    tallies: list[Tally]
    disagreement: tuple[Case, Row] | None


def draw_cases(count: int, seed: int) -> Iterator[Case]:
    """Random tiny instances over all families, solved by brute force."""
    others = [name for name in family_names() if name not in _CYCLE]
    for number in range(count):
        family = _CYCLE[number % len(_CYCLE)]
        if family is None:
            family, others = others[0], [*others[1:], others[0]]
        yield _draw(family, seed * 1_000_000 + number * _TRIES)


def _draw(family: str, first: int) -> Case:
    """The first instance that brute force can do; a tiny one where it can do none of the family."""
    for seed in range(first, first + _TRIES):
        try:
            return _solved(_hair_close(seed) if family == _HAIR else _small(family, seed))
        except (InputError, TooLarge):
            continue
    return _draw("tiny", first)


def _small(family: str, seed: int) -> Instance:
    """An instance of a family with small settings."""
    found, chance = find_family(family), random.Random(seed)
    drawn = {name: chance.choice(values) for name, values in _SMALL.items()}
    declared = {item.name for item in fields(found.parameters)}
    return found.generate(seed, {name: drawn[name] for name in drawn if name in declared})


def _hair_close(seed: int) -> Instance:
    """Jobs of tau = 0.02000001: phi is 49, and the 50 next to it would save a slot each."""
    chance = random.Random(seed)
    jobs = [
        Job(f"j{i}", chance.randint(1, 3), 50 * chance.randint(1, 3), 0.0, 1, 0.0, 0.02000001)
        for i in range(chance.randint(2, 3))
    ]
    network = Network(1.0, 1.0, 1.0, 0.0, Linear(0.0))
    draft = Draft([2, chance.randint(1, 2)], jobs, network, 1.0)
    return assemble(draft, f"{_HAIR}-{seed}", _HAIR, seed, {})


def _solved(instance: Instance) -> Case:
    truth = brute_force(instance, limit=STATES)
    alone = brute_force(instance, uncontended(instance), limit=STATES)
    return Case(instance, truth, _makespan(truth) != _makespan(alone))


def _makespan(schedule: Schedule | None) -> int | None:
    return None if schedule is None else schedule.makespan


def audited_methods() -> tuple[list[Method], dict[str, str]]:
    """Every formulation on every backend that takes it; and why other backends are left out."""
    backends = [find_backend(name) for name in backend_names()]
    states = {backend.name: backend.availability() for backend in backends}
    usable = [backend for backend in backends if states[backend.name].usable]
    kinds = {name: _kind(name) for name in formulation_names()}
    methods = [
        Method(None, formulation, backend.name)
        for formulation, kind in kinds.items()
        for backend in usable
        if kind in backend.kinds
    ]
    methods += [Method(None, None, backend.name) for backend in usable if not backend.needs_model]
    return methods, {name: state.reason for name, state in states.items() if not state.usable}


def _kind(formulation: str) -> str:
    """The class of a formulation's programs, seen on the smallest of instances."""
    draft = Draft([1], [Job("j", 1, 1, 0.0, 1, 0.0, 1.0)], Network(1, 1, 1, 0, Linear(0.0)), 1.0)
    found = find_formulation(formulation)
    instance = assemble(draft, "one", "one", None, {})
    return found.program(instance, Bracket(1, 1, None), found.options()).kind


def finding(case: Case, row: Row) -> Finding:
    """Whether a row agrees with brute force.

    A row that decides nothing disagrees all the same where its bound is above the optimum, or its
    makespan below.
    """
    truth = _makespan(case.truth)
    if row["status"] == "wrong":
        return "disagreed"
    if row["status"] == "infeasible":
        return "agreed" if truth is None else "disagreed"
    if row["makespan"] is not None and (truth is None or row["makespan"] < truth):
        return "disagreed"
    if row["bound"] is not None and truth is not None and row["bound"] > truth:
        return "disagreed"
    if row["status"] == "optimal":
        return "agreed" if row["makespan"] == truth else "disagreed"
    formulation = row["method"]["formulation"]
    relaxed = formulation is not None and find_formulation(formulation).minimises != "makespan"
    bounded = relaxed and row["status"] == "no_solution" and row["bound"] is not None
    return "agreed" if bounded else "undecided"


def audit(
    cases: Sequence[Case],
    methods: Sequence[Method],
    limits: Limits,
    execute: Executor,
    ended: Callable[[], object] = lambda: None,
) -> Audit:
    """Run every method on every case, up to the first disagreement; call `ended` after each run."""
    pairs = [(case, number) for case in cases for number in range(len(methods))]
    runs = [Run(case.instance, methods[number], limits) for case, number in pairs]
    tallies = [Tally(label(method)) for method in methods]
    with closing(execute(runs)) as outcomes:  # type: ignore[type-var]
        for index, end in outcomes:
            (case, number), (row, _) = pairs[index], runs[index].row(end)
            tally, found = tallies[number], finding(case, row)
            ended()
            if found == "undecided":
                tally.undecided[row["status"]] += 1
            elif found == "agreed":
                tally.agreed += 1
            else:
                tally.disagreed += 1
                return Audit(tallies, (case, row))
    return Audit(tallies, None)


def label(method: Method) -> str:
    """The method in a table."""
    return "/".join(part for part in (method.formulation, method.backend) if part)
