"""Reading and writing the project's JSON documents."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NoReturn

from instances.errors import InputError
from instances.instance import Instance


def read_instance(path: Path | str) -> Instance:
    """Read and validate an instance file; raises InputError."""
    return Instance.from_document(read_json(path), str(path))


def write_json(document: Any, path: Path | str) -> None:
    """Write a document whole or not at all; raises InputError where the path cannot be written."""
    path = Path(path)
    text = dump_json(document)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_dir():
            raise IsADirectoryError("it is a folder")
        if path.exists() and not path.is_file():  # a pipe or /dev/stdout
            path.write_text(text)
            return
        draft.write_text(text)
        draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def dump_json(document: Any, *, indent: int | None = 1) -> str:
    """JSON text with a final newline; NaN and Infinity are refused."""
    return json.dumps(document, indent=indent, allow_nan=False) + "\n"


def read_json(path: Path | str) -> Any:
    """Parse strict JSON: no NaN, no key twice; raises InputError with line and column."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}: line {error.lineno} column {error.colno}: is not JSON: {error.msg}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not strict JSON: {error}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return document


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
