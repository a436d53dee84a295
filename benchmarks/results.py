"""The rows of one campaign or of several, read together and tested against each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.best_known import FILE, claims_of_best_known, read_best_known
from benchmarks.claims import claims_by_construction
from benchmarks.consistency import Contradiction, contradictions, label, wrong
from benchmarks.ratios import NOTHING_KNOWN, Bracketed, brackets
from benchmarks.store import (
    MANIFEST,
    Row,
    differing,
    instance_file,
    read_rows,
    row_key,
)
from instances.files import read_instance, read_json
from instances.instance import Instance


@dataclass(frozen=True)
class Results:
    """Rows and what can be said about them.

    Attributes
    ----------
    folders : tuple of Path
        Where the rows come from.
    rows : tuple of dict
        The last row of each key; both rows of a contradiction are ``wrong``. Where campaigns
        must not be mixed, ``row["campaign"]`` tells them apart.
    apart : str
        Why campaigns are kept apart; empty where they are not.
    instances : mapping of str to Instance
        By fingerprint, as far as they were kept.
    claims : tuple of dict
        What instances know by construction and what the best-known file says.
    contradictions : tuple of Contradiction
    manifests : tuple of dict
        One per folder; empty where there is none.
    """

    folders: tuple[Path, ...]
    rows: tuple[Row, ...]
    apart: str
    instances: Mapping[str, Instance]
    claims: tuple[Row, ...]
    contradictions: tuple[Contradiction, ...]
    manifests: tuple[Mapping[str, Any], ...]

    @cached_property
    def _known(self) -> dict[str, Bracketed]:
        return brackets([*self.rows, *self.claims], self.instances)

    def known(self, row: Row) -> Bracketed:
        """Best bound and best makespan of the row's instance, from all rows and claims."""
        return self._known.get(row.get("base") or row["fingerprint"], NOTHING_KNOWN)


def read_results(folders: Sequence[Path | str], best_known: Path = FILE) -> Results:
    """Read campaigns together; campaigns that differ in more than their machine stay apart.

    Parameters
    ----------
    best_known : Path
        The file of best-known values that the rows are measured against.

    Raises
    ------
    InputError
        Where a folder is no campaign's.
    """
    paths = tuple(map(Path, folders))
    manifests = tuple(_manifest(path) for path in paths)
    apart = _why_apart(paths, manifests)
    rows: dict[tuple[str, str], Row] = {}
    instances: dict[str, Instance] = {}
    for path in paths:
        for row in read_rows(path):
            name = str(path) if apart else ""
            rows[name, row_key(row)] = row | ({"campaign": name} if apart else {})
            if row["fingerprint"] not in instances:
                instances |= _kept(path, row["fingerprint"])
    found = sorted(rows.values(), key=_place)
    bases = {row.get("base") or row["fingerprint"] for row in found}
    best = {key: entry for key, entry in read_best_known(best_known).items() if key in bases}
    claims = [*claims_by_construction(instances), *claims_of_best_known(best)]
    pairs = contradictions([*found, *claims])
    return Results(
        paths, tuple(_marked(found, pairs)), apart, instances, tuple(claims), tuple(pairs),
        manifests,
    )  # fmt: skip


def _place(row: Row) -> tuple[Any, ...]:
    """Order by instance, method, options and seed, whoever was first."""
    numbers = [int(part) if part.isdigit() else 0 for part in re.split(r"(\d+)", row["instance"])]
    words = re.sub(r"\d+", "", row["instance"])
    exact = row["method"]["kind"] == "exact"
    return words, numbers, exact, label(row), repr(row["options"]), row["seed"]


def _manifest(folder: Path) -> Mapping[str, Any]:
    path = folder / MANIFEST
    return read_json(path) if path.exists() else {}


def _why_apart(paths: Sequence[Path], manifests: Sequence[Mapping[str, Any]]) -> str:
    for path, manifest in zip(paths[1:], manifests[1:], strict=True):
        difference = differing(manifests[0], manifest) if manifest and manifests[0] else "?"
        if difference == "?":
            return f"{paths[0]} or {path} has no {MANIFEST}"
        if difference:
            return f"{paths[0]} was made with {difference} as {path}"
    return ""


def _kept(folder: Path, fingerprint: str) -> dict[str, Instance]:
    path = instance_file(folder, fingerprint)
    return {fingerprint: read_instance(path)} if path.exists() else {}


def _marked(rows: list[Row], pairs: Iterable[Contradiction]) -> Iterable[Row]:
    """The rows, those of a contradiction marked wrong."""
    bad: dict[int, Contradiction] = {}
    for pair in pairs:
        bad[id(pair.claim)] = bad[id(pair.schedule)] = pair
    return [wrong(row, bad[id(row)]) if id(row) in bad else row for row in rows]


def labeller(rows: Iterable[Row], hide: frozenset[str] = frozenset()) -> Callable[[Row], str]:
    """A function that names the method of a row, with the options in which methods differ.

    Parameters
    ----------
    hide : frozenset of str
        Parts of the method that need no mention: "formulation" or "backend".
    """
    values: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        seen = values.setdefault(label(row), {})
        for key, value in row["options"].items():
            seen.setdefault(key, set()).add(repr(value))

    def name(row: Row) -> str:
        method = {key: None if key in hide else value for key, value in row["method"].items()}
        shown = label({"method": method}) or label(row)
        varying = [
            value if isinstance(value, str) else f"{key}={value}"
            for key, value in row["options"].items()
            if len(values[label(row)][key]) > 1
        ]
        campaign = f"[{row['campaign']}]" if row.get("campaign") else ""
        return " ".join(filter(None, [shown, *varying, campaign]))

    return name
