"""The same campaign on a Dask cluster.

A worker runs each task through a process server of its own, so limits hold there too. A worker
that dies loses nothing but time: Dask gives its tasks to another one. Only the client writes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from distributed import Client, as_completed, get_worker
from distributed.client import Future
from distributed.comm import resolve_address

from benchmarks.campaign import Executor
from benchmarks.methods import SOLVE_TASK, Run, preload_of
from benchmarks.process import Ended, ProcessServer, ServerDied
from benchmarks.provenance import code_digest, versions
from benchmarks.store import differing
from instances.errors import InputError

CONNECT_SECONDS = 10
AHEAD = 2
"""Tasks given to the cluster for each of its threads, so that none waits for the client."""
RETRIES = 3
"""How often a task is tried again whose process server died."""

_thread = threading.local()


class OtherCode(Exception):
    """A worker would produce rows that must not be mixed with those of the client."""


def dask_executor(address: str) -> Executor:
    """Run on the Dask cluster whose scheduler listens at `address`.

    Raises
    ------
    InputError
        While running: where there is no scheduler, it goes away, or a worker has other code.
    """

    def execute(runs: Sequence[Run]) -> Iterator[tuple[int, Ended]]:
        try:
            resolve_address(address)
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(f"--dask {address}: no Dask scheduler answers: {error}") from error
        with client:
            yield from _execute(client, runs, address)

    return execute


def _execute(client: Client, runs: Sequence[Run], address: str) -> Iterator[tuple[int, Ended]]:
    identity = rows_identity()
    waiting = list(range(len(runs)))[::-1]
    flying: dict[Future, int] = {}
    completed = as_completed([], loop=client.loop)
    while waiting or flying:
        threads = sum(client.nthreads().values())
        while waiting and len(flying) < max(1, AHEAD * threads):
            index = waiting.pop()
            future = _submit(client, runs[index], identity)
            flying[future] = index
            completed.add(future)
        future = next(completed)
        yield flying.pop(future), _ended(future, address)


def _submit(client: Client, run: Run, identity: dict[str, Any]) -> Future:
    return client.submit(
        run_on_worker,
        run.task(),
        run.seconds,
        run.limits.memory,
        preload_of([run.method]),
        identity,
        pure=False,
        retries=RETRIES,
    )


def _ended(future: Future, address: str) -> Ended:
    """How the task ended; a task that killed several workers is a failed run."""
    if future.status == "cancelled":
        raise InputError(f"--dask {address}: the scheduler has gone: start it, and resume")
    error = future.exception()
    if isinstance(error, OtherCode):
        raise InputError(f"--dask {address}: {error}")
    if error is not None:
        return Ended(0, "died", chatter=f"{type(error).__name__}: {error}")
    return Ended(**future.result())


@cache
def rows_identity() -> dict[str, Any]:
    """What must be equal on client and workers."""
    return {"code": code_digest(), "versions": versions()}


def run_on_worker(
    task: dict[str, Any],
    seconds: float | None,
    memory_mb: float | None,
    preload: list[str],
    identity: dict[str, Any],
) -> dict[str, Any]:
    """On a worker: one run, isolated and limited as at home."""
    difference = differing({"identity": rows_identity()}, {"identity": identity})
    if difference:
        raise OtherCode(f"worker {get_worker().address} has {difference} as here")
    server = _server(preload)
    try:
        server.submit(SOLVE_TASK, task, seconds=seconds, memory_mb=memory_mb)
        ended = server.wait()
    except ServerDied:
        del _thread.server
        raise
    assert ended is not None
    return asdict(ended)


def _server(preload: list[str]) -> ProcessServer:
    """The process server of this thread of the worker."""
    if not hasattr(_thread, "server"):
        _thread.server = ProcessServer(preload)
    server: ProcessServer = _thread.server
    return server
