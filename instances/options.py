"""Options given as ``KEY=VALUE`` become a validated, frozen dataclass.

A plug-in declares its options as a frozen dataclass whose annotations carry types and ranges
(``Annotated[int, Field(ge=1)]``, ``Literal["all", "none"]``). A field may be written with hyphens
or underscores; ``field(metadata={"name": "fa-ffp"})`` gives the spelling that is recorded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from instances.errors import InputError
from instances.registry import suggestion

T = TypeVar("T")


def option_names(options: type | Any) -> dict[str, str]:
    """Map each recorded option name to its dataclass field name."""
    return {f.metadata.get("name", f.name): f.name for f in dataclasses.fields(options)}


def parse_settings(settings: Iterable[str], where: str) -> dict[str, str]:
    """Split ``KEY=VALUE`` words; a word without ``=`` or a key given twice is bad input."""
    pairs: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not (equals and key):
            raise InputError(f"{where}: {setting!r} is not KEY=VALUE")
        if key in pairs:
            raise InputError(f"{where}: {key!r} is given twice")
        pairs[key] = value
    return pairs


def make_options(options: type[T], values: Mapping[str, Any], where: str) -> T:
    """Build the dataclass `options` from `values`, which may be text.

    Raises
    ------
    InputError
        On an unknown key or a value out of range, with what is allowed.
    """
    names = option_names(options)
    spellings = {spelling.replace("-", "_"): field for spelling, field in names.items()}
    given: dict[str, Any] = {}
    for key, value in values.items():
        field = spellings.get(key.replace("-", "_"))
        if field is None:
            raise InputError(f"{where}: unknown option {key!r}: {suggestion(key, names)}")
        given[field] = value
    try:
        return TypeAdapter(options).validate_python(given)
    except ValidationError as error:
        raise InputError(f"{where}: {describe(error)}") from error


def recorded(options: Any) -> dict[str, Any]:
    """The options as they are recorded in rows and instance files."""
    return {name: getattr(options, field) for name, field in option_names(options).items()}


def describe(error: ValidationError) -> str:
    """Put the first fault of a validation into one line: field = value: what is allowed."""
    first = error.errors()[0]
    place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"]).lstrip(".")
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        return f"{place}: is missing"
    if first["type"] == "value_error":  # our own message names field and value
        return message if message.startswith(place) else f"{place}: {message}"
    value = repr(first["input"])
    shown = value if len(value) <= 60 else value[:57] + "..."
    return f"{place} = {shown}: {message}" if place else message
