"""Trace files as tables of text, whatever their delimiter, quoting or byte order mark."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from instances.errors import InputError

DELIMITERS = ",\t;|"


@dataclass(frozen=True)
class Record:
    """One row: its text by column, or the fault for which it is to be skipped."""

    values: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None


@dataclass(frozen=True)
class Table:
    """A trace as text.

    Attributes
    ----------
    columns : sequence of str
        Names of the columns, in the order of the file.
    records : iterator of Record
        Rows in the order of the file; blank lines are no rows.
    in_seconds : bool
        Whether the reader itself made the durations, in seconds.
    """

    columns: Sequence[str]
    records: Iterator[Record]
    in_seconds: bool = False


def read_text(path: Path | str) -> str:
    """The text of a file without its byte order mark; raises InputError."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    if not text.strip():
        raise InputError(f"{path}: is empty: give a trace with at least one job")
    return text


def delimited(text: str, source: str, header: bool = True) -> Table:
    """A table with any of the usual delimiters: the one that its first line holds most of.

    Without a header the columns are called 1, 2, 3, ...
    """
    rows = _rows(text, source)
    first = next(rows)
    if header:
        return table([" ".join(name.split()) for name in first], rows)
    return table([str(number) for number in range(1, len(first) + 1)], chain([first], rows))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], in_seconds: bool = False) -> Table:
    """Rows of cells as a table; one of another length is a fault."""
    records = (
        Record({name: cell.strip() for name, cell in zip(columns, row, strict=True)})
        if len(row) == len(columns)
        else Record(fault="wrong number of fields")
        for row in rows
    )
    return Table(columns, records, in_seconds)


def _rows(text: str, source: str) -> Iterator[list[str]]:
    """Cells of every line that is not blank; raises InputError where quotes do not match."""
    first = next(line for line in text.splitlines() if line.strip())
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield row
    except csv.Error as error:
        raise InputError(
            f"{source}: line {reader.line_num}: {error}: mend the quotes of this line"
        ) from error
