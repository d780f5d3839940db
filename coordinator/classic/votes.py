"""Choices that Kafka leaves to the order of a Java HashMap: the protocol vote and the election of a leader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from groupsim.assignors.java.hash_order import string_set
from groupsim.events.types import MemberId


def elect_by_hash(generation: int, candidates: tuple[MemberId, ...]) -> MemberId:
    """The first candidate in hash order: Kafka's arbitrary choice (ids hold random parts), made repeatable."""
    return string_set(candidates)[0]


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
    return max(string_set(votes), key=lambda name: counts[name], default=None)
