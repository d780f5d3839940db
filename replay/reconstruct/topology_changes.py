"""What happened around a group: topics that grew, coordinators that failed over, rejoins without a visible cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import world as w
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded
from groupsim.events.types import TopicPartition
from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.rebalances import Generation

_NEAR_MS = 2_000
_REJOINED = ("member-rejoined", "leader-rejoined")
_UNNAMED_TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Growth:
    """A topic grew to `partitions` partitions, at the latest when the first member noticed."""

    at_ms: int
    topic: str
    partitions: int


def topics(
    facts: Sequence[Recorded], group: str, incarnations: Sequence[Incarnation], given: Mapping[str, int], largest: int
) -> tuple[dict[str, int], list[Growth], list[str]]:
    """Partition counts at the start, how they grew, and notes. `largest`: the size of the largest generation."""
    counts = {f.event.topic: f.event.partitions for f in facts if isinstance(f.event, w.TopicCreated)}
    declared = [f.event.topics for f in facts if isinstance(f.event, w.GroupDeclared) and f.event.group == group]
    names = sorted({topic for subscribed in declared for topic in subscribed} & set(counts)) or sorted(given)
    counts = {topic: max(given.get(topic, 0), counts.get(topic, 0)) for topic in names}
    notes: list[str] = []
    if not counts:
        counts = {_UNNAMED_TOPIC: largest}
        notes.append(
            f"no log names a partition: {largest} are assumed, one for each member of the largest generation; --topic"
            " NAME=PARTITIONS gives their number"
        )
    noticed = sorted((at, incarnation.name) for incarnation in incarnations for at in incarnation.metadata_changes)
    growths: list[Growth] = []
    if noticed:
        at, name = noticed[0]
        before = _seen_before(facts, group, at)
        for topic, count in counts.items():
            if 0 < before.get(topic, 0) < count:
                growths.append(Growth(at, topic, count))
                notes.append(f"{topic} had {before[topic]} partitions until {name} noticed that it had grown")
                counts[topic] = before[topic]
    return counts, growths, notes


def _seen_before(facts: Sequence[Recorded], group: str, until_ms: int) -> dict[str, int]:
    """How many partitions of each topic were named before an instant."""
    highest: dict[str, int] = {}
    for fact in facts:
        if fact.at_ms >= until_ms:
            break
        named: tuple[TopicPartition, ...] = ()
        if isinstance(fact.event, p.ViewChanged) and group_of(fact.stream) == group:
            named = fact.event.partitions
        elif isinstance(fact.event, c.AssignmentStored) and fact.stream == group_stream(group):
            named = tuple(tp for given in (fact.event.assignment or {}).values() for tp in given)
        for topic, partition in named:
            highest[topic] = max(highest.get(topic, 0), partition + 1)
    return highest


def failovers(facts: Sequence[Recorded], group: str, incarnations: Sequence[Incarnation]) -> list[tuple[int, int]]:
    """From when to when the coordinator was unavailable; a crash leaves no line, but the clients notice it."""
    found: list[tuple[int, int]] = []
    unloaded: int | None = None
    for fact in facts:
        if fact.stream != group_stream(group):
            continue
        if isinstance(fact.event, CoordinatorUnloaded):
            unloaded = fact.at_ms
        elif isinstance(fact.event, CoordinatorLoaded):
            last = found[-1][1] if found else 0
            missed = [
                at
                for incarnation in incarnations
                for at in incarnation.coordinator_losses
                if max(last, fact.at_ms - 120_000) < at < fact.at_ms
            ]
            if unloaded is None and len(missed) >= 2:
                unloaded = min(missed)
            if unloaded is not None and fact.at_ms > unloaded:
                found.append((unloaded, fact.at_ms))
            unloaded = None
    return found


def rejoins(
    generations: Sequence[Generation], incarnations: Sequence[Incarnation], late_topics: bool
) -> list[tuple[int, str]]:
    """When which incarnation started a rebalance without a visible cause: the application may have enforced it.

    `late_topics`: the client library joins before it knows its topics (kafka-python), and rejoins by itself.
    """
    by_id = {member: incarnation for incarnation in incarnations for member in incarnation.member_ids}
    found = []
    for i, generation in enumerate(generations):
        incarnation = by_id.get(generation.member or "")
        if incarnation is None or generation.started_ms is None or generation.cause not in _REJOINED:
            continue
        at = generation.started_ms
        cooperative = any("cooperative" in (g.protocol or "") for g in generations[max(0, i - 1) : i + 1])
        explained = [*incarnation.metadata_changes, *(when for when, _ in incarnation.subscriptions)]
        begins = min([*incarnation.joins_answered[:1], at]) if incarnation.joins_answered else at
        if cooperative or generation.client_cause is not None:
            continue
        if late_topics and at - begins <= _NEAR_MS:
            continue
        if any(abs(when - at) <= _NEAR_MS for when in explained):
            continue
        found.append((at, incarnation.name))
    return found
