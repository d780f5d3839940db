"""The order in which the coordinator's own maps iterate (Kafka: TimelineHashMap, SnapshottableHashTable).

A server-side assignor gets the members in a HashMap that was filled in this order: it decides between two whose hash
codes fall into one bin.
"""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.assignors.java.hash_order import string_hashes

SMALLEST = 2
FULL = 0.75
FIBONACCI = 0x9E3779B97F4A7C15
LONG = (1 << 64) - 1
SIGN = 1 << 31


def timeline_order(texts: Sequence[str], most: int) -> list[int]:
    """Positions of distinct strings, in order of insertion, as a TimelineHashMap iterates over them.

    `most`: how many it ever had, because it never shrinks. Those of one slot come the last one first.
    """
    capacity = SMALLEST
    while most * FULL > capacity:
        capacity *= 2
    shift = 65 - capacity.bit_length()
    signed = ((h ^ SIGN) - SIGN for h in string_hashes(texts))
    slots = [((h * FIBONACCI) & LONG) >> shift for h in signed]
    return sorted(range(len(slots) - 1, -1, -1), key=slots.__getitem__)
