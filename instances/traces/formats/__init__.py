"""Trace formats, one file each; the file's name is the format's.

A file defines ``COLUMNS``, the usual column of each field (id, gpus, duration, submit, model), and
may define ``Options``, a frozen dataclass derived from `TraceOptions`, and
``read(text, source, options) -> Table`` where the file is not a delimited table with a header.
The first line of its docstring describes it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from instances.generation import Gpus, Servers
from instances.registry import plugin, plugin_names
from instances.traces.tables import Table, delimited


@dataclass(frozen=True)
class TraceOptions:
    """How jobs of a trace become an instance; ``skip`` accepted jobs come before the first.

    Servers are connected by InfiniBand, as Philly's were (Jeon et al., USENIX ATC 2019).
    """

    servers: Servers | None = None
    gpus_per_server: Gpus = 8
    slot_seconds: Annotated[float, Field(gt=0, le=1e7, allow_inf_nan=False)] = 60.0
    horizon: Annotated[int, Field(ge=1, le=10**12)] | None = None
    network: Literal["infiniband", "ethernet"] = "infiniband"
    skip: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True)
class Format:
    """A format that was found."""

    name: str
    summary: str
    columns: Mapping[str, str]
    options: type[Any]
    read: Callable[[str, str, Any], Table]


def format_names() -> list[str]:
    """Names of all formats."""
    return plugin_names(sys.modules[__name__])


def find_format(name: str) -> Format:
    """Look up a format; raises InputError where there is none of that name."""
    module = plugin(sys.modules[__name__], "trace format", name)
    return Format(
        name=name,
        summary=(module.__doc__ or "").strip().partition("\n")[0],
        columns=module.COLUMNS,
        options=getattr(module, "Options", TraceOptions),
        read=getattr(module, "read", _read_delimited),
    )


def _read_delimited(text: str, source: str, options: TraceOptions) -> Table:
    return delimited(text, source)
