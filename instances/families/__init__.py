"""Generator families, one file each; the file's name is the family's.

A file defines ``Parameters``, a frozen dataclass with defaults, and
``generate(parameters, streams) -> Draft``. The first line of its docstring describes it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from instances.errors import InputError
from instances.generation import Draft, Streams, assemble
from instances.instance import Instance
from instances.options import describe, make_options, recorded
from instances.registry import plugin, plugin_names


@dataclass(frozen=True)
class Family:
    """A family that was found."""

    name: str
    summary: str
    parameters: type[Any]
    draft: Callable[[Any, Streams], Draft]

    def generate(self, seed: int, settings: Mapping[str, Any]) -> Instance:
        """Generate one instance; the same seed and settings give the same one.

        Raises
        ------
        InputError
            On an unknown parameter, or values that make no valid instance.
        """
        where = f"family {self.name}"
        if seed < 0:
            raise InputError(f"{where}: seed {seed} must not be negative")
        parameters = make_options(self.parameters, settings, where)
        changed = [f"{key}{value}" for key, value in sorted(settings.items())]
        name = "-".join([self.name, *changed, f"s{seed}"])
        try:
            draft = self.draft(parameters, Streams(seed))
            return assemble(draft, name, self.name, seed, recorded(parameters))
        except ValidationError as error:
            raise InputError(f"{where}: {describe(error)}") from error
        except ValueError as error:
            raise InputError(f"{where}: {error}") from error


def family_names() -> list[str]:
    """Names of all families."""
    return plugin_names(sys.modules[__name__])


def find_family(name: str) -> Family:
    """Look up a family; raises InputError where there is none of that name."""
    name = name.replace("_", "-")
    module = plugin(sys.modules[__name__], "family", name)
    summary = (module.__doc__ or "").strip().partition("\n")[0]
    return Family(name, summary, module.Parameters, module.generate)
