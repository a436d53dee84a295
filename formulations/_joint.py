"""The set Y of joint schedules of eqs. (10)-(13), enumerated slot by slot.

Some schedules can stay out of Y because the optimum stays in:

- Dominated. Let job j start in slot a > 0 although, in slot a-1, its GPUs were idle and, if j spans
  servers, no other spanning job was active on any of them. Started in a-1 instead, j has progressed
  at least as far at every time and ends no later; in slot a-1 it slows nobody, and afterwards it is
  active in no slot in which it was not before. So nobody ends later, and the sum of starts has
  fallen. Repeating this ends in a schedule in which no job can be moved so; only these are kept.
- Symmetric. Servers with equal O_s may change places, and so may jobs with equal data. Of every
  orbit the schedule is kept in which equal jobs start in order of index and whose rows y_j, read by
  start and index, are lexicographically least: there the rows of equal jobs that start together
  ascend, and so do the columns of equal servers (else a swap would lessen the first difference).
- Worse. Schedules that end after the incumbent does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from instances.errors import TooLarge
from instances.instance import Instance

NODES_PER_SCHEDULE = 20
"""How many partial schedules may be visited for every joint schedule allowed."""

Row = tuple[int, ...]
"""y_js for all s: how many of a job's workers each server holds."""


@dataclass(frozen=True)
class Run:
    """One job in a joint schedule.

    Attributes
    ----------
    start : int
        a_j.
    row : Row
        Its placement.
    left : int
        Iterations left.
    end : int or None
        a_j + rho_j, once it is complete.
    """

    start: int
    row: Row
    left: int
    end: int | None = None

    @property
    def spans(self) -> bool:
        return sum(map(bool, self.row)) > 1


State = tuple[Run | None, ...]
"""Per job its run, None before it starts."""

Allowed = Callable[[State, int, Row], bool]
"""Whether a job may start with a row beside what has been decided for the jobs before it."""


