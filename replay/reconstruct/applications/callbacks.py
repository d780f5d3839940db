"""Rebalance callbacks of a member: how long they took in the record, and so how long others may take.

A listener that does the same each time takes about as long again; one that works partition after partition takes longer
for more of them. Where a record has callbacks with sets of different sizes, they show which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median, median_low, pstdev
from typing import NamedTuple

import numpy as np

LIBRARY_MS = 50
"""A shorter callback is the library's own work."""
_ALIKE = 0.1
"""Durations whose logarithms deviate by less are as good as equal."""
_BETTER = 0.5
"""Durations by partition deviate by less than this share of what whole durations do: they explain them."""

_SIMILAR = 2
"""Members whose callbacks differ by at most this factor run the same program."""


class Callback(NamedTuple):
    """One callback, and with how many partitions it was called."""

    partitions: int
    lasts_ms: int


class Listener(NamedTuple):
    """How long a callback of one kind takes: any of `fixed_ms`, or of `partition_ms` times its partitions.

    Neither: it is the library's own work.
    """

    fixed_ms: tuple[int, ...] = ()
    partition_ms: tuple[int, ...] = ()


def listener(callbacks: Sequence[Callback]) -> Listener:
    """What fits the callbacks of one kind."""
    if median(callback.lasts_ms for callback in callbacks) < LIBRARY_MS:
        return Listener()
    whole = [max(1, callback.lasts_ms) for callback in callbacks]
    by_partition = [max(1, callback.lasts_ms) / max(1, callback.partitions) for callback in callbacks]
    deviation, explained = pstdev(np.log(whole).tolist()), pstdev(np.log(by_partition).tolist())
    if deviation > _ALIKE and explained < _BETTER * deviation:
        return Listener(partition_ms=tuple(sorted(map(round, by_partition))))
    if deviation <= _ALIKE:
        return Listener(fixed_ms=(round(median(whole)),))
    return Listener(fixed_ms=tuple(sorted(whole)))


def listeners(members: Iterable[Mapping[str, Sequence[Callback]]]) -> list[dict[str, Listener]]:
    """By member and kind. Of a kind that a member never ran, it has what members like it ran: the middle one of these.

    Kinds that none of them ran are left out.
    """
    own = [{kind: listener(ran) for kind, ran in sorted(callbacks.items())} for callbacks in members]
    kinds = sorted({kind for member in own for kind in member})
    complete = []
    for mine in own:
        alike = [other for other in own if _alike(mine, other)]
        others = {kind: sorted((other[kind] for other in alike if kind in other), key=_typical_ms) for kind in kinds}
        complete.append({**{kind: every[(len(every) - 1) // 2] for kind, every in others.items() if every}, **mine})
    return complete


def _alike(one: Mapping[str, Listener], other: Mapping[str, Listener]) -> bool:
    """Whether the kinds that both ran take about equally long."""
    times = [(_typical_ms(one[kind]), _typical_ms(other[kind])) for kind in one if kind in other]
    return all(max(pair) <= _SIMILAR * min(pair) for pair in times)


def _typical_ms(found: Listener) -> int:
    return median_low(found.fixed_ms or found.partition_ms or (0,))
