"""What a run's log can tell at all: which groups, partitions and speakers it has. Read once before the fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from groupsim.analysis.process_state import FOLDS
from groupsim.events import classic, client, network, world
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupEmptied
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
CLIENT: frozenset[type[Event]] = frozenset(FOLDS)
_NETWORK: frozenset[type[Event]] = frozenset({network.LinkCut, network.LinkHealed})
_WORLD: frozenset[type[Event]] = frozenset({world.TopicCreated, world.PartitionsAdded, world.GroupDeclared})
RELEVANT = COORDINATOR | CLIENT | _NETWORK | _WORLD
"""Every other fact (heartbeats, messages, polls, commits) can't change availability and is passed by."""


@dataclass(slots=True)
class LogCoverage:
    """What the log tells of one group.

    `recorded`: its facts were read from logs, so that silence proves nothing. `broker`, `clients`: who speaks.
    `positions`, `callback_ends`: the processes that tell these; of the others they are taken as given. `views`: those
    that tell what they hold. `logged`: the process behind each member id that some client ever names as its own.
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
class Survey:
    """The facts that matter, in order; the groups, sorted by name; and the instant at which the run ends."""

    log: list[Recorded]
    groups: dict[str, LogCoverage]
    end_ms: int


def scan_log(facts: Iterable[Recorded], until_ms: int | None = None) -> Survey:
    """Read a run's facts once; those later than `until_ms` are not looked at."""
    log: list[Recorded] = []
    groups: dict[str, LogCoverage] = {}
    growth: list[tuple[int, str, int]] = []
    end_ms = 0
    for fact in facts:
        if until_ms is not None and fact.at_ms > until_ms:
            end_ms = until_ms  # the run goes on: what held then holds up to this instant
            break
        end_ms = max(end_ms, fact.at_ms)
        if type(fact.event) not in RELEVANT:
            continue
        log.append(fact)
        event = fact.event
        if (group := group_of(fact.stream)) is not None:
            witness = groups.get(group) or groups.setdefault(group, LogCoverage(group, fact.at_ms))
            _hear(witness, fact)
        elif isinstance(event, world.TopicCreated | world.PartitionsAdded):
            growth.append((fact.at_ms, event.topic, event.partitions))
        elif isinstance(event, world.GroupDeclared):
            _declare(groups.setdefault(event.group, LogCoverage(event.group, fact.at_ms)), event, fact.at_ms)
    for witness in groups.values():
        _bear(witness, growth)
    return Survey(log, dict(sorted(groups.items())), end_ms)


def _declare(witness: LogCoverage, event: world.GroupDeclared, at_ms: int) -> None:
    if witness.declared_ms is None:
        witness.declared_ms = at_ms
    for topic in event.topics:
        witness.topics.setdefault(topic, at_ms)


def _hear(witness: LogCoverage, fact: Recorded) -> None:
    event = fact.event
    if fact.source is not None:
        witness.recorded = True
    if isinstance(event, client.ClientEvent):
        witness.clients.add(event.process)
    else:
        witness.broker = True
    if (note := _NOTES.get(type(event))) is not None:
        note(witness, event)


def _positions(witness: LogCoverage, event: client.PositionReady) -> None:
    witness.positions.add(event.process)
    witness.seen.update(TopicPartition(t, p) for t, p, _ in event.offsets)


def _view(witness: LogCoverage, event: client.ViewChanged) -> None:
    witness.views.add(event.process)
    witness.seen.update(event.partitions)


def _sync(witness: LogCoverage, event: client.SyncOk) -> None:
    witness.logged[event.member] = event.process
    witness.seen.update(event.assignment or ())


_NOTES: dict[type[Event], Callable[[LogCoverage, Any], None]] = {
    client.PositionReady: _positions,
    client.ViewChanged: _view,
    client.SyncOk: _sync,
    client.CallbackStart: lambda witness, event: witness.seen.update(event.partitions),
    client.RevocationPending: lambda witness, event: witness.seen.update(event.partitions),
    client.CallbackEnd: lambda witness, event: witness.callback_ends.add(event.process),
    client.JoinOk: lambda witness, event: witness.logged.update({event.member: event.process}),
    classic.AssignmentStored: lambda witness, event: witness.seen.update(*(event.assignment or {}).values()),
}


def _bear(witness: LogCoverage, growth: list[tuple[int, str, int]]) -> None:
    """Decide from when each partition counts: its topic is declared and it exists.

    A group that was never declared (a recorded run may not know what it was meant for) counts the topics it was seen
    with, or else all, from its first fact. A topic whose size is not told counts the partitions seen.
    """
    if witness.declared_ms is None:
        known = {tp.topic for tp in witness.seen} or {topic for _, topic, _ in growth}
        witness.topics = dict.fromkeys(sorted(known), witness.first_ms)
    for at_ms, topic, count in growth:
        for number in range(count) if topic in witness.topics else ():
            witness.counted_from_ms.setdefault(TopicPartition(topic, number), max(at_ms, witness.topics[topic]))
    sized = {topic for _, topic, _ in growth}
    for tp in witness.seen:
        if tp.topic in witness.topics and tp.topic not in sized:
            witness.counted_from_ms.setdefault(tp, witness.topics[tp.topic])