class JointSchedules:
    """Enumerates Y for the slots 0..slots-1.

    Parameters
    ----------
    slots : int
        Schedules with a larger makespan are left out.
    """

    def __init__(self, instance: Instance, slots: int) -> None:
        self._timing, self._slots = instance.timing, slots
        self._capacity = tuple(server.gpus for server in instance.servers)
        self._iterations = [job.iterations for job in instance.jobs]
        self._rows = [
            [row for row in _rows(self._capacity, job.gpus) if self._best_rate(j, row)]
            for j, job in enumerate(instance.jobs)
        ]
        data = [
            (job.gpus, job.iterations, job.gradient_size, job.batch_size, job.forward_time,
             job.backward_time)
            for job in instance.jobs
        ]  # fmt: skip
        self._equal_before = [
            max((i for i in range(j) if data[i] == data[j]), default=None) for j in range(len(data))
        ]
        by_capacity = sorted(range(len(self._capacity)), key=self._capacity.__getitem__)
        self._equal_servers = [
            (s, u) for s, u in pairwise(by_capacity) if self._capacity[s] == self._capacity[u]
        ]

    def reduced(self, limit: int) -> list[State]:
        """Y without symmetric, dominated and worse schedules; raises TooLarge above `limit`."""
        found: list[State] = []
        stack: list[tuple[int, State]] = [(0, (None,) * len(self._iterations))]
        visited = 0
        while stack:
            slot, state = stack.pop()
            visited += 1
            if _complete(state):
                found.append(state)
            elif self._in_time(state, slot):
                kept = self._kept(state, slot)
                stack += [
                    (slot + 1, self._advanced(started, slot))
                    for started in self._starts(state, slot, kept)
                ]
            if len(found) > limit or visited > NODES_PER_SCHEDULE * limit:
                raise TooLarge(
                    f"|Y| refused at {len(found)} joint schedules, {visited} partial ones visited "
                    f"(limit = {limit}, and {NODES_PER_SCHEDULE} times as many): raise limit"
                )
        return found

    def count(self, limit: int) -> int | None:
        """|Y| with nothing left out but what ends after `slots`; None above `limit` states."""
        ways: Counter[State] = Counter({(None,) * len(self._iterations): 1})
        complete = 0
        for slot in range(self._slots):
            following: Counter[State] = Counter()
            for state, paths in ways.items():
                for started in self._starts(state, slot, lambda *_: True):
                    after = self._advanced(started, slot)
                    if _complete(after):
                        complete += paths
                    elif self._in_time(after, slot + 1):
                        following[_merged(after)] += paths
            if len(following) > limit:
                return None
            ways = following
        return complete

    def _starts(self, state: State, slot: int, allowed: Allowed) -> list[State]:
        """Every choice of waiting jobs and rows that fits, eq. (2), and is `allowed`."""
        idle = self._idle(run for run in state if run is not None and run.end is None)
        partial = [(state, idle)]
        for j in (j for j, run in enumerate(state) if run is None):
            partial += [
                (_with(chosen, j, Run(slot, row, self._iterations[j])), _minus(room, row))
                for chosen, room in partial
                for row in self._rows[j]
                if _fits(row, room) and allowed(chosen, j, row)
            ]
        return [chosen for chosen, _ in partial]

    def _kept(self, state: State, slot: int) -> Allowed:
        """The test that leaves out dominated and symmetric choices."""
        before = [run for run in state if run is not None and (run.end or slot) >= slot]
        idle = self._idle(before)
        spanning = _sum((run.row for run in before if run.spans), len(self._capacity))

        def kept(chosen: State, j: int, row: Row) -> bool:
            contends = sum(map(bool, row)) > 1 and any(
                count and others for count, others in zip(row, spanning, strict=True)
            )
            if slot > 0 and _fits(row, idle) and not contends:
                return False  # dominated: it could have started a slot earlier
            equal = self._equal_before[j]
            if equal is not None:
                other = chosen[equal]
                if other is None or (other.start == slot and other.row > row):
                    return False  # symmetric: equal jobs are not in order
            return not any(
                row[s] > row[u] and all(run is None or run.row[s] == run.row[u] for run in chosen)
                for s, u in self._equal_servers  # symmetric: columns not in order
            )

        return kept

    def _advanced(self, state: State, slot: int) -> State:
        """The state after `slot`, eqs. (6) and (9)."""
        active = [(j, run) for j, run in enumerate(state) if run is not None and run.end is None]
        spanning = [0] * len(self._capacity)
        for _, run in active:
            for s in _servers(run.row) if run.spans else ():
                spanning[s] += 1
        after = list(state)
        for j, run in active:
            used = _servers(run.row)
            level = max(spanning[s] for s in used)  # 0 if it is the only one used
            left = run.left - self._timing.rate(j, len(used), level if run.spans else 0)
            after[j] = replace(run, left=max(left, 0), end=None if left > 0 else slot + 1)
        return tuple(after)

    def _in_time(self, state: State, slot: int) -> bool:
        """Whether every job could still end in time if it were alone from now on."""
        return all(
            slot + self._timing.shortest[j] <= self._slots
            if run is None
            else run.end is not None
            or slot - (-run.left // self._best_rate(j, run.row)) <= self._slots
            for j, run in enumerate(state)
        )

    def _best_rate(self, j: int, row: Row) -> int:
        hosts = len(_servers(row))
        return self._timing.rate(j, hosts, int(hosts > 1))

    def _idle(self, runs: Iterator[Run] | Sequence[Run]) -> Row:
        return _minus(self._capacity, _sum((run.row for run in runs), len(self._capacity)))


def _complete(state: State) -> bool:
    return all(run is not None and run.end is not None for run in state)


def _rows(capacity: Row, gpus: int) -> list[Row]:
    """All ways to spread `gpus` workers, eqs. (1) and (5)."""
    if not capacity:
        return [()] if gpus == 0 else []
    return [
        (count, *rest)
        for count in range(min(capacity[0], gpus) + 1)
        for rest in _rows(capacity[1:], gpus - count)
    ]


def _servers(row: Row) -> list[int]:
    return [s for s, count in enumerate(row) if count]


def _fits(row: Row, room: Row) -> bool:
    return all(count <= free for count, free in zip(row, room, strict=True))


def _minus(room: Row, row: Row) -> Row:
    return tuple(free - count for free, count in zip(room, row, strict=True))


def _sum(rows: Iterator[Row], length: int) -> Row:
    return tuple(map(sum, zip((0,) * length, *rows, strict=True)))


def _with(state: State, j: int, run: Run) -> State:
    return (*state[:j], run, *state[j + 1 :])


def _merged(state: State) -> State:
    """Forget when and where complete jobs ran, and when active ones started."""
    return tuple(
        run if run is None else Run(0, run.row if run.end is None else (), run.left, run.end and 0)
        for run in state
    )
