"""Compare every formulation on every backend with brute force, on random tiny instances."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.commands import add_json, print_json
from benchmarks.commands.solve import positive
from instances.errors import InputError
from instances.files import write_json

if TYPE_CHECKING:
    from benchmarks.audit import Audit, Case, Row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=200, metavar="N", help="instances")
    parser.add_argument("--seed", type=int, default=0, metavar="K")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="W")
    parser.add_argument("--time-limit", type=positive, default=20.0, metavar="S", help="per run")
    parser.add_argument(
        "--out", default="audit-disagreement", metavar="DIR", help="where a disagreement is saved"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    for name in ("count", "workers"):
        if getattr(arguments, name) < 1:
            raise InputError(f"audit: --{name} {getattr(arguments, name)}: must be at least 1")
    if arguments.seed < 0:
        raise InputError(f"audit: --seed {arguments.seed}: must be at least 0")
    from tqdm import tqdm

    from benchmarks.audit import audit, audited_methods, draw_cases
    from benchmarks.campaign import local_executor
    from solvers.result import Limits

    methods, missing = audited_methods()
    cases = list(draw_cases(arguments.count, arguments.seed))
    total = len(cases) * len(methods)
    with tqdm(total=total, unit="run", file=sys.stderr, disable=None, leave=False) as bar:
        limits = Limits(time=arguments.time_limit)
        found = audit(cases, methods, limits, local_executor(arguments.workers), bar.update)
    document = _document(cases, found, missing) | {"count": arguments.count}
    document |= {"seed": arguments.seed, "time_limit": arguments.time_limit}
    if found.disagreement is not None:
        case, row = found.disagreement
        document["disagreement"] = saved(case, row, Path(arguments.out))
    if arguments.json:
        print_json(document)
    else:
        _print(document)
    return 0 if found.disagreement is None else 1


def _document(cases: list[Case], found: Audit, missing: dict[str, str]) -> dict[str, Any]:
    return {
        "families": dict(Counter(case.instance.family for case in cases)),
        "spanning": sum(case.spanning for case in cases),
        "contention_sensitive": sum(case.sensitive for case in cases),
        "infeasible": sum(case.truth is None for case in cases),
        "methods": [
            {
                "method": tally.method,
                "agreed": tally.agreed,
                "disagreed": tally.disagreed,
                "undecided": dict(tally.undecided),
            }
            for tally in found.tallies
        ],
        "left_out": missing,
        "disagreement": None,
    }


def saved(case: Case, row: Row, folder: Path) -> dict[str, Any]:
    """Write the instance and both schedules, as far as there are two."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = None if case.truth is None else case.truth.document(case.instance)
    documents = {
        "instance": case.instance.document(), "brute-force": truth, "method": row["schedule"],
        "row": row,
    }  # fmt: skip
    files = {}
    for name, document in documents.items():
        if document is not None:
            files[name] = str(folder / f"{name}.json")
            write_json(document, files[name])
    optimum = None if case.truth is None else case.truth.makespan
    keys = ("method", "status", "makespan", "bound", "message")
    return {"optimum": optimum} | {key: row[key] for key in keys} | {"files": files}


def _print(document: dict[str, Any]) -> None:
    from benchmarks.tables import table

    lines = [
        {key: line[key] for key in ("method", "agreed", "disagreed")} | line["undecided"]
        for line in document["methods"]
    ]
    print(table(lines))
    families = ", ".join(f"{name} {count}" for name, count in document["families"].items())
    print(f"\n{document['count']} instances: {families}")
    print(f"optima with a spanning job: {document['spanning']}")
    print(f"optima that change without contention: {document['contention_sensitive']}")
    print(f"without any schedule within the horizon: {document['infeasible']}")
    for backend, reason in document["left_out"].items():
        print(f"left out: {backend}: {reason}")
    found = document["disagreement"]
    if found is not None:
        claim = f"makespan {found['makespan']}, bound {found['bound']}, {found['message']}"
        print(f"DISAGREEMENT: optimum {found['optimum']}; {found['status']}: {claim}")
        for name, file in found["files"].items():
            print(f"  {name}: {file}")
