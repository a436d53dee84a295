"""Measured approximation ratios: makespan / optimum, exact or as an interval, never mixed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from tabulate import tabulate

from benchmarks.store import Row, read_instance_document
from benchmarks.theorem import theorem_bound
from instances.bounds import simple_bound
from instances.checker import check
from instances.instance import Instance
from instances.options import recorded
from solvers.heuristics import find_heuristic

THEOREM_IS_ABOUT = "sjf-bco"
SHOWN_INTERVALS = 12


@dataclass(frozen=True)
class Bracketed:
    """What all rows together say of one instance (in any order of its jobs).

    Attributes
    ----------
    bound, best : int or None
        Best proven lower bound and best checked makespan, in slots.
    """

    bound: int | None
    best: int | None

    @property
    def optimum(self) -> int | None:
        return self.best if self.best is not None and self.best == self.bound else None


@dataclass(frozen=True)
class Ratio:
    """The ratio of one schedule of a heuristic.

    Attributes
    ----------
    low, high : Fraction or None
        makespan / best known and makespan / best bound; equal where the optimum is proven, None
        where the heuristic found no schedule or no bound is known.
    theorem : Fraction or None
        What Theorem 5 promises; None for other heuristics, and where it promises nothing.
    """

    family: str
    instance: str
    heuristic: str
    low: Fraction | None
    high: Fraction | None
    theorem: Fraction | None

    @property
    def exact(self) -> Fraction | None:
        return self.low if self.low == self.high else None

    @property
    def violates(self) -> bool:
        """Whether the schedule is certainly worse than the theorem allows."""
        return self.theorem is not None and self.low is not None and self.low > self.theorem


def brackets(rows: Iterable[Row], instances: Mapping[str, Instance]) -> dict[str, Bracketed]:
    """Best bound and best makespan per instance, over all rows that are not wrong.

    Parameters
    ----------
    instances : mapping
        Instance by fingerprint, as far as they were kept. One that is planted with its schedule
        revealed counts as solved if the checker approves that schedule and a simple bound meets it.
    """
    found: dict[str, Bracketed] = {}

    def note(base: str, bound: int | None, best: int | None) -> None:
        old = found.get(base, Bracketed(None, None))
        bounds = [b for b in (old.bound, bound) if b is not None]
        bests = [b for b in (old.best, best) if b is not None]
        found[base] = Bracketed(max(bounds, default=None), min(bests, default=None))

    for row in rows:
        base = row.get("base") or row["fingerprint"]
        instance = instances.get(row["fingerprint"])
        if base not in found and instance is not None:
            note(base, simple_bound(instance), _revealed(instance))
        if row["status"] != "wrong":
            note(base, row["bound"], row["makespan"])
    return found


def _revealed(instance: Instance) -> int | None:
    """Makespan of the schedule that the instance carries, if the checker approves of it."""
    if instance.known is None or instance.known.schedule is None:
        return None
    verdict = check(instance.document(), instance.known.schedule)
    return verdict.makespan if verdict.feasible else None


NOTHING_KNOWN = Bracketed(None, None)


def read_instances(folder: Path | str, rows: Iterable[Row]) -> dict[str, Instance]:
    """The instances behind the rows of a campaign, by fingerprint; raises InputError."""
    prints = dict.fromkeys(row["fingerprint"] for row in rows)
    return {
        fingerprint: Instance.from_document(
            read_instance_document(folder, fingerprint), f"{folder}/instances/{fingerprint}.json"
        )
        for fingerprint in prints
    }


def ratios(rows: Iterable[Row], instances: Mapping[str, Instance]) -> list[Ratio]:
    """One ratio for every heuristic's row that is not wrong."""
    rows = list(rows)
    known = brackets(rows, instances)
    promises = {fingerprint: theorem_bound(instance) for fingerprint, instance in instances.items()}
    found = []
    for row in rows:
        if row["method"]["kind"] != "heuristic" or row["status"] == "wrong":
            continue
        about = known[row.get("base") or row["fingerprint"]]
        is_paper = row["method"]["name"] == THEOREM_IS_ABOUT
        found.append(
            Ratio(
                family=instances[row["fingerprint"]].family,
                instance=row["instance"],
                heuristic=heuristic_label(row),
                low=_over(row["makespan"], about.best),
                high=_over(row["makespan"], about.bound),
                theorem=promises[row["fingerprint"]] if is_paper else None,
            )
        )
    return found


def _over(makespan: int | None, reference: int | None) -> Fraction | None:
    return None if makespan is None or reference is None else Fraction(makespan, reference)


