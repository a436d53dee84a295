"""List what is there: families, formulations, backends, heuristics or suites."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from tabulate import tabulate

from benchmarks.commands import add_json, print_json
from instances.families import family_names, find_family


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=sorted(_KINDS))
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    rows = _KINDS[arguments.kind]()
    if arguments.json:
        print_json({arguments.kind: rows})
    else:
        shown = [
            {key: _short(value) for key, value in row.items() if value not in ({}, "")}
            for row in rows
        ]
        print(tabulate(shown, headers="keys", tablefmt="plain"))
    return 0


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{key}={item}" for key, item in value.items())
    return value


def _defaults(options: type[Any]) -> dict[str, Any]:
    return {
        field.metadata.get("name", field.name): None if field.default is MISSING else field.default
        for field in fields(options)
    }


def _families() -> list[dict[str, Any]]:
    found = map(find_family, family_names())
    return [
        {"name": f.name, "summary": f.summary, "parameters": _defaults(f.parameters)} for f in found
    ]


def _heuristics() -> list[dict[str, Any]]:
    from solvers.heuristics import find_heuristic, heuristic_names

    found = map(find_heuristic, heuristic_names())
    return [{"name": h.name, "summary": h.summary, "options": _defaults(h.options)} for h in found]


def _formulations() -> list[dict[str, Any]]:
    from formulations import find_formulation, formulation_names

    found = map(find_formulation, formulation_names())
    return [
        {
            "name": f.name,
            "summary": f.summary,
            "minimises": f.minimises,
            "options": _defaults(f.options),
        }
        for f in found
    ]


def _backends() -> list[dict[str, Any]]:
    from solvers.backends import backend_names, find_backend

    rows = []
    for backend in map(find_backend, backend_names()):
        state = backend.availability()
        rows.append(
            {
                "name": backend.name,
                "summary": backend.summary,
                "version": state.version,
                "installed": state.installed,
                "licensed": state.licensed,
                "solves": " ".join(sorted(backend.kinds)) or "instances",
                "options": _defaults(backend.options),
                "reason": state.reason,
            }
        )
    return rows


def _suites() -> list[dict[str, Any]]:
    from benchmarks.suites import read_suite_file, suite_names

    return [
        {"name": name, "summary": read_suite_file(name)[1].get("summary", "")}
        for name in suite_names()
    ]


_KINDS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "families": _families,
    "heuristics": _heuristics,
    "formulations": _formulations,
    "backends": _backends,
    "suites": _suites,
}
