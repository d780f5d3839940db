"""When topics grew or were created: no log shows it, only when a member noticed, by its metadata of some age.

The coordinator of a consumer group (KIP-848) looks after its topics itself, whenever a member sends a heartbeat.

A regular expression matches topics that are created while the group runs. A consumer that looks for them itself joins
again because its subscription has changed; for an expression of the consumer protocol the broker looks for topics, at
most every ten seconds, and raises the epoch. In `__consumer_offsets` an assignment names more partitions than before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from groupsim.coordinator.consumer.expressions import MIN_REFRESH_INTERVAL_MS
from groupsim.events import classic
from groupsim.events.base import WORLD_STREAM, Event, group_of
from groupsim.events.client import RejoinRequested, ViewChanged
from groupsim.events.consumer import BumpCause, GroupEpochBumped
from groupsim.events.types import GroupId, Partitions, RejoinCause, TopicPartition
from groupsim.events.world import GroupDeclared, PartitionsAdded, TopicCreated
from groupsim.incidents.default_settings import CONSUMER_HEARTBEAT_MS, METADATA_AGE_MS
from groupsim.incidents.facts.builder import FactBuilder, PendingFact
from groupsim.incidents.facts.causes import metadata_versions, subscription_before
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index, LeaderPlan
from groupsim.incidents.facts.settings import HEARTBEAT_INTERVAL, consumer_settings
from groupsim.incidents.facts.typed_fields import int_in, partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Said
from groupsim.incidents.tolerances import REACTS_MS, REBALANCE_MS
from groupsim.storage.log_gaps import Doubt

METADATA_AGE = "metadata.max.age.ms"
_ALLOWED = 2
"""So many intervals: until a heartbeat comes, and before that the broker creates the partitions (900 took it 8 s)."""
COORDINATOR, THE_GROUP = "the coordinator", "the group"
_BY_MEMBERS = (RejoinCause.METADATA_CHANGED, RejoinCause.SUBSCRIPTION_CHANGED)
BY_TOPICS = (BumpCause.TOPICS_CHANGED, BumpCause.EXPRESSION_RESOLVED, BumpCause.UNKNOWN)
"""Why an epoch grew, if it was by topics; brokers before 4.1 do not print what tells."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A topic grew from `before` to `after` partitions: not before `since`, and noticed at `at` (UTC ms since 1970).

    `created`: it was created, and an expression matched it.
    """

    group: str
    topic: str
    before: int
    after: int
    since: int
    at: int
    noticed_by: str
    created: bool = False

    def doubt(self) -> Doubt:
        """The time in which the new partitions may have existed already."""
        why = (
            f"{self.topic} had {self.after} instead of {self.before} partitions when {self.noticed_by} refreshed its"
            f" metadata, at {iso(self.at)}; when it {'was created' if self.created else 'grew'} is in no log"
        )
        added = tuple((self.topic, number) for number in range(self.before, self.after))
        return Doubt(self.group, self.since, self.at, added, why)


def add_growths(
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    most: Mapping[str, int],
    index: Index,
    builder: FactBuilder,
    shown: Iterable[Growth] = (),
) -> list[Growth]:
    """Add the facts of every growth that a member noticed, as early as it may have happened, and a note on it.

    `most`: how many partitions of each topic the logs name. `shown`: growths that are known otherwise; those that a
    client noticed are known better.
    """
    growths = _found(rows, clients, most, builder.facts())
    for growth in shown:
        if not any(g.topic == growth.topic and g.after >= growth.after for g in growths):
            growths.append(growth)
    later = {growth.topic for growth in growths if growth.created}
    for growth in growths:
        position, timed = next((p, t) for p, t in enumerate(rows) if t.at >= growth.at)
        events: list[Event] = [PartitionsAdded(topic=growth.topic, partitions=growth.after)]
        how = f"grew from {growth.before} to {growth.after} partitions"
        if growth.created:
            events = created(growth.topic, growth.after, later, index)
            later.discard(growth.topic)
            how = f"was created with {growth.after} partitions"
        for event in events:
            builder.add(position, TimedRow(growth.since, timed.row), WORLD_STREAM, event)
        when = f"at {iso(growth.at)}"
        if growth.since < growth.at:
            when = f"at an unknown time from {iso(growth.since)} on, until {growth.noticed_by} noticed {when}"
        builder.note(f"{growth.topic} {how} {when}")
    return growths


def _found(
    rows: Sequence[TimedRow], clients: Sequence[ClientFacts], most: Mapping[str, int], facts: Sequence[PendingFact]
) -> list[Growth]:
    """Every growth, group by group."""
    growths: list[Growth] = []
    for group, noticed in _noticed(facts).items():
        known = _Named(facts, group)
        allowed = _ALLOWED * _heartbeat_ms(group, clients)
        for number, fact in enumerate(noticed):
            until = noticed[number + 1].at if number + 1 < len(noticed) else None
            since = max(
                _earliest(fact, clients, rows, allowed), growths[-1].at if growths and growths[-1].group == group else 0
            )
            who = fact.event.process if isinstance(fact.event, RejoinRequested) else COORDINATOR
            for topic in most:
                before, after = known.until(fact.at, topic), most[topic] if until is None else known.until(until, topic)
                is_new = not before and known.any_until(fact.at) and found_by(fact, clients, topic)
                if is_new:
                    after = known.after(fact.at, topic) or most[topic]
                if (is_new or before) and before < after:
                    growth = Growth(group, topic, before, after, since, fact.at, who, created=is_new)
                    if not any(g.topic == topic and g.after >= after for g in growths):
                        growths.append(growth)
    return growths


def _noticed(facts: Sequence[PendingFact]) -> dict[str, list[PendingFact]]:
    """By group, when a member noticed that its cached metadata had changed."""
    found: dict[str, list[PendingFact]] = defaultdict(list)
    for fact in facts:
        group, event = group_of(fact.stream), fact.event
        if group is not None and (
            (isinstance(event, RejoinRequested) and event.cause in _BY_MEMBERS)
            or (isinstance(event, GroupEpochBumped) and event.cause in BY_TOPICS)
        ):
            found[group].append(fact)
    return found


class _Named:
    """How many partitions of each topic a group's facts name until an instant."""

    def __init__(self, facts: Sequence[PendingFact], group: str) -> None:
        self._times: dict[str, list[int]] = defaultdict(list)
        self._most: dict[str, list[int]] = defaultdict(list)
        self._every: dict[str, list[int]] = defaultdict(list)
        for fact in facts:
            if group_of(fact.stream) == group:
                for topic, partition in _partitions(fact):
                    self._name(fact.at, topic, partition + 1)

    def _name(self, at: int, topic: str, count: int) -> None:
        """Facts come in order: kept is when more of a topic are named than before."""
        most = self._most[topic]
        if not most or count > most[-1]:
            self._times[topic].append(at)
            most.append(count)
        self._every[topic].append(at)

    def until(self, at: int, topic: str) -> int:
        place = bisect_left(self._times.get(topic, ()), at)
        return self._most[topic][place - 1] if place else 0

    def any_until(self, at: int) -> bool:
        """Whether any partition was named until then."""
        return any(times[0] < at for times in self._times.values())

    def after(self, at: int, topic: str) -> int:
        """How many partitions of a topic are named when it is first named from then on; 0: it never is."""
        times = self._every.get(topic, ())
        place = bisect_left(times, at)
        return self.until(times[place] + REBALANCE_MS, topic) if place < len(times) else 0


