"""What a run's log can say at all: which groups and partitions it has, and who reports. Read once before the fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from groupsim.analysis.process_state import CONNECTIONS, FOLDS
from groupsim.events import classic, client, consumer, network, world
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupDeleted, GroupEmptied
from groupsim.events.tasks_as_partitions import STREAMS, as_partitions
from groupsim.events.types import MemberId, ProcessId, TopicPartition

COORDINATOR: frozenset[type[Event]] = frozenset(
    {
        GroupCreated,
        classic.MemberIdIssued,
        classic.MemberAdded,
        classic.MemberUpdated,
        classic.MemberReplaced,
        classic.MemberRemoved,
        classic.LeaderElected,
        classic.RebalanceStarted,
        classic.JoinPhaseCompleted,
        classic.AssignmentStored,
        GroupEmptied,
        CoordinatorUnloaded,
        CoordinatorLoaded,
    }
)
CONSUMER: frozenset[type[Event]] = frozenset(
    {
        consumer.ConsumerGroupCreated,
        consumer.GroupUpgraded,
        consumer.GroupDowngraded,
        consumer.EmptyGroupDropped,
        consumer.ConsumerMemberUpdated,
        consumer.ConsumerMemberRemoved,
        consumer.StaticMemberReplaced,
        consumer.StaticMemberAway,
        consumer.ExpressionResolved,
        consumer.ExpressionDropped,
        consumer.GroupEpochBumped,
        consumer.TargetComputed,
        consumer.MemberReconciled,
        GroupDeleted,
    }
)
"""What the coordinator of a consumer group says."""
CLIENT: frozenset[type[Event]] = frozenset(FOLDS)
_NETWORK: frozenset[type[Event]] = frozenset({network.LinkCut, network.LinkHealed})
WORLD: frozenset[type[Event]] = frozenset({world.TopicCreated, world.PartitionsAdded, world.GroupDeclared})
RELEVANT = COORDINATOR | CONSUMER | CLIENT | _NETWORK | WORLD | STREAMS
"""Every other fact (heartbeats, messages, polls, commits) can't change availability and is passed by."""


@dataclass(slots=True)
class LogCoverage:
    """What the log says of one group.

    `recorded`: its facts were read from logs, so that silence proves nothing. `broker`, `clients`: who reports.
    `positions`, `callback_ends`: the processes that report these; of the others they are taken as given. `views`: those
    that report what they hold. `logged`: the process behind each member id that some client ever names as its own.
    `counted_from_ms` has the instant from which each partition counts.
    """

    group: str
    first_ms: int
    declared_ms: int | None = None
    recorded: bool = False
    broker: bool = False
    clients: set[ProcessId] = field(default_factory=set)
    positions: set[ProcessId] = field(default_factory=set)
    callback_ends: set[ProcessId] = field(default_factory=set)
    views: set[ProcessId] = field(default_factory=set)
    logged: dict[MemberId, ProcessId] = field(default_factory=dict)
    seen: set[TopicPartition] = field(default_factory=set)
    topics: dict[str, int] = field(default_factory=dict)
    counted_from_ms: dict[TopicPartition, int] = field(default_factory=dict)


@dataclass(slots=True)
class LogScan:
    """The facts that matter, in order; the groups, sorted by name; and the instant at which the run ends."""

    log: list[Recorded]
    groups: dict[str, LogCoverage]
    end_ms: int