def heuristic_label(row: Row) -> str:
    """The heuristic's name, with the options that differ from its defaults."""
    name = row["method"]["name"]
    defaults = recorded(find_heuristic(name).options())
    changed = [f"{k}={v}" for k, v in row["options"].items() if v != defaults.get(k)]
    return " ".join([name, *changed])


def summarise(found: Iterable[Ratio]) -> list[dict[str, Any]]:
    """Statistics per family and heuristic, over exact ratios alone."""
    groups: dict[tuple[str, str], list[Ratio]] = {}
    for ratio in found:
        groups.setdefault((ratio.family, ratio.heuristic), []).append(ratio)
    return [
        {"family": family, "heuristic": heuristic, **_statistics(group)}
        for (family, heuristic), group in groups.items()
    ]


def _statistics(group: list[Ratio]) -> dict[str, Any]:
    exact = [float(ratio.exact) for ratio in group if ratio.exact is not None]
    promised = [float(ratio.theorem) for ratio in group if ratio.theorem is not None]
    return {
        "runs": len(group),
        "no schedule": sum(ratio.low is None for ratio in group),
        "exact": len(exact),
        "mean": math.fsum(exact) / len(exact) if exact else None,
        "geo. mean": geometric_mean(exact) if exact else None,
        "max": max(exact, default=None),
        "optimal": sum(value == 1 for value in exact) / len(exact) if exact else None,
        "theorem 5 (min)": min(promised, default=None),
        "violations": sum(ratio.violates for ratio in group) if promised else None,
    }


def ratio_report(rows: Iterable[Row], instances: Mapping[str, Instance]) -> str:
    """The tables that end a campaign: optima per family, exact ratios, open intervals."""
    rows = list(rows)
    found = ratios(rows, instances)
    parts = [_optima(rows, instances), _exact_table(summarise(found)), _violations(found)]
    return "\n\n".join([*filter(None, parts), *filter(None, [_intervals(found)])])


def _optima(rows: list[Row], instances: Mapping[str, Instance]) -> str:
    """Per family: instances, and how many of their optima are proven."""
    known = brackets(rows, instances)
    families: dict[str, dict[str, bool]] = {}
    for row in rows:
        base = row.get("base") or row["fingerprint"]
        family = instances[row["fingerprint"]].family
        families.setdefault(family, {})[base] = known[base].optimum is not None
    table: list[list[Any]] = [
        [family, len(bases), sum(bases.values())] for family, bases in families.items()
    ]
    total = sum(len(bases) for bases in families.values())
    proven = sum(sum(bases.values()) for bases in families.values())
    table.append(["all", total, proven])
    return tabulate(table, headers=["family", "instances", "proven optima"])


def _exact_table(summary: list[dict[str, Any]]) -> str:
    if not summary:
        return ""
    lines = []
    previous = None
    for line in summary:
        shown = {key: value for key, value in line.items() if key != "no schedule"}
        shown["family"] = line["family"] if line["family"] != previous else ""
        shown["runs"] = f"{line['runs'] - line['no schedule']}/{line['runs']}"
        shown["optimal"] = None if line["optimal"] is None else f"{line['optimal']:.0%}"
        lines.append({("scheduled" if k == "runs" else k): v for k, v in shown.items()})
        previous = line["family"]
    table = tabulate(lines, headers="keys", floatfmt=".3f", missingval="-")
    return f"makespan / optimum, over proven optima alone\n\n{table}"


def _violations(found: Iterable[Ratio]) -> str:
    """Where Theorem 5 does not hold."""
    worst = sorted((r for r in found if r.violates), key=lambda r: -(r.low or 0))
    if not worst:
        return ""
    lines = [
        f"  {r.instance}: {r.heuristic} is at {float(r.low or 0):.3f}, Theorem 5 promises "
        f"{float(r.theorem or 0):.3f}"
        for r in worst[:SHOWN_INTERVALS]
    ]
    return "\n".join([f"Theorem 5 is violated {len(worst)} times:", *lines])


def _intervals(found: Iterable[Ratio]) -> str:
    """Ratios whose optimum is open, as intervals."""
    open_ones = [r for r in found if r.exact is None and r.low is not None and r.high is not None]
    if not open_ones:
        return ""
    lines = [
        [r.instance, r.heuristic, f"[{float(r.low or 0):.3f}, {float(r.high or 0):.3f}]"]
        for r in open_ones[:SHOWN_INTERVALS]
    ]
    more = len(open_ones) - len(lines)
    table = tabulate(lines, headers=["instance", "heuristic", "ratio lies in"])
    return f"optimum open\n\n{table}" + (f"\n(and {more} more)" if more else "")