def _partitions(fact: PendingFact) -> Iterator[TopicPartition]:
    if isinstance(fact.event, ViewChanged):
        yield from fact.event.partitions
    elif isinstance(fact.event, classic.AssignmentStored):
        for given in (fact.event.assignment or {}).values():
            yield from given


def _heartbeat_ms(group: str, clients: Sequence[ClientFacts]) -> int:
    """The longest heartbeat interval of a consumer group's members, or the default."""
    own = [consumer_settings(settings.process) for settings in clients if settings.process.group == group]
    intervals = [value for settings in own if isinstance(value := settings.get(HEARTBEAT_INTERVAL), int)]
    return max(intervals, default=CONSUMER_HEARTBEAT_MS)


def _earliest(noticed: PendingFact, clients: Sequence[ClientFacts], rows: Sequence[TimedRow], allowed: int) -> int:
    """When the metadata was refreshed before, at the earliest: metadata.max.age.ms before, and since the process runs.

    A Java consumer counts its refreshes, so that their mean distance since its start is known, too. `allowed`: so long
    before may a coordinator have looked.
    """
    first, group = rows[0].at + 1, group_of(noticed.stream)
    if not isinstance(noticed.event, RejoinRequested):
        if isinstance(noticed.event, GroupEpochBumped) and noticed.event.cause is BumpCause.EXPRESSION_RESOLVED:
            return max(first, not_before(noticed, group, rows, allowed))
        return max(first, noticed.at - allowed)
    process = next(client.process for client in clients if client.process.name == noticed.event.process)
    configured = next(
        (t.row.detail.get("settings") for _, t in process.rows if t.row.kind == RowKind.CLIENT_CONFIGURED), None
    )
    printed = int_in(configured.get(METADATA_AGE)) if isinstance(configured, dict) else None
    age = printed or METADATA_AGE_MS
    versions = metadata_versions(noticed.event.reason)
    if versions is not None and printed is None:
        age = min(age, (noticed.at - process.first) // max(1, versions[1] - versions[0]))
    return max(first, process.first, noticed.at - age)


RESOLVED = RowKind.EXPRESSIONS_RESOLVED


def found_by(fact: PendingFact, clients: Sequence[ClientFacts], topic: str) -> bool:
    """Whether this fact says that an expression has matched a topic that was not there before."""
    event = fact.event
    if isinstance(event, GroupEpochBumped):
        return event.cause is BumpCause.EXPRESSION_RESOLVED
    if not isinstance(event, RejoinRequested) or event.cause is not RejoinCause.SUBSCRIPTION_CHANGED:
        return False
    before = subscription_before(event.reason)
    new = before is not None and topic in (event.topics or ()) and topic not in before
    return new and has_pattern(clients, event.process)


def has_pattern(clients: Sequence[ClientFacts], process: str) -> bool:
    """Whether a process subscribed by an expression: its line names no topics."""
    (own,) = (each.process for each in clients if each.process.name == process)
    said = [timed.row.detail for _, timed in own.rows if timed.row.kind == RowKind.CLIENT_SUBSCRIBED]
    return bool(said) and not any("topics" in detail for detail in said)


def not_before(fact: PendingFact, group: str | None, rows: Sequence[TimedRow], interval_ms: int) -> int:
    """When a topic that the broker noticed can have been created at the earliest (UTC ms since 1970).

    It looked for topics before, without finding it, and looks again ten seconds later, with the next heartbeat.
    """
    looked = [t.at for t in rows if t.row.kind == RESOLVED and t.row.group == group and t.at < fact.at - REACTS_MS]
    return max([fact.at - MIN_REFRESH_INTERVAL_MS - interval_ms, *looked[-1:]])


def created(topic: str, partitions: int, later: Collection[str], index: Index) -> list[Event]:
    """The facts of a topic's creation. `later`: the topics that come later than the first ones, and are not there yet.

    Every group that the logs show with the topic reads it from now on.
    """
    facts: list[Event] = [TopicCreated(topic=topic, partitions=partitions)]
    for group in sorted(index.topics):
        named = index.topics[group]
        if topic in named:
            protocol = "consumer" if group in index.consumer_groups else "classic"
            topics = tuple(
                sorted(known for known, count in named.items() if count and (known == topic or known not in later))
            )
            facts.append(GroupDeclared(group=group, protocol=protocol, topics=topics))
    return facts


def topic_growths(histories: Mapping[GroupId, GroupHistory], since_ms: int) -> Iterator[Growth]:
    """Each growth that an assignment shows: since the one before it, at most the age of metadata by default."""
    for group, history in histories.items():
        known: dict[str, int] | None = None
        before_ms = since_ms
        for said in sorted(history.ledger.said, key=lambda each: each.at_ms):
            if (named := _named(said)) is None:
                continue
            for topic, count in sorted(named.items()):
                before = 0 if known is None else known.get(topic, 0)
                if known is not None and count > before and said.at_ms > since_ms:
                    since = max(before_ms, said.at_ms - METADATA_AGE_MS)
                    yield Growth(group, topic, before, count, since, said.at_ms, THE_GROUP)
            known = {**named, **(known or {}), **{t: max(n, (known or {}).get(t, 0)) for t, n in named.items()}}
            before_ms = max(since_ms, said.at_ms)


def planned_growths(facts: Sequence[PendingFact], index: Index, recorded: Collection[GroupId]) -> Iterator[Growth]:
    """Each growth that a leader's assignment shows: it names more partitions of a topic than anybody had before.

    A leader joins again when it notices (Kafka: ConsumerCoordinator.rejoinNeededOrPending), and assigns what is new.
    Not of groups in `recorded`: see `topic_growths`.
    """
    for group in sorted(index.client_groups - set(recorded)):
        more = list(_more([plan for _, plan in index.plans(group)]))
        known = _Named(facts, group) if more else None
        for last, plan, topic, count in more:
            if known is not None and (before := known.until(plan.at, topic)) < count:
                since = max(last.at, plan.at - METADATA_AGE_MS)
                yield Growth(group, topic, before, count, since, plan.at, THE_GROUP)


def _more(plans: Sequence[LeaderPlan]) -> Iterator[tuple[LeaderPlan, LeaderPlan, str, int]]:
    """Two assignments, one after the other, and how many partitions of a topic the later one is the first to name."""
    most: dict[str, int] = {}
    for last, plan in pairwise(plans):
        for topic, count in _counts(last.plan.values()).items():
            most[topic] = max(count, most.get(topic, 0))
        for topic, count in sorted(_counts(plan.plan.values()).items()):
            if 0 < most.get(topic, 0) < count:
                yield last, plan, topic, count


def _counts(given: Iterable[Partitions]) -> dict[str, int]:
    """By topic, the highest partition, plus one."""
    found: dict[str, int] = {}
    for topic, partition in chain.from_iterable(given):
        found[topic] = max(found.get(topic, 0), partition + 1)
    return found


def _named(said: Said) -> dict[str, int] | None:
    """How many partitions of each topic an assignment names; None if it is none, or of nobody."""
    plan = said.detail.get("assignment" if said.kind == RowKind.STORED_ASSIGNMENT else "targets")
    if (
        said.kind not in (RowKind.STORED_ASSIGNMENT, RowKind.TARGET_ASSIGNMENT)
        or not isinstance(plan, Mapping)
        or not plan
    ):
        return None
    return _counts(partitions_in(names) for names in plan.values()) or None
