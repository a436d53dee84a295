"""Discovery of plug-ins: every module of a package is one, under its file's name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType

from instances.errors import InputError


def plugin_names(package: ModuleType) -> list[str]:
    """Names of the plug-ins in `package`, sorted; ``sjf_trap.py`` is called ``sjf-trap``."""
    modules = (info.name for info in pkgutil.iter_modules(package.__path__))
    return sorted(name.replace("_", "-") for name in modules if not name.startswith("_"))


def plugin(package: ModuleType, kind: str, name: str) -> ModuleType:
    """Import the plug-in `name` of `package`; hyphens and underscores are one.

    Raises
    ------
    InputError
        If there is none of that name, or its file cannot be imported.
    """
    known = plugin_names(package)
    if name.replace("_", "-") not in known:
        raise InputError(f"unknown {kind} {name!r}: {suggestion(name, known)}")
    module = f"{package.__name__}.{name.replace('-', '_')}"
    try:
        return importlib.import_module(module)
    except Exception as error:
        raise InputError(f"{kind} {name!r}: {module} cannot be imported: {error}") from error


def suggestion(word: str, known: Iterable[str]) -> str:
    """Say which of the `known` words was probably meant, else list them all."""
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1)
    return (
        f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known) or 'nothing'}"
    )