def scan_log(facts: Iterable[Recorded], until_ms: int | None = None) -> LogScan:
    """Read a run's facts once; those later than `until_ms` are not looked at."""
    log: list[Recorded] = []
    groups: dict[str, LogCoverage] = {}
    growth: list[tuple[int, str, int]] = []
    end_ms = 0
    for fact in as_partitions(facts):
        if until_ms is not None and fact.at_ms > until_ms:
            end_ms = until_ms  # the run goes on: what held then holds up to this instant
            break
        end_ms = max(end_ms, fact.at_ms)
        if type(fact.event) not in RELEVANT:
            continue
        log.append(fact)
        event = fact.event
        if type(event) in CONNECTIONS:  # the brokers that a process reaches say nothing of what it logs
            continue
        if (group := group_of(fact.stream)) is not None:
            coverage = groups.get(group) or groups.setdefault(group, LogCoverage(group, fact.at_ms))
            _note(coverage, fact)
        elif isinstance(event, world.TopicCreated | world.PartitionsAdded):
            growth.append((fact.at_ms, event.topic, event.partitions))
        elif isinstance(event, world.GroupDeclared):
            _declare(groups.setdefault(event.group, LogCoverage(event.group, fact.at_ms)), event, fact.at_ms)
    for coverage in groups.values():
        _count_from(coverage, growth)
    return LogScan(log, dict(sorted(groups.items())), end_ms)


def scan_world(facts: Iterable[Recorded]) -> dict[str, LogCoverage]:
    """What is counted in a simulated run, by the facts of its world alone: they declare every group and topic."""
    return scan_log(fact for fact in facts if type(fact.event) in WORLD).groups


def _declare(coverage: LogCoverage, event: world.GroupDeclared, at_ms: int) -> None:
    if coverage.declared_ms is None:
        coverage.declared_ms = at_ms
    for topic in event.topics:
        coverage.topics.setdefault(topic, at_ms)


def _note(coverage: LogCoverage, fact: Recorded) -> None:
    event = fact.event
    if fact.source is not None:
        coverage.recorded = True
    if isinstance(event, client.ClientEvent):
        coverage.clients.add(event.process)
    else:
        coverage.broker = True
    if (note := _NOTES.get(type(event))) is not None:
        note(coverage, event)


def _positions(coverage: LogCoverage, event: client.PositionReady) -> None:
    coverage.positions.add(event.process)
    coverage.seen.update(TopicPartition(t, p) for t, p, _ in event.offsets)


def _view(coverage: LogCoverage, event: client.ViewChanged) -> None:
    coverage.views.add(event.process)
    coverage.seen.update(event.partitions)


def _sync(coverage: LogCoverage, event: client.SyncOk) -> None:
    coverage.logged[event.member] = event.process
    coverage.seen.update(event.assignment or ())


def _target(coverage: LogCoverage, event: client.TargetReceived) -> None:
    coverage.logged[event.member] = event.process
    coverage.seen.update(event.partitions)


_NOTES: dict[type[Event], Callable[[LogCoverage, Any], None]] = {
    client.PositionReady: _positions,
    client.ViewChanged: _view,
    client.SyncOk: _sync,
    client.CallbackStart: lambda coverage, event: coverage.seen.update(event.partitions),
    client.RevocationPending: lambda coverage, event: coverage.seen.update(event.partitions),
    client.CallbackEnd: lambda coverage, event: coverage.callback_ends.add(event.process),
    client.TargetReceived: _target,
    client.EpochReceived: lambda coverage, event: coverage.logged.update({event.member: event.process}),
    client.JoinOk: lambda coverage, event: coverage.logged.update({event.member: event.process}),
    classic.AssignmentStored: lambda coverage, event: coverage.seen.update(*(event.assignment or {}).values()),
}


def _count_from(coverage: LogCoverage, growth: list[tuple[int, str, int]]) -> None:
    """Decide from when each partition counts: its topic is declared and it exists.

    A group that was never declared (a recorded run may not know what it was meant for) counts the topics it was seen
    with, or else all, from its first fact. A topic of unknown size counts the partitions seen.
    """
    if coverage.declared_ms is None:
        known = {tp.topic for tp in coverage.seen} or {topic for _, topic, _ in growth}
        coverage.topics = dict.fromkeys(sorted(known), coverage.first_ms)
    for at_ms, topic, count in growth:
        for number in range(count) if topic in coverage.topics else ():
            coverage.counted_from_ms.setdefault(TopicPartition(topic, number), max(at_ms, coverage.topics[topic]))
    sized = {topic for _, topic, _ in growth}
    for tp in coverage.seen:
        if tp.topic in coverage.topics and tp.topic not in sized:
            coverage.counted_from_ms.setdefault(tp, coverage.topics[tp.topic])
