"""Suites: what a campaign runs, one TOML file each; the file's name is the suite's."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

import formulations
import solvers.backends
import solvers.heuristics
from benchmarks.methods import Method, Run
from instances.errors import InputError
from instances.families import find_family
from instances.files import read_instance
from instances.instance import Instance
from instances.options import make_options
from instances.registry import plugin_names, suggestion
from solvers.backends import find_backend
from solvers.result import Limits

_FOLDER = Path(__file__).parent
_Seeds = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)]
_Names = str | tuple[str, ...] | None


@dataclass(frozen=True)
class _Limits:
    time: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    memory: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    threads: Annotated[int, Field(ge=1)] = 1


@dataclass(frozen=True)
class _Instances:
    """One ``[[instances]]``: a family with a grid of settings, files, or a trace."""

    family: str | None = None
    files: tuple[str, ...] = ()
    seeds: _Seeds = (0,)
    permutations: _Seeds = (0,)
    settings: Mapping[str, Any] = field(default_factory=dict, metadata={"name": "set"})


@dataclass(frozen=True)
class _Methods:
    """One ``[[methods]]``: heuristics, or formulations and backends; names, lists or "all"."""

    heuristic: _Names = None
    formulation: _Names = None
    backend: _Names = None
    seeds: _Seeds | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, metadata={"name": "set"})


@dataclass(frozen=True)
class _File:
    instances: tuple[dict[str, Any], ...]
    methods: tuple[dict[str, Any], ...]
    summary: str = ""
    seeds: _Seeds = (0,)
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """An instance of a suite.

    Attributes
    ----------
    permutation : int
        Seed by which the jobs' order was permuted; 0 is the order as given.
    base : str
        Fingerprint of the instance with its jobs in the order as given.
    """

    instance: Instance
    permutation: int
    base: str


@dataclass(frozen=True)
class Suite:
    """A suite, read and expanded.

    Attributes
    ----------
    document : dict
        What the file says.
    cases : tuple of Case
    methods : tuple of (Method, tuple of int)
        Each with the seeds it runs with.
    limits : Limits
    """

    name: str
    summary: str
    document: dict[str, Any]
    cases: tuple[Case, ...]
    methods: tuple[tuple[Method, tuple[int, ...]], ...]
    limits: Limits

    def runs(self) -> Iterator[tuple[Case, Run]]:
        """Every run, instance by instance, so that methods are timed side by side."""
        for case in self.cases:
            for method, seeds in self.methods:
                for seed in seeds:
                    yield case, Run(case.instance, method, replace(self.limits, seed=seed))


def suite_names() -> list[str]:
    """Names of the suites that come with ringbench."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def read_suite_file(name: str) -> tuple[Path, dict[str, Any]]:
    """Path and content of a suite, given by name or as a file; raises InputError."""
    path = Path(name) if name.endswith(".toml") else _FOLDER / f"{name}.toml"
    if not name.endswith(".toml") and name not in suite_names():
        raise InputError(
            f"unknown suite {name!r}: {suggestion(name, suite_names())} (or give a .toml file)"
        )
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not TOML: {error}") from error


def find_suite(name: str, limits: Mapping[str, Any] | None = None) -> Suite:
    """Read a suite and generate its instances.

    Parameters
    ----------
    name : str
        A suite that comes with ringbench, or the path of a ``.toml`` file.
    limits : mapping, optional
        ``time``, ``memory`` and ``threads`` that replace the suite's own.

    Raises
    ------
    InputError
        With file, entry and field, on anything that could not be run.
    """
    path, document = read_suite_file(name)
    where = str(path) if name.endswith(".toml") else f"suite {name}"
    file = make_options(_File, document, where)
    checked = make_options(_Limits, {**file.limits, **(limits or {})}, f"{where}: limits")
    cases: list[Case] = []
    for index, entry in enumerate(file.instances):
        place = f"{where}: instances[{index}]"
        cases += _cases(make_options(_Instances, entry, place), place, path.parent)
    methods: list[tuple[Method, tuple[int, ...]]] = []
    for index, entry in enumerate(file.methods):
        place = f"{where}: methods[{index}]"
        chosen = make_options(_Methods, entry, place)
        methods += [(method, chosen.seeds or file.seeds) for method in _methods(chosen, place)]
    if not cases or not methods:
        raise InputError(f"{where}: needs at least one [[instances]] and one [[methods]]")
    limited = Limits(checked.time, checked.memory, checked.threads)
    return Suite(path.stem, file.summary, document, tuple(cases), tuple(methods), limited)


