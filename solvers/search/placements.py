"""Every way to put a job on the servers, one after the other, in a fixed order."""

from __future__ import annotations

from solvers.search.compiled import compiled
from solvers.search.tables import Integers


@compiled
def next_placement(
    placement: Integers, gpus: int, servers: int, free: Integers, twin: Integers, inclusive: bool
) -> bool:
    """Move `placement` to the next one on exactly `servers` servers; False where there is none.

    The order is lexicographic, more GPUs on the first servers first. Of two interchangeable
    servers the first takes at least as many GPUs: a later placement that differs by swapping
    them only would lead to the same schedules.

    Parameters
    ----------
    placement : (servers,)
        Where to go on from, changed in place; it need not fit itself.
    free : (servers,)
        Idle GPUs.
    twin : (servers,)
        An earlier server that is interchangeable with this one, or -1.
    inclusive : bool
        Whether `placement` itself is the first candidate, if it fits.
    """
    size = placement.shape[0]
    position = size - 1
    if inclusive:
        position = _first_misfit(placement, free, twin)
        if position == size and _on(placement) == servers and placement.sum() == gpus:
            return True
        position = min(position, size - 1)
        placement[position] = _room(placement, position, gpus, free, twin) + 1
    while True:
        placement[position] -= 1
        if placement[position] < 0:
            position -= 1
            if position < 0:
                return False
            continue
        left, still = gpus, servers
        for s in range(position + 1):
            left -= placement[s]
            still -= placement[s] > 0
        if left == 0 and still == 0:
            placement[position + 1 :] = 0
            return True
        if left < still or still <= 0 or position == size - 1:
            continue
        if free[position + 1 :].sum() < left:
            placement[position] = 0  # even fewer here leave more to the rest
            continue
        position += 1
        placement[position] = _room(placement, position, gpus, free, twin) + 1


@compiled
def _room(placement: Integers, s: int, gpus: int, free: Integers, twin: Integers) -> int:
    room = min(free[s], gpus)
    if twin[s] >= 0:
        room = min(room, placement[twin[s]])
    return int(room)


@compiled
def _first_misfit(placement: Integers, free: Integers, twin: Integers) -> int:
    for s in range(placement.shape[0]):
        if placement[s] > free[s] or (twin[s] >= 0 and placement[s] > placement[twin[s]]):
            return s
    return int(placement.shape[0])


@compiled
def _on(placement: Integers) -> int:
    count = 0
    for value in placement:
        count += value > 0
    return count
