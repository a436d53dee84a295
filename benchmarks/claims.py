"""What others say about an instance, in the form of rows: its generator, the best-known file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from instances.instance import Instance

Row = dict[str, Any]


def claim(
    method: str, instance: str, fingerprint: str, makespan: int | None, bound: int | None
) -> Row:
    """What somebody else says about an instance, in the form of a row."""
    return {
        "instance": instance,
        "fingerprint": fingerprint,
        "base": fingerprint,
        "method": {"kind": "claim", "name": method},
        "status": "optimal" if makespan == bound else "feasible",
        "makespan": makespan,
        "bound": bound,
    }


def claims_by_construction(instances: Mapping[str, Instance]) -> list[Row]:
    """Optima that the instances, by fingerprint, know because of how they were made."""
    return [
        claim("known by construction", instance.name, fingerprint, optimum, optimum)
        for fingerprint, instance in instances.items()
        if instance.known is not None
        for optimum in (instance.known.optimum,)
    ]
