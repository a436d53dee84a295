"""Rows as flat tables, for spreadsheets and data frames: CSV and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from benchmarks.metrics import Row, outcome
from benchmarks.results import Results

_METHOD = ("kind", "name", "formulation", "backend", "version")


def flat(results: Results, row: Row) -> dict[str, Any]:
    """A row without nesting: the method in columns, options and schedule as JSON text."""
    method = {f"method_{part}": row["method"].get(part) for part in _METHOD}
    rest = {key: value for key, value in row.items() if key != "method"}
    known = results.known(row)
    return (
        {"instance": row["instance"], "family": row.get("family")}
        | method
        | {key: _text(value) if isinstance(value, dict) else value for key, value in rest.items()}
        | {"outcome": outcome(row), "best_known": known.best, "best_bound": known.bound}
    )


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def table(results: Results) -> pa.Table:
    """All rows as one table; a column that some rows lack is null there."""
    lines = [flat(results, row) for row in results.rows]
    columns = dict.fromkeys(key for line in lines for key in line)
    return pa.table({column: _array(line.get(column) for line in lines) for column in columns})


def _array(values: Iterable[Any]) -> pa.Array:
    """One column; a column without any value is text."""
    found = list(values)
    if all(value is None for value in found):
        return pa.array(found, pa.string())
    if any(isinstance(value, float) for value in found):
        found = [None if value is None else float(value) for value in found]
    return pa.array(found)


def write_tables(results: Results, folder: Path) -> list[Path]:
    """Write ``rows.csv`` (without the schedules) and ``rows.parquet``."""
    rows = table(results)
    csv, parquet = folder / "rows.csv", folder / "rows.parquet"
    pa.csv.write_csv(
        rows.drop_columns(["schedule"]) if "schedule" in rows.column_names else rows, csv
    )
    pa.parquet.write_table(rows, parquet)
    return [csv, parquet]
