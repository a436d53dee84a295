"""Isolated runs: every one in a child process of its own, held to its limits from outside."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""numpy must start no threads of its own: what a run may use is the campaign's decision."""


class ServerDied(Exception):
    """The process server has gone, and the runs in flight with it."""


@dataclass(frozen=True)
class Ended:
    """How a run ended.

    Attributes
    ----------
    cause : {"done", "time", "memory", "died"}
        It answered; it was killed over its time or its memory; it died by itself.
    answer : object or None
        What the target returned, where it answered.
    note : object or None
        The last thing that it noted on its way.
    signal, exit : int or None
        How the process ended, where it did not answer.
    seconds : float
        From fork to end.
    peak_memory_mb : float
        Largest resident memory of the child and everything that it started.
    chatter : str
        What it printed on stdout and stderr.
    machine, processor : str
        Where it ran.
    """

    id: int
    cause: Literal["done", "time", "memory", "died"]
    answer: Any = None
    note: Any = None
    signal: int | None = None
    exit: int | None = None
    seconds: float = 0.0
    peak_memory_mb: float | None = None
    chatter: str = ""
    machine: str | None = None
    processor: str | None = None


class ProcessServer:
    """Client of one process server; use it as a context manager.

    Parameters
    ----------
    preload : sequence of str
        ``module`` or ``module:function``, imported (and called) once, before any run is forked.
        None of them may solve anything: a solver's threads do not survive a fork.
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self._socket, inherited = socket.socketpair()
        command = [sys.executable, "-m", "benchmarks.process_server", str(inherited.fileno())]
        self._process = subprocess.Popen(
            [*command, *preload],
            pass_fds=[inherited.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno() if _has_fileno(sys.stderr) else subprocess.DEVNULL,
            env=_ONE_THREAD | os.environ | {"PYTHONPATH": _python_path()},
            start_new_session=True,
        )
        inherited.close()
        self.pid = self._process.pid
        self._buffer = bytearray()
        self._next = 0

    def submit(
        self,
        target: str,
        *arguments: Any,
        seconds: float | None = None,
        memory_mb: float | None = None,
    ) -> int:
        """Start ``target(note, *arguments)`` in a child and return the run's number.

        Parameters
        ----------
        target : str
            ``module:function``; arguments and answer are JSON. ``note(object)`` keeps something
            for the case that the run does not live to answer.
        seconds, memory_mb : float, optional
            The child is killed beyond these.
        """
        self._next += 1
        request = {
            "id": self._next,
            "target": target,
            "arguments": arguments,
            "seconds": seconds,
            "memory_mb": memory_mb,
        }
        try:
            self._socket.sendall(json.dumps(request, allow_nan=False).encode() + b"\n")
        except ConnectionError as error:
            raise ServerDied from error
        return self._next

    def wait(self, seconds: float | None = None) -> Ended | None:
        """The next run to end; None if none does within `seconds`. Raises ServerDied."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._socket], [], [], left)[0]:
                return None
            self._buffer += self._receive()
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return Ended(**json.loads(line))

    def _receive(self) -> bytes:
        try:
            data = self._socket.recv(1 << 20)
        except ConnectionError as error:
            raise ServerDied from error
        if not data:
            raise ServerDied
        return data

    def close(self) -> None:
        """Kill every run in flight and end the server."""
        self._socket.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _python_path() -> str:
    """Import the very code that runs here, from wherever it was started."""
    root = str(Path(__file__).resolve().parent.parent)
    return os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])


def _has_fileno(stream: Any) -> bool:
    try:
        stream.fileno()
    except (AttributeError, OSError, ValueError):
        return False
    return True


def run_isolated(
    target: str,
    *arguments: Any,
    seconds: float | None = None,
    memory_mb: float | None = None,
    preload: Iterable[str] = (),
) -> Ended:
    """Run one target in a child of its own and wait for it."""
    with ProcessServer(list(preload)) as server:
        server.submit(target, *arguments, seconds=seconds, memory_mb=memory_mb)
        ended = server.wait()
    assert ended is not None
    return ended
