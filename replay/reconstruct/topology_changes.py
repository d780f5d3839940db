"""What happened around a group: topics that grew, coordinators that failed over, rejoins without a visible cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groupsim.events import world as w
from groupsim.events.base import Recorded, group_stream
from groupsim.events.consumer import BumpCause, GroupEpochBumped
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded
from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.inferred_settings.evidence import METADATA_AGE
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.replay.reconstruct.unseen import Unseen
from groupsim.wording.numbers import seconds

_NEAR_MS = 2_000
_REJOINED = ("member-rejoined", "leader-rejoined")
_UNNAMED_TOPIC = "topic"
_COORDINATOR = "the coordinator"


@dataclass(frozen=True, slots=True)
class Growth:
    """A topic grew to `partitions` partitions, at some time in `happened`; a member noticed at the end of that.

    `created`: it was not there before. `by_coordinator`: it was not a member that noticed, but the coordinator of a
    consumer group.
    """

    happened: Unseen
    topic: str
    partitions: int
    created: bool = False
    by_coordinator: bool = False


@dataclass(frozen=True, slots=True)
class Failover:
    """The coordinator was unavailable from `since_ms` to `until_ms`; `alone`: no other broker could be reached."""

    since_ms: int
    until_ms: int
    alone: bool


def topics(
    facts: Sequence[Recorded], group: str, given: Mapping[str, int], generations: Sequence[Generation]
) -> tuple[dict[str, int], list[str]]:
    """Partition counts at the start, and notes."""
    later = _created_later(facts)
    counts = {
        f.event.topic: f.event.partitions
        for f in facts
        if isinstance(f.event, w.TopicCreated) and f.event.topic not in later
    }
    declared = [f.event.topics for f in facts if isinstance(f.event, w.GroupDeclared) and f.event.group == group]
    grown = {f.event.topic for f in facts if isinstance(f.event, w.PartitionsAdded)}
    names = sorted({topic for subscribed in declared for topic in subscribed} & set(counts))
    names = names or sorted(set(given) - later)
    counts = {topic: max(0 if topic in grown else given.get(topic, 0), counts.get(topic, 0)) for topic in names}
    if counts:
        return counts, []
    largest = max([1, *(generation.size for generation in generations)])
    note = (
        f"no log names a partition: {largest} are assumed, one for each member of the largest generation; --topic"
        " NAME=PARTITIONS gives their number"
    )
    return {_UNNAMED_TOPIC: largest}, [note]


def _created_later(facts: Sequence[Recorded]) -> set[str]:
    """Topics that were not there when the record begins."""
    return {f.event.topic for f in facts if isinstance(f.event, w.TopicCreated) and f.at_ms > 0}


def growths(
    facts: Sequence[Recorded],
    group: str,
    counts: Mapping[str, int],
    incarnations: Sequence[Incarnation],
    generations: Sequence[Generation],
    age_ms: int | None,
) -> tuple[list[Growth], list[str]]:
    """How topics of a group grew or were created, and notes. `age_ms`: metadata.max.age.ms, where the user knows it.

    A growth is dated after the last rebalance whose assignment did not have the new partitions: members of a replay
    know them at once when they rebalance.
    """
    read = {t for f in facts if isinstance(f.event, w.GroupDeclared) and f.event.group == group for t in f.event.topics}
    later = _created_later(facts) & read
    bumps = [(fact.at_ms, fact.event.cause) for fact in facts if isinstance(fact.event, GroupEpochBumped)]
    found: list[Growth] = []
    notes: list[str] = []
    for fact in facts:
        if not isinstance(fact.event, w.PartitionsAdded | w.TopicCreated) or fact.event.topic not in (*counts, *later):
            continue
        topic, after = fact.event.topic, fact.event.partitions
        created = isinstance(fact.event, w.TopicCreated)
        if created and topic not in later:
            continue
        noticed = _noticed(bumps, incarnations, topic if created else None)
        at, name = next(((when, who) for when, who in noticed if when > fact.at_ms), (fact.at_ms + 1, "a member"))
        joins = sorted(g.joined_ms for g in generations if g.joined_ms < at)
        if created and name == _COORDINATOR:  # after the first, it looks at most every ten seconds, whatever happens
            joins = joins[:1]
        joined = max(joins, default=-1)
        since = max(fact.at_ms, joined + 1, 0 if age_ms is None or name == _COORDINATOR else at - age_ms)
        found.append(Growth(Unseen(min(since, at - 1), at), topic, after, created, name == _COORDINATOR))
        notes.append(
            f"{topic} {'was created with' if created else 'grew to'} {after} partitions at an unknown time from"
            f" {seconds(found[-1].happened.since_ms)} to {seconds(at)} s of the record, when {name} noticed;"
            f" each seed draws a time{'' if name == _COORDINATOR else f', and --assume {METADATA_AGE}=N narrows it'}"
        )
    _follow(incarnations, counts, {growth.topic for growth in found if growth.created})
    return found, notes


def _noticed(
    bumps: Sequence[tuple[int, BumpCause]], incarnations: Sequence[Incarnation], created: str | None
) -> list[tuple[int, str]]:
    """When members, or the coordinator of a consumer group, noticed that topics had grown, or that one was created.

    `bumps`: of the group's epoch, when and why.
    """
    if created is None:
        noticed = [(at, incarnation.name) for incarnation in incarnations for at in incarnation.metadata_changes]
    else:
        noticed = [
            (at, incarnation.name)
            for incarnation in incarnations
            for at, topics in incarnation.subscriptions
            if created in topics
        ]
    noticed += [(at, _COORDINATOR) for at, why in bumps if created is None or why is BumpCause.EXPRESSION_RESOLVED]
    return sorted(noticed)


def _follow(incarnations: Sequence[Incarnation], counts: Mapping[str, int], later: set[str]) -> None:
    """Members that read all of the group's topics have an expression that matches those created later, too.

    No log shows what else an expression matches, so those names are all that a replay needs of it.
    """
    for incarnation in incarnations if later else ():
        if not incarnation.topics or set(counts) <= set(incarnation.topics):
            incarnation.matched = tuple(sorted({*counts, *later}))
            incarnation.subscriptions = [each for each in incarnation.subscriptions if not later.intersection(each[1])]


def failovers(facts: Sequence[Recorded], group: str, incarnations: Sequence[Incarnation]) -> list[Failover]:
    """When the coordinator was unavailable; a crash leaves no line, but the clients notice it."""
    found: list[Failover] = []
    unloaded: int | None = None
    for fact in facts:
        if fact.stream != group_stream(group):
            continue
        if isinstance(fact.event, CoordinatorUnloaded):
            unloaded = fact.at_ms
        elif isinstance(fact.event, CoordinatorLoaded):
            last = found[-1].until_ms if found else 0
            missed = [
                at
                for incarnation in incarnations
                for at in incarnation.coordinator_losses
                if max(last, fact.at_ms - 120_000) < at < fact.at_ms
            ]
            if unloaded is None and len(missed) >= 2:
                unloaded = min(missed)
            if unloaded is not None and fact.at_ms > unloaded:
                lost = [at for incarnation in incarnations for at in incarnation.brokers_lost]
                alone = any(unloaded - _NEAR_MS <= at <= fact.at_ms for at in lost)
                found.append(Failover(unloaded, fact.at_ms, alone))
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
