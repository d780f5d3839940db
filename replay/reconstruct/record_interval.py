"""How often a partition gets a record, from the offsets at which members began to read it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import median

from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.events.types import TopicPartition

_LEAST_RECORDS = 3
"""Fewer records between two offsets say little: an offset was committed some time before it is read."""


def record_interval_ms(facts: Iterable[Recorded]) -> float | None:
    """The typical time between two records of a partition, in ms; None where the logs name too few offsets.

    A member that is assigned a partition begins at the committed offset, which its last owner committed when it gave
    the partition up, or at the end of the log. What lies between the first and the last such offset of a partition
    arrived between these times; the median over the partitions counts.
    """
    seen: dict[TopicPartition, list[tuple[int, int]]] = defaultdict(list)
    for fact in facts:
        if isinstance(fact.event, p.PositionReady):
            for topic, partition, offset in fact.event.offsets:
                if offset >= 0:
                    seen[TopicPartition(topic, partition)].append((fact.at_ms, offset))
    intervals = []
    for found in seen.values():
        (from_ms, first), (to_ms, last) = found[0], found[-1]
        if last - first >= _LEAST_RECORDS:
            intervals.append((to_ms - from_ms) / (last - first))
    return median(intervals) if intervals else None
