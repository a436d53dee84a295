"""States that the search has met, so that it enters none that is equal or worse.

A state is taken after the starts of a slot and before the slot runs. Its key holds the slot, the
waiting jobs, and kind and placement of the active ones up to the order of servers; its value the
iterations that are left to them. A state whose key was met with no more left to anyone is worse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.search.compiled import compiled
from solvers.search.stack import Stack
from solvers.search.tables import Integers, Problem

_BITS = 62
_LEFT = 1 << 42
"""Iterations fit below this (an instance allows 10**12), the kind of a job above it."""


class Memo(NamedTuple):
    """A hash table with chains, in flat arrays.

    Attributes
    ----------
    heads : (buckets,)
        First record of each chain, or -1.
    records : (size,)
        Records one after the other: next record, length of the key, the key, the value.
    used : (1,)
        Length of `records` that is in use.
    key, value : work space for one record
    order : (3, servers or jobs)
        Work space for sorting.
    codes : (jobs, words)
        Work space for placements.
    """

    heads: Integers
    records: Integers
    used: Integers
    key: Integers
    value: Integers
    order: Integers
    codes: Integers


def make_memo(problem: Problem, entries: int) -> Memo:
    """An empty memo with room for `entries` integers of 8 bytes."""
    jobs, servers = int(problem.copies.sum()), problem.capacity.size
    words = -(-servers // _per_word(int(problem.capacity.max())))
    key = 2 + int(problem.radix[:, 0].max()) + jobs * (1 + words)
    return Memo(
        heads=np.full(1 << max(10, (entries // 16).bit_length()), -1, dtype=np.int64),
        records=np.zeros(entries, dtype=np.int64),
        used=np.zeros(1, dtype=np.int64),
        key=np.zeros(key, dtype=np.int64),
        value=np.zeros(jobs, dtype=np.int64),
        order=np.zeros((3, max(jobs, servers)), dtype=np.int64),
        codes=np.zeros((jobs, words), dtype=np.int64),
    )


@compiled
def _per_word(capacity: int) -> int:
    """How many counts from 0 to `capacity` fit into one integer."""
    bits = 1
    while (1 << bits) <= capacity:
        bits += 1
    return _BITS // bits


@compiled
def clear(memo: Memo) -> None:
    memo.heads[:] = -1
    memo.used[0] = 0


@compiled
def met_before(problem: Problem, stack: Stack, depth: int, memo: Memo) -> bool:
    """Whether a state at least as good was met; if not, this one is recorded."""
    length = _describe(problem, stack, depth, memo)
    active = stack.running[depth]
    mixed = np.uint64(1469598103934665603)
    for i in range(length):
        mixed = _mix(mixed ^ np.uint64(memo.key[i]))
    bucket = int(mixed & np.uint64(memo.heads.shape[0] - 1))
    record = memo.heads[bucket]
    while record >= 0:
        if memo.records[record + 1] == length and _same(memo, record + 2, length):
            value = record + 2 + length
            if _at_most(memo.records, value, memo.value, active):
                return True
        record = memo.records[record]
    _store(memo, bucket, length, active)
    return False


@compiled
def _same(memo: Memo, begin: int, length: int) -> bool:
    for i in range(length):  # noqa: SIM110
        if memo.records[begin + i] != memo.key[i]:
            return False
    return True


@compiled
def _at_most(records: Integers, begin: int, value: Integers, length: int) -> bool:
    for i in range(length):  # noqa: SIM110
        if records[begin + i] > value[i]:
            return False
    return True


@compiled
def _store(memo: Memo, bucket: int, length: int, active: int) -> None:
    """Add a record; a memo without room is emptied, which costs time and nothing else."""
    size = 2 + length + active
    if memo.used[0] + size > memo.records.shape[0]:
        clear(memo)
    record = memo.used[0]
    memo.records[record] = memo.heads[bucket]
    memo.records[record + 1] = length
    memo.records[record + 2 : record + 2 + length] = memo.key[:length]
    memo.records[record + 2 + length : record + size] = memo.value[:active]
    memo.heads[bucket] = record
    memo.used[0] += size


@compiled
def _mix(x: np.uint64) -> np.uint64:
    """A 64-bit finaliser (splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def _describe(problem: Problem, stack: Stack, depth: int, memo: Memo) -> int:
    """Write key and value of a state into the work space; return the length of the key."""
    _encode_placements(problem, stack, depth, memo)
    active, words = stack.running[depth], memo.codes.shape[1]
    _sort_jobs(stack, depth, memo)
    memo.key[0] = stack.time[depth]
    last = problem.radix[-1, 0]
    memo.key[1 : 2 + last] = 0
    for kind in range(problem.copies.shape[0]):
        memo.key[1 + problem.radix[kind, 0]] += stack.waiting[depth, kind] * problem.radix[kind, 1]
    length = 2 + last
    for i in range(active):
        job = memo.order[0, i]
        memo.key[length] = stack.kind[depth, job]
        for w in range(words):
            memo.key[length + 1 + w] = memo.codes[job, w]
        length += 1 + words
        memo.value[i] = stack.left[depth, job]
    return int(length)


@compiled
def _encode_placements(problem: Problem, stack: Stack, depth: int, memo: Memo) -> None:
    """Placements after servers of equal capacity are put in an order that ignores their names.

    The order is a guess that makes most equal states look equal; where it misses, two equal
    states are taken for different ones, never the other way round.
    """
    active, size = stack.running[depth], problem.capacity.shape[0]
    order, look, tie = memo.order[0], memo.order[1], memo.order[2]
    look[:size] = 0
    tie[:size] = 0
    for _ in range(2):
        for job in range(active):
            mark = np.uint64(0)
            for s in range(size):
                if stack.gpus[depth, job, s]:
                    mark += _mix(np.uint64(look[s] * 64 + stack.gpus[depth, job, s]))
            mark = _mix(mark ^ np.uint64(stack.kind[depth, job]))
            memo.value[job] = np.int64(mark >> np.uint64(16))
        for s in range(size):
            total = np.uint64(0)
            tie[s] = 0
            for job in range(active):
                if stack.gpus[depth, job, s]:
                    total += _mix(np.uint64(memo.value[job] * 64 + stack.gpus[depth, job, s]))
                    tie[s] += stack.left[depth, job]
            look[s] = np.int64(total >> np.uint64(16))
    for s in range(size):  # insertion sort; servers come sorted by capacity
        at = s
        while at > 0 and _after(problem, look, tie, order[at - 1], s):
            order[at] = order[at - 1]
            at -= 1
        order[at] = s
    capacity = problem.capacity[size - 1]
    each, base = _per_word(capacity), 1
    while base <= capacity:
        base *= 2
    memo.codes[:active] = 0
    for at in range(size):
        for job in range(active):
            word = memo.codes[job, at // each] * base
            memo.codes[job, at // each] = word + stack.gpus[depth, job, order[at]]


@compiled
def _after(problem: Problem, look: Integers, tie: Integers, first: int, second: int) -> bool:
    """Whether server `first` belongs behind server `second`."""
    if problem.capacity[first] != problem.capacity[second]:
        return bool(problem.capacity[first] > problem.capacity[second])
    if look[first] != look[second]:
        return bool(look[first] < look[second])
    return bool(tie[first] > tie[second])


@compiled
def _sort_jobs(stack: Stack, depth: int, memo: Memo) -> None:
    """Order the active jobs by kind, placement and iterations left."""
    order = memo.order[0]
    for job in range(stack.running[depth]):
        at = job
        while at > 0 and _behind(stack, depth, memo, order[at - 1], job):
            order[at] = order[at - 1]
            at -= 1
        order[at] = job


@compiled
def _behind(stack: Stack, depth: int, memo: Memo, first: int, second: int) -> bool:
    """Whether active job `first` belongs behind active job `second`."""
    if stack.kind[depth, first] != stack.kind[depth, second]:
        return bool(stack.kind[depth, first] > stack.kind[depth, second])
    for w in range(memo.codes.shape[1]):
        if memo.codes[first, w] != memo.codes[second, w]:
            return bool(memo.codes[first, w] > memo.codes[second, w])
    return bool(stack.left[depth, first] > stack.left[depth, second])
