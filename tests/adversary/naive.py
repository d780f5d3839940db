"""Availability a second time: `docs/model/availability.md` word by word, without the project's folds.

Everything is kept in plain dictionaries, and after each millisecond every partition is looked at anew. Slow on purpose:
nothing here is clever. `naive_groups` has what coordinators say, `naive_labels` what follows for a partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from groupsim.events import client as p
from groupsim.events import network as n
from groupsim.events import world as w
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.types import TopicPartition
from tests.adversary.naive_groups import Group, take
from tests.adversary.naive_labels import Said, owner, said

DATA = "data"
Key = tuple[str, TopicPartition]
Spans = dict[Key, list[tuple[int, int, Said]]]
"""From, to, what is said: of each partition of each group, without gaps, as long as possible."""


@dataclass
class Process:
    """What a process says of itself. `gone`: it died or closed; `quit`: it has given its membership up itself.

    `released`: it has asked to join again, left or closed since it was last given an assignment, and `given_up` are
    partitions that it let go of since; `lost`: those that a lost callback named. `trouble`: the last bad thing that
    happened to it.
    """

    group: str
    member: str = ""
    gone: bool = False
    closing: bool = False
    frozen: bool = False
    callback: str = ""
    quit: bool = False
    released: bool = False
    trouble: str = ""
    view: set[TopicPartition] = field(default_factory=set)
    positions: set[TopicPartition] = field(default_factory=set)
    paused: set[TopicPartition] = field(default_factory=set)
    pending: set[TopicPartition] = field(default_factory=set)
    restoring: set[TopicPartition] = field(default_factory=set)
    given_up: set[TopicPartition] = field(default_factory=set)
    lost: set[TopicPartition] = field(default_factory=set)


class Naive:
    """Reads facts in order; `spans` has the answer after `read`."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {}
        self.processes: dict[str, Process] = {}
        self.sizes: dict[str, int] = {}
        self.cuts: set[frozenset[str]] = set()
        self.spans: Spans = {}

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
            and not self.cut_off(name)
        )

    def cut_off(self, name: str) -> bool:
        """It does not reach the brokers of the data."""
        return any(frozenset((each, DATA)) in self.cuts for each in (name, name.rpartition(".")[0]))

    def entitled(self, process: Process, tp: TopicPartition) -> bool:
        """The coordinator gives it the partition, and does not refuse its commits for good."""
        group = self.groups[process.group]
        given = group.assignment.get(process.member, ())
        mine = tp in given or (group.of_connect and tp in group.revoked_first)  # it stops what it is to give up
        return not process.quit and mine and self.may_commit(process)

    def may_commit(self, process: Process) -> bool:
        """It is a member whose commits are not refused for good."""
        group, member = self.groups[process.group], process.member
        if group.consumer:
            return member in group.members and member not in group.away
        return member in group.current or (group.state == "PreparingRebalance" and member in group.members)

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
            numbered = [TopicPartition(topic, n) for topic in group.topics for n in range(self.sizes.get(topic, 0))]
            known = any(self.spans.get((name, tp)) for tp in numbered)
            if known and not all(self.spans.get((name, tp)) for tp in numbered):
                group.grew()
            for tp in numbered:
                spans, value = self.spans.setdefault((name, tp), []), said(self, name, tp)
                if not spans or spans[-1][2] != value:
                    if spans:
                        spans[-1] = (spans[-1][0], at_ms, spans[-1][2])
                    spans.append((at_ms, -1, value))
            self.first_work(name, group, numbered)

    def first_work(self, name: str, group: Group, numbered: list[TopicPartition]) -> None:
        """A group first works when each partition that it began with has been available once."""
        now = {tp for tp in numbered if self.spans[name, tp][-1][2].available}
        group.served |= now
        begins = min((self.spans[name, tp][0][0] for tp in numbered), default=0)
        founders = {tp for tp in numbered if self.spans[name, tp][0][0] == begins}
        if founders and not group.worked and founders <= group.served:
            group.worked = True
            if now == set(numbered):
                group.started = True
                group.cause = "member-revoked" if group.cause == "start" else group.cause

    def close(self, at_ms: int) -> None:
        """The last fact of the run."""
        for key, spans in self.spans.items():
            self.spans[key] = [*spans[:-1], (spans[-1][0], at_ms, spans[-1][2])]

    def states(self) -> dict[str, Any]:
        """Each group as an administrator would see it now."""
        return {name: group.described() for name, group in sorted(self.groups.items())}

    def owned(self) -> set[tuple[str, str, TopicPartition, str]]:
        """Who was given which partition of which group, and who has it in its view, now."""
        given = {
            ("granted", name, tp, group.process_of.get(member, member))
            for name, group in self.groups.items()
            for tp in set().union(*group.assignment.values())
            if (member := owner(group, tp)) is not None
        }
        return given | {
            ("believed", process.group, tp, key)
            for key, process in self.processes.items()
            if not process.gone
            for tp in process.view
        }

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
                for process in self._named(event.a, event.b):
                    process.trouble = process.trouble if process.gone else "cut"
            case n.LinkHealed():
                self.cuts.discard(frozenset((event.a, event.b)))
                for process in self._named(event.a, event.b):
                    if process.trouble == "cut" and self.may_commit(process):
                        process.trouble = ""
        if isinstance(event, p.ClientEvent):
            process = self.processes.setdefault(event.process, Process(name or ""))
            self.of_process(process, event)
            if process.member:
                self.groups[process.group].process_of[process.member] = event.process
        elif name is not None:
            take(self.groups.setdefault(name, Group()), event, self.processes)

    def _named(self, *names: str) -> Iterator[Process]:
        """Processes, by their id or by the name that their incarnations have in common."""
        for key, process in self.processes.items():
            if key in names or key.rpartition(".")[0] in names:
                yield process

    def of_process(self, process: Process, event: Event) -> None:
        """What a process says of itself: its life and its membership."""
        match event:
            case p.Crashed():
                process.gone, process.trouble = True, "crash"
            case p.Closed():
                process.gone, process.trouble = True, "close"
            case p.CloseStarted():
                process.closing, process.released, process.trouble = True, True, "close"
            case p.Frozen():
                process.frozen, process.trouble = True, "freeze"
            case p.Thawed():
                process.frozen = False
                if self.may_commit(process) and not process.quit:
                    process.trouble = ""
            case p.JoinSent():
                process.member, process.released = event.member or process.member, True
            case p.LeaveSent():
                process.released = True
            case p.JoinOk():
                process.member, process.quit = event.member or process.member, False
            case p.SyncOk() | p.EpochReceived() | p.TargetReceived():
                process.member, process.quit, process.released = event.member or process.member, False, False
                process.given_up = set()
                if not (process.frozen or process.gone or process.closing):
                    process.trouble = ""
            case p.PollExpired():
                process.quit, process.trouble = True, "poll-expired"
            case p.Failed():
                process.quit, process.trouble = True, "failed"
            case p.GenerationReset():
                process.quit, process.given_up = True, set()
                process.member = "" if event.member_id_too else process.member
            case _:
                self.of_partitions(process, event)

    def of_partitions(self, process: Process, event: Event) -> None:
        """What a process says of its partitions."""
        match event:
            case p.RevocationPending():
                process.pending |= set(event.partitions)
            case p.CallbackStart():
                process.callback = event.kind
                process.lost |= set(event.partitions) if event.kind == "lost" else set()
            case p.CallbackEnd():
                process.callback = ""
            case p.ViewChanged():
                before, process.view = process.view, set(event.partitions)
                process.given_up = (process.given_up | (before - process.view)) - process.view - process.lost
                process.lost -= process.view
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


def naive(facts: Iterable[Recorded]) -> Spans:
    """What the naive reading says of every partition."""
    return Naive().read(facts)
