"""Compilation with numba, kept on disk between runs."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def _folder() -> Path:
    """A cache folder that belongs to the present sources.

    numba itself looks at the file of the function alone, and would go on using a kernel after a
    function in another file that it calls has changed.
    """
    here = Path(__file__).parent
    sources = b"".join(path.read_bytes() for path in sorted(here.glob("*.py")))
    return here / "__pycache__" / f"numba-{zlib.crc32(sources):08x}"


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink(missing_ok=True)
    except OSError:
        return False
    return True


_CACHED = _usable(_folder())


def compiled(function: F) -> F:
    """Compile on the first call; where nothing can be written, in every process anew."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_folder()) if _CACHED else before
    try:
        return numba.njit(cache=_CACHED)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before
