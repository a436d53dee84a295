"""The store of a campaign: one folder, to which rows are appended and from which none is lost.

::

    DIR/manifest.json                    what the rows have in common
    DIR/rows.jsonl                       one line a run; a retry appends, readers take the last
    DIR/instances/<fingerprint>.json     every instance, so that any row can be checked again
    DIR/logs/<key>.log                   what each run printed
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from instances.errors import InputError
from instances.files import read_json, write_json

Row = dict[str, Any]
MANIFEST, ROWS, INSTANCES, LOGS = "manifest.json", "rows.jsonl", "instances", "logs"
_NAMES = ("kind", "name", "formulation", "backend")


def row_key(row: Mapping[str, Any]) -> str:
    """What a row is about: fingerprint, method, options and seed.

    The version is left out: all rows of a folder have the same (the manifest sees to it), and a
    run that was killed cannot always say it.
    """
    names = [row["method"].get(name) for name in _NAMES]
    identity = [row["fingerprint"], names, row["options"], row["seed"]]
    text = json.dumps(identity, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def read_rows(folder: Path | str) -> list[Row]:
    """The rows of a campaign, the last of each key, in the order in which keys first appeared.

    Each is a row as ``solve --json`` prints it, plus ``family``, ``base`` (the fingerprint with
    the jobs in their given order), ``permutation``, ``time_limit``, ``memory_limit``, ``machine``
    and ``date``. Every ``*.jsonl`` file of the folder is read; a torn last line is ignored.

    Raises
    ------
    InputError
        Where there is no such folder, or a line in the middle is no row.
    """
    folder = Path(folder)
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise InputError(f"{folder}: holds no rows (*.jsonl): is it the folder of a campaign?")
    last: dict[str, Row] = {}
    for file in files:
        for row in _lines(file):
            last[row_key(row)] = row
    return list(last.values())


def instance_file(folder: Path | str, fingerprint: str) -> Path:
    """Where a campaign keeps an instance."""
    return Path(folder) / INSTANCES / f"{fingerprint}.json"


def read_instance_document(folder: Path | str, fingerprint: str) -> Any:
    """The instance document behind a row of a campaign; raises InputError."""
    return read_json(instance_file(folder, fingerprint))


def _lines(file: Path) -> Iterable[Row]:
    lines = file.read_bytes().split(b"\n")
    if lines[-1] and not _is_row(lines[-1]):
        lines.pop()  # torn by a kill or a full disk
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if not _is_row(line):
            raise InputError(f"{file}: line {number} is no row: remove it, and resume")
        yield json.loads(line)


def _is_row(line: bytes) -> bool:
    try:
        row = json.loads(line)
        return isinstance(row, dict) and {"fingerprint", "method", "options", "seed"} <= row.keys()
    except ValueError:
        return False


class MixedRows(InputError):
    """Rows would be mixed that do not belong together."""


def set_aside(folder: Path) -> Path:
    """Rename a folder after the time of its last row, and return its new path."""
    written = datetime.fromtimestamp((folder / ROWS).stat().st_mtime, UTC)
    aside = folder.with_name(f"{folder.name}-until-{written:%Y%m%d-%H%M%S}")
    folder.rename(aside)
    return aside


class Store:
    """The one writer of a campaign's folder; use it as a context manager.

    Raises
    ------
    InputError
        On construction, where another campaign writes to the folder; `MixedRows` where its rows
        were made under another `manifest` (suite, limits, code or versions).
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        with _readable_errors(folder):
            for part in (folder, folder / INSTANCES, folder / LOGS):
                part.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / ".lock").open("w")
        self._refuse_second_writer()
        self._settle(manifest)
        self.rows: dict[str, Row] = {}
        rows = folder / ROWS
        with _readable_errors(folder):
            _repair(rows)
            for row in _lines(rows):
                self.rows[row_key(row)] = row
            self._file = os.open(rows, os.O_WRONLY | os.O_APPEND)

    def append(self, row: Row, log: str = "") -> None:
        """Write a row, so that it survives whatever comes next."""
        key = row_key(row)
        with _readable_errors(self.folder):
            if log:
                (self.folder / LOGS / f"{key}.log").write_text(log, encoding="utf-8")
                row = row | {"log": f"{LOGS}/{key}.log"}
            line = json.dumps(row, allow_nan=False).encode() + b"\n"
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        self.rows[key] = row

    def keep_instance(self, document: Mapping[str, Any], fingerprint: str) -> None:
        """Write the instance's file, once."""
        path = instance_file(self.folder, fingerprint)
        if not path.exists():
            write_json(document, path)

    def close(self) -> None:
        os.close(self._file)
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _refuse_second_writer(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise InputError(
                f"{self.folder}: another campaign is writing here: wait for it or choose "
                "another --out"
            ) from None

    def _settle(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest of a new folder; refuse to mix with what an old one says."""
        path = self.folder / MANIFEST
        if path.exists():
            difference = differing(read_json(path), manifest)
            if difference:
                self._lock.close()
                raise MixedRows(
                    f"{self.folder}: its rows were made with {difference}: choose another --out"
                )
            return
        if (self.folder / ROWS).exists():
            self._lock.close()
            raise MixedRows(f"{self.folder}: has rows but no {MANIFEST}: choose another --out")
        write_json(manifest, path)


def differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """In what respect rows of two manifests must not be mixed; empty where they may be."""
    mine, other = new["identity"], old.get("identity", {})
    for field in [*mine, *(set(other) - set(mine))]:
        before, now = other.get(field), mine.get(field)
        if isinstance(before, dict) and isinstance(now, dict):
            for key in before | now:
                if before.get(key) != now.get(key):
                    return _said(f"{field}.{key}", before.get(key), now.get(key))
        elif before != now:
            return _said(field, before, now)
    return ""


def _said(field: str, before: Any, now: Any) -> str:
    return f"{field} = {_short(before)}, not {_short(now)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _repair(rows: Path) -> None:
    """Cut off a last line that was torn while it was written."""
    rows.touch()
    content = rows.read_bytes()
    if not content or content.endswith(b"\n"):
        return
    whole, _, tail = content.rpartition(b"\n")
    with rows.open("r+b") as file:
        if _is_row(tail):
            file.seek(0, os.SEEK_END)
            file.write(b"\n")
        else:
            file.truncate(len(whole) + 1 if whole else 0)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _readable_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from error
