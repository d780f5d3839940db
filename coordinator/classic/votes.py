"""Choices that Kafka leaves to the order of a Java HashMap: the protocol vote and the election of a leader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from events.types import MemberId


def java_hash(text: str) -> int:
    """Java's String.hashCode as an unsigned 32-bit number (over UTF-16 code units)."""
    h = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for i in range(0, len(units), 2):
        h = (31 * h + (units[i] << 8 | units[i + 1])) & 0xFFFFFFFF
    return h


def hash_map_order(keys: Iterable[str]) -> list[str]:
    """The iteration order of a java.util.HashMap filled in this order (buckets as lists, no trees)."""
    names = list(dict.fromkeys(keys))
    capacity = 16
    while len(names) > capacity * 3 // 4:
        capacity *= 2

    def bucket(name: str) -> int:
        h = java_hash(name)
        return (h ^ h >> 16) & (capacity - 1)

    return sorted(names, key=bucket)


def elect_by_hash(generation: int, candidates: tuple[MemberId, ...]) -> MemberId:
    """The first candidate in hash order: Kafka's arbitrary choice (ids hold random parts), made repeatable."""
    return hash_map_order(candidates)[0]


def candidates(offers: Sequence[Sequence[str]]) -> set[str]:
    """The protocols that every member lists (Kafka: ClassicGroup.candidateProtocols)."""
    counts = Counter(name for offer in offers for name in set(offer))
    return {name for name, count in counts.items() if count == len(offers)}


def vote(offers: Sequence[Sequence[str]]) -> str | None:
    """The protocol most members prefer among those all support; ties by hash order of the names.

    Kafka: ClassicGroup.selectProtocol. None if no protocol is common to all.
    """
    common = candidates(offers)
    votes = [next(name for name in offer if name in common) for offer in offers] if common else []
    counts = Counter(votes)
    return max(hash_map_order(votes), key=lambda name: counts[name], default=None)
