"""Any delimited table: say with --map which columns hold gpus, duration, submit, id, model."""

from __future__ import annotations

from dataclasses import dataclass

from instances.traces.formats import TraceOptions
from instances.traces.tables import Table, delimited

COLUMNS = {field: field for field in ("id", "gpus", "duration", "submit", "model")}


@dataclass(frozen=True)
class Options(TraceOptions):
    """Without a ``header`` the columns are called 1, 2, 3, ..."""

    header: bool = True


def read(text: str, source: str, options: Options) -> Table:
    """The table as it stands."""
    return delimited(text, source, options.header)
