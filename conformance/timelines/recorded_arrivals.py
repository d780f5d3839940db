"""When the records of a recorded run came, as far as what its members had read shows it.

A producer sends a record to every partition of a topic at once, evenly. A record that a member has read had come by
then; so the earliest of all reads, each put back by its number of records, is close to the truth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

LEAST = 6
"""Of fewer reads nothing is concluded."""
MORE_THAN_ONE = 1.4
"""Offsets that grow so much faster than one producer sends come from several: the instants of each are unknown."""


def first_arrivals(record: dict[str, Any], records_per_s: float) -> dict[str, float]:
    """By topic, when the record of offset 0 came (ms since the start of the run; before it if negative)."""
    read: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for topic, offset, by_ms in _read(record):
        read[topic].append((by_ms, offset))
    found = {}
    for topic, reads in sorted(read.items()):
        first, last = min(reads), max(reads)
        several = last[1] - first[1] > MORE_THAN_ONE * records_per_s * (last[0] - first[0]) / 1000 + 1
        if len(reads) >= LEAST and records_per_s > 0 and not several:
            found[topic] = min(by_ms - offset * 1000 / records_per_s for by_ms, offset in reads)
    return found


def _read(record: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Records that had been read: topic, offset, by when."""
    for event in record.get("events", ()):
        for topic, _, offset in event.get("offsets") or ():
            yield str(topic), int(offset), int(event["t_ms"])
        for topic, _, following in event.get("next_offsets") or ():
            yield str(topic), int(following) - 1, int(event["t_ms"])
