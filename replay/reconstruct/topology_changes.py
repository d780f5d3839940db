"""What happened around a recorded group: topics that grew, coordinators that were away, rejoins out of the blue."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import world as w
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded
from groupsim.events.types import TopicPartition
from groupsim.replay.reconstruct.member_history import Incarnation
from groupsim.replay.reconstruct.rebalances import Generation

_NATURAL = re.compile(
    r"need to revoke|re-join|already rebalancing|encountered|failed|metadata has changed|subscription"
)
_NEAR_MS = 2_000
_REJOINED = ("member-rejoined", "leader-rejoined")
_NAMELESS = "topic"


@dataclass(frozen=True, slots=True)
class Growth:
    """A topic grew to so many partitions; `life` was the one to notice."""

    at_ms: int
    topic: str
    partitions: int
    life: str


def topics(
    facts: Sequence[Recorded], group: str, lives: Sequence[Incarnation], given: Mapping[str, int], most: int
) -> tuple[dict[str, int], list[Growth], list[str]]:
    """Partition counts at the begin, and how they grew."""
    counts = {f.event.topic: f.event.partitions for f in facts if isinstance(f.event, w.TopicCreated)}
    declared = [f.event.topics for f in facts if isinstance(f.event, w.GroupDeclared) and f.event.group == group]
    names = sorted({topic for topics in declared for topic in topics} & set(counts)) or sorted(given)
    counts = {topic: max(given.get(topic, 0), counts.get(topic, 0)) for topic in names}
    notes: list[str] = []
    if not counts:
        counts = {_NAMELESS: most}
        notes.append(
            f"no log names a partition: {most} of them are assumed, one for each member of the largest generation; give"
            " --topic NAME=PARTITIONS"
        )
    noticed = sorted((at, life.name) for life in lives for at in life.grows)
    growths: list[Growth] = []
    if noticed:
        at, name = noticed[0]
        before = _seen_before(facts, group, at)
        for topic, count in counts.items():
            if 0 < before.get(topic, 0) < count:
                growths.append(Growth(at, topic, count, name))
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


def failovers(facts: Sequence[Recorded], group: str, lives: Sequence[Incarnation]) -> list[tuple[int, int]]:
    """When the coordinator was away; a crash says nothing, but its clients notice."""
    found: list[tuple[int, int]] = []
    gone: int | None = None
    for fact in facts:
        if fact.stream != group_stream(group):
            continue
        if isinstance(fact.event, CoordinatorUnloaded):
            gone = fact.at_ms
        elif isinstance(fact.event, CoordinatorLoaded):
            last = found[-1][1] if found else 0
            missed = [at for life in lives for at in life.lost if max(last, fact.at_ms - 120_000) < at < fact.at_ms]
            if gone is None and len(missed) >= 2:
                gone = min(missed)
            if gone is not None and fact.at_ms > gone:
                found.append((gone, fact.at_ms))
            gone = None
    return found


def rejoins(passed: Sequence[Generation], lives: Sequence[Incarnation], late_topics: bool) -> list[tuple[int, str]]:
    """Rebalances that a member began although nothing had happened: enforced, for all the record tells.

    `late_topics`: the client library joins before it knows its topics (kafka-python), and rejoins by itself.
    """
    by_id = {member: life for life in lives for member in life.ids}
    found = []
    for i, generation in enumerate(passed):
        life = by_id.get(generation.member or "")
        if life is None or generation.started_ms is None or generation.cause not in _REJOINED:
            continue
        at = generation.started_ms
        cooperative = any("cooperative" in (g.protocol or "") for g in passed[max(0, i - 1) : i + 1])
        explained = [*life.grows, *(when for when, _ in life.subscribes)]
        begins = min([*life.joins[:1], at]) if life.joins else at
        if cooperative or _NATURAL.search(generation.reason.partition("client reason:")[2]):
            continue
        if late_topics and at - begins <= _NEAR_MS:
            continue
        if any(abs(when - at) <= _NEAR_MS for when in explained):
            continue
        found.append((at, life.name))
    return found
