"""The process server: a small program that forks one child for every run and watches over it.

It imports what the runs need once and never solves anything itself, so a child starts warm and
clean within milliseconds. It holds each child to its time and memory, kills a child's whole
process group when it must, and takes every child with it when its client dies, however that
happens. `benchmarks.process` holds the client.

Requests and answers are JSON objects, one a line, on a socket inherited from the client.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import platform
import resource
import selectors
import signal
import socket
import sys
import tempfile
import time
from functools import partial
from typing import IO, Any, NoReturn

import psutil

from benchmarks.provenance import processor

WATCH_SECONDS = 0.05
"""How often memory and deadlines are looked at."""
FAMILY_SECONDS = 0.5
"""How often a child's own children (solvers started as programs) are looked for."""
CHATTER_BYTES = 2_000_000
"""How much of what a run prints is kept, from its end."""
MB = 1_000_000
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
_PR_SET_PDEATHSIG = 1


class _Child:
    """One forked run."""

    def __init__(self, request: dict[str, Any], pid: int, pipe: int, chatter: IO[bytes]) -> None:
        self.request, self.pid, self.pipe, self.chatter = request, pid, pipe, chatter
        self.began = time.monotonic()
        self.said = bytearray()
        self.cause: str | None = None
        self.peak = 0.0
        self._family_due = self.began + FAMILY_SECONDS
        self._processes = [psutil.Process(pid)]

    def watch(self) -> None:
        """Kill the child if it is over its time or memory."""
        now = time.monotonic()
        if now >= self._family_due:
            self._family_due = now + FAMILY_SECONDS
            with contextlib.suppress(psutil.Error):
                self._processes[1:] = self._processes[0].children(recursive=True)
        self.peak = max(self.peak, sum(_resident(process) for process in self._processes))
        seconds, memory = self.request.get("seconds"), self.request.get("memory_mb")
        if memory is not None and self.peak > memory:
            self.kill("memory")
        elif seconds is not None and now - self.began > seconds:
            self.kill("time")

    def kill(self, cause: str | None) -> None:
        """End the child and everything that it started."""
        self.cause = self.cause or cause
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):  # before it made its own group
            os.kill(self.pid, signal.SIGKILL)
        for process in self._processes[1:]:  # those that have left the group
            with contextlib.suppress(psutil.Error):
                process.kill()

    def ended(self) -> dict[str, Any]:
        """Bury the child, whose pipe has closed, and say how it ended."""
        said: dict[str, Any] = {}
        for line in self.said.split(b"\n")[:-1]:
            said |= json.loads(line)
        cause = self.cause or ("done" if "answer" in said else "died")
        self.kill(cause)
        _, status, usage = os.wait4(self.pid, 0)
        os.close(self.pipe)
        peak = max(self.peak, usage.ru_maxrss * _MAXRSS_BYTES / MB)
        return {
            "id": self.request["id"],
            "cause": cause,
            "answer": said.get("answer"),
            "note": said.get("note"),
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "seconds": time.monotonic() - self.began,
            "peak_memory_mb": round(peak, 1),
            "chatter": _tail(self.chatter),
            "machine": platform.node(),
            "processor": processor(),
        }


def _resident(process: psutil.Process) -> float:
    """Resident memory in MB; 0 for a process that has gone."""
    try:
        return float(process.memory_info().rss) / MB
    except psutil.Error:
        return 0.0


def _tail(chatter: IO[bytes]) -> str:
    size = chatter.seek(0, os.SEEK_END)
    chatter.seek(max(0, size - CHATTER_BYTES))
    text = chatter.read().decode(errors="replace")
    chatter.close()
    return text


class _Server:
    """Forks, watches, answers; one thread, one loop."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, _Child] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._buffer = bytearray()

    def serve(self) -> None:
        """Work until the client closes the socket or dies; then kill what still runs."""
        open_for_business = True
        while open_for_business:
            timeout = WATCH_SECONDS if self._children else None
            for key, _ in self._selector.select(timeout):
                if key.fileobj is self._control:
                    open_for_business = self._listen()
                else:
                    self._read(key.fd)
            for child in list(self._children.values()):
                child.watch()
        for child in self._children.values():
            child.kill(None)

    def _listen(self) -> bool:
        """Take requests; False when the client has gone."""
        try:
            data = self._control.recv(1 << 20)
        except ConnectionError:
            return False
        self._buffer += data
        *lines, rest = bytes(self._buffer).split(b"\n") if b"\n" in data else [bytes(self._buffer)]
        self._buffer = bytearray(rest)
        for line in lines:
            self._fork(json.loads(line))
        return bool(data)

    def _fork(self, request: dict[str, Any]) -> None:
        pipe, mouth = os.pipe()
        chatter = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the child has been buried)
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._control.close()
            _become_child(request, mouth, chatter.fileno(), server)
        os.close(mouth)
        os.set_blocking(pipe, False)
        self._children[pipe] = _Child(request, pid, pipe, chatter)
        self._selector.register(pipe, selectors.EVENT_READ)

    def _read(self, pipe: int) -> None:
        """Collect a child's answer; when its pipe closes, pass on how it ended."""
        try:
            data = os.read(pipe, 1 << 20)
        except BlockingIOError:
            return
        if data:
            self._children[pipe].said += data
            return
        self._selector.unregister(pipe)
        line = json.dumps(self._children.pop(pipe).ended()) + "\n"
        with contextlib.suppress(ConnectionError):  # the client has gone: the next recv says so
            self._control.sendall(line.encode())


def _become_child(request: dict[str, Any], mouth: int, chatter: int, server: int) -> NoReturn:
    """In the child: leave the server's group, call the target, write its answer, vanish."""

    def say(what: str, content: Any) -> None:
        text = memoryview(json.dumps({what: content}, allow_nan=False).encode() + b"\n")
        while text:
            text = text[os.write(mouth, text) :]

    status = 1
    try:
        os.setsid()
        _die_with(server)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        for fd, target in ((os.open(os.devnull, os.O_RDONLY), 0), (chatter, 1), (chatter, 2)):
            os.dup2(fd, target)
        module, _, function = request["target"].partition(":")
        run = getattr(importlib.import_module(module), function)
        say("answer", run(partial(say, "note"), *request["arguments"]))
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())  # into the chatter
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _die_with(server: int) -> None:
    """Linux: have the kernel kill this process with its server, and first if memory runs out."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:  # noqa: PTH123
        score.write("1000")


def main(control: int, preload: list[str]) -> None:
    """Serve on the inherited socket, with the modules in `preload` imported."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-c is for the client to handle
    for target in preload:
        module, _, function = target.partition(":")
        with contextlib.suppress(Exception):  # the runs that need it will say so
            loaded = importlib.import_module(module)
            if function:
                getattr(loaded, function)()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.collect()
    gc.freeze()  # children share these objects' memory
    with socket.socket(fileno=control) as connection:
        _Server(connection).serve()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
