"""What the rows of a campaign have in common: suite, limits, code, versions, machine, git state."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import psutil
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("instances", "formulations", "solvers")
"""The code that decides what a row says; the rest of the project only reports it."""
SCHEMA = "ringbench/campaign/1"


def manifest(name: str, document: Mapping[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a campaign that begins now.

    Rows may only be mixed where ``identity`` is equal; the rest says where they were made.

    Parameters
    ----------
    name, document
        The suite and what its file says.
    limits
        ``time``, ``memory`` and ``threads`` of every run.
    """
    return {
        "schema": SCHEMA,
        "identity": {
            "suite": {"name": name, **document},
            "limits": dict(limits),
            "code": code_digest(),
            "versions": versions(),
        },
        "created": now(),
        "machine": machine(),
        "git": git_state(),
    }


def now() -> str:
    """The date and time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def code_digest() -> str:
    """sha256 over the Python files that decide what a row says."""
    digest = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            digest.update(f"{path.relative_to(ROOT).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str | None]:
    """Versions of Python, ringbench and everything it depends on."""
    found: dict[str, str | None] = {
        "python": platform.python_version(),
        "ringbench": version("ringbench"),
    }
    for text in requires("ringbench") or []:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found[requirement.name] = _version(requirement.name)
    return found


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def machine() -> dict[str, Any]:
    """Where this is."""
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": processor(),
        "cores": usable_cores(),
        "memory_mb": psutil.virtual_memory().total // 1_000_000,
    }


@cache
def processor() -> str:
    """The model of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:  # not Linux
        pass
    return platform.processor() or platform.machine()


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def git_state() -> dict[str, Any] | None:
    """Commit of the code and whether files differ from it; None outside a git checkout."""
    commit = _git("rev-parse", "HEAD")
    return None if commit is None else {"commit": commit, "dirty": bool(_git("status", "-s"))}


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