def _cases(entry: _Instances, where: str, folder: Path) -> Iterator[Case]:
    """The instances of one entry, each in every job order that it asks for."""
    if (entry.family is None) == (not entry.files):
        raise InputError(f"{where}: needs either family or files")
    try:
        found = _generated(entry) if entry.family else _from_files(entry, folder)
        for instance in found:
            for permutation in entry.permutations:
                ordered = permuted(instance, permutation)
                yield Case(ordered, permutation, instance.fingerprint)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _generated(entry: _Instances) -> Iterator[Instance]:
    assert entry.family is not None
    family = find_family(entry.family)
    for settings in _grid(entry.settings):
        for seed in entry.seeds:
            yield family.generate(seed, settings)


def _from_files(entry: _Instances, folder: Path) -> Iterator[Instance]:
    for pattern in entry.files:
        paths = sorted(folder.glob(pattern)) if not Path(pattern).is_absolute() else [Path(pattern)]
        if not paths:
            raise InputError(f"files: {pattern!r} matches nothing in {folder}")
        yield from map(read_instance, paths)


def permuted(instance: Instance, permutation: int) -> Instance:
    """The instance with its jobs in another order; 0 leaves it as it is."""
    if permutation == 0:
        return instance
    as_given = np.arange(len(instance.jobs))
    random = np.random.default_rng(permutation)
    order = random.permutation(as_given)
    while len(order) > 1 and (order == as_given).all():
        order = random.permutation(as_given)
    return replace(
        instance,
        name=f"{instance.name}-p{permutation}",
        jobs=tuple(instance.jobs[index] for index in order),
        known=None if instance.known is None else replace(instance.known, schedule=None),
    )


def _grid(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every combination of settings whose values are lists."""
    axes = [value if isinstance(value, list) else [value] for value in settings.values()]
    for values in itertools.product(*axes):
        yield dict(zip(settings, values, strict=True))


def _methods(entry: _Methods, where: str) -> list[Method]:
    """The methods of one entry, validated."""
    exact = entry.formulation is not None or entry.backend is not None
    if (entry.heuristic is not None) == exact:
        raise InputError(f"{where}: needs either heuristic, or backend and perhaps formulation")
    if entry.heuristic is not None:
        names = _chosen(entry.heuristic, plugin_names(solvers.heuristics))
        bare = [Method(heuristic=name) for name in names]
    else:
        bare = list(_pairs(entry, where))
    found = [
        replace(method, settings=settings) for method in bare for settings in _grid(entry.settings)
    ]
    for method in found:
        try:
            method.options()
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
    return found


def _pairs(entry: _Methods, where: str) -> Iterator[Method]:
    """Every formulation with every backend that takes a model, and the backends that take none."""
    if entry.backend is None:
        raise InputError(f"{where}: formulation needs a backend")
    for name in _chosen(entry.backend, plugin_names(solvers.backends)):
        if not find_backend(name).needs_model:
            yield Method(backend=name)
            continue
        if entry.formulation is None:
            raise InputError(f"{where}: backend {name} solves a model: add a formulation")
        for formulation in _chosen(entry.formulation, plugin_names(formulations)):
            yield Method(formulation=formulation, backend=name)


def _chosen(names: str | Sequence[str], known: list[str]) -> list[str]:
    """One name, a list of names, or all that there are."""
    if names == "all":
        return known
    return [names] if isinstance(names, str) else list(names)
