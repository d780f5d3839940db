"""Availability a second time: `docs/model/availability.md` word by word, without the project's folds.

Everything is kept in plain dictionaries, and after each millisecond every partition is looked at anew. Only whether a
partition is available is computed, not its label. Slow on purpose: nothing here is clever.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events import group as g
from groupsim.events import network as n
from groupsim.events import world as w
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.types import TopicPartition

DATA = "data"
Key = tuple[str, TopicPartition]
Spans = dict[Key, list[tuple[int, int, bool]]]
"""From, to, available: of each partition of each group, without gaps, as long as possible."""


@dataclass
class Process:
    """What a process says of itself. `gone`: it died or closed; `quit`: it has given its membership up itself."""

    group: str
    member: str = ""
    gone: bool = False
    frozen: bool = False
    callback: bool = False
    quit: bool = False
    view: set[TopicPartition] = field(default_factory=set)
    positions: set[TopicPartition] = field(default_factory=set)
    paused: set[TopicPartition] = field(default_factory=set)
    pending: set[TopicPartition] = field(default_factory=set)
    restoring: set[TopicPartition] = field(default_factory=set)


@dataclass
class Group:
    """What the coordinator says. `assignment`: the last stored one; `current`: the members of the generation."""

    topics: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    current: set[str] = field(default_factory=set)
    preparing: bool = False
    consumer: bool = False
    assignment: dict[str, set[TopicPartition]] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    stored: tuple[set[str], dict[str, set[TopicPartition]]] = field(default_factory=lambda: (set(), {}))
    """Members and assignment that a new coordinator finds."""


class Naive:
    """Reads facts in order; `spans` has the answer after `finish`."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {}
        self.processes: dict[str, Process] = {}
        self.sizes: dict[str, int] = {}
        self.cuts: set[frozenset[str]] = set()
        self.spans: Spans = {}

    def available(self, group: str, tp: TopicPartition) -> bool:
        """Some process of the group serves it and is entitled to it."""
        return any(
            process.group == group and self.serves(name, process, tp) and self.entitled(process, tp)
            for name, process in self.processes.items()
        )

    def serves(self, name: str, process: Process, tp: TopicPartition) -> bool:
        """It runs, has the partition and a position, and nothing holds it up."""
        return (
            not process.gone
            and not process.frozen
            and tp in process.view
            and tp in process.positions
            and tp not in process.paused
            and tp not in process.pending
            and not process.callback
            and tp not in process.restoring
            and frozenset((name, DATA)) not in self.cuts
        )

    def entitled(self, process: Process, tp: TopicPartition) -> bool:
        """The coordinator gives it the partition, and does not refuse its commits for good."""
        group, member = self.groups[process.group], process.member
        if process.quit or tp not in group.assignment.get(member, ()):
            return False
        if group.consumer:
            return member in group.members and member not in group.away
        return member in group.current or (group.preparing and member in group.members)

    def read(self, facts: Iterable[Recorded]) -> Spans:
        """All spans of a run."""
        now = 0
        for fact in facts:
            if fact.at_ms > now:
                self.look(now)
                now = fact.at_ms
            self.take(fact)
        self.close(now)
        return self.spans

    def look(self, at_ms: int) -> None:
        """Evaluate every partition of every group at the end of a millisecond."""
        for name, group in self.groups.items():
            for topic in group.topics:
                for number in range(self.sizes.get(topic, 0)):
                    tp = TopicPartition(topic, number)
                    spans, value = self.spans.setdefault((name, tp), []), self.available(name, tp)
                    if not spans or spans[-1][2] != value:
                        if spans:
                            spans[-1] = (spans[-1][0], at_ms, spans[-1][2])
                        spans.append((at_ms, -1, value))

    def close(self, at_ms: int) -> None:
        """The last fact of the run."""
        for key, spans in self.spans.items():
            self.spans[key] = [*spans[:-1], (spans[-1][0], at_ms, spans[-1][2])]

    def take(self, fact: Recorded) -> None:
        """One fact."""
        event, name = fact.event, group_of(fact.stream)
        match event:
            case w.TopicCreated() | w.PartitionsAdded():
                self.sizes[event.topic] = event.partitions
            case w.GroupDeclared():
                group = self.groups.setdefault(event.group, Group())
                group.topics |= set(event.topics)
            case n.LinkCut():
                self.cuts.add(frozenset((event.a, event.b)))
            case n.LinkHealed():
                self.cuts.discard(frozenset((event.a, event.b)))
        if isinstance(event, p.ClientEvent):
            process = self.processes.setdefault(event.process, Process(name or ""))
            self.of_process(process, event)
        elif name is not None:
            self.of_group(self.groups.setdefault(name, Group()), event)

    def of_process(self, process: Process, event: Event) -> None:
        """What a process says of itself."""
        match event:
            case p.Crashed() | p.Closed():
                process.gone = True
            case p.Frozen():
                process.frozen = True
            case p.Thawed():
                process.frozen = False
            case p.JoinSent():
                process.member = event.member or process.member
            case p.JoinOk():
                process.member, process.quit = event.member, False
            case p.EpochReceived() | p.TargetReceived():
                process.member, process.quit = event.member, False
            case p.GenerationReset() | p.PollExpired():
                process.quit = True
            case p.RevocationPending():
                process.pending |= set(event.partitions)
            case p.CallbackStart():
                process.callback = True
            case p.CallbackEnd():
                process.callback = False
            case p.ViewChanged():
                process.view = set(event.partitions)
                for kept in (process.positions, process.paused, process.pending, process.restoring):
                    kept &= process.view
                process.pending.clear()
            case p.PositionReady():
                process.positions |= {TopicPartition(topic, number) for topic, number, _ in event.offsets}
            case p.RestoreStart():
                process.restoring |= set(event.partitions)
            case p.RestoreEnd():
                process.restoring -= set(event.partitions)
            case p.Paused():
                process.paused |= set(event.partitions)
            case p.Resumed():
                process.paused -= set(event.partitions)

    def of_group(self, group: Group, event: Event) -> None:
        """What a coordinator of classic groups says; a consumer group's facts are below."""
        match event:
            case c.MemberAdded():
                group.members.add(event.member)
            case c.MemberReplaced():
                self.replace(group, event.old, event.member or "")
                if event.request is None:  # it was answered at once: with the current generation
                    group.current.add(event.member or "")
                    self.keep(group)
            case c.MemberRemoved():
                self.remove(group, event.member)
            case c.RebalanceStarted():
                group.preparing = True
            case c.JoinPhaseCompleted():
                group.preparing = False
                group.current = set(event.members or ()) - set(event.absent)
            case c.AssignmentStored():
                group.preparing, group.consumer = False, False
                group.assignment = {member: set(given) for member, given in (event.assignment or {}).items()}
                self.keep(group)
            case g.GroupEmptied():
                group.members, group.current, group.assignment, group.preparing = set(), set(), {}, False
                self.keep(group)
            case g.CoordinatorLoaded():
                if not group.consumer:
                    members, assignment = group.stored
                    group.members, group.current, group.preparing = set(members), set(members), False
                    group.assignment = {member: set(given) for member, given in assignment.items()}
            case _:
                self.of_consumer_group(group, event)

    def of_consumer_group(self, group: Group, event: Event) -> None:
        """What a coordinator of consumer groups (KIP-848) says."""
        match event:
            case k.ConsumerGroupCreated():
                group.consumer, group.members, group.assignment = True, set(), {}
            case k.GroupUpgraded():
                group.consumer = True
                group.members = set(event.assignment)
                group.assignment = {member: set(given) for member, given in event.assignment.items()}
            case k.ConsumerMemberUpdated():
                group.members.add(event.member)
            case k.ConsumerMemberRemoved():
                self.remove(group, event.member)
            case k.StaticMemberReplaced():
                self.replace(group, event.old, event.member)
                group.away.discard(event.old)
            case k.StaticMemberAway():
                group.away.add(event.member)
            case k.MemberReconciled():
                held = (*event.assigned, *event.pending)
                group.assignment[event.member] = {TopicPartition(topic, number) for topic, number, _ in held}
                group.away.discard(event.member)
            case k.GroupDowngraded():
                group.consumer, group.preparing = False, False
                group.members = group.current = set(event.assignment)
                group.assignment = {member: set(given) for member, given in event.assignment.items()}
                self.keep(group)
            case k.EmptyGroupDropped() | g.GroupDeleted():
                group.consumer, group.members, group.current, group.assignment = False, set(), set(), {}
                self.keep(group)

    def keep(self, group: Group) -> None:
        """What a new coordinator would find from here on."""
        group.stored = set(group.members), {member: set(given) for member, given in group.assignment.items()}

    def remove(self, group: Group, member: str) -> None:
        """A member is gone."""
        group.members.discard(member)
        group.current.discard(member)
        group.assignment.pop(member, None)
        group.away.discard(member)

    def replace(self, group: Group, old: str, new: str) -> None:
        """A static member is back under another id."""
        for names in (group.members, group.current):
            if old in names:
                names.discard(old)
                names.add(new)
        if old in group.assignment:
            group.assignment[new] = group.assignment.pop(old)


def naive(facts: Iterable[Recorded]) -> Spans:
    """Available and unavailable time of every partition by the naive reading."""
    return Naive().read(facts)
