"""What was so in a simulated run, by process, partition and property, as spans of UTC milliseconds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.availability.view import GroupView
from groupsim.analysis.log_coverage import scan_log
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.base import Recorded
from groupsim.events.types import TopicPartition
from groupsim.incidents.account.spans import INF, Span, Spans, both, union
from tests.incidents.drawn_groups import GROUP
from tests.incidents.written_logs import BEGINS_MS

_UNSEEN = (Label.RESTORING, Label.PAUSED_CALLBACK)
"""No line of these logs says when a position was found, or that a callback ended."""


class Since:
    """A property while it is folded: since when it is so."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._since: int | None = None

    def now(self, at: int, value: bool) -> None:
        """From here on it has this value."""
        if value and self._since is None:
            self._since = at
        elif not value and self._since is not None:
            self.spans.append((self._since, at))
            self._since = None

    def done(self) -> Spans:
        """All of it."""
        return union(self.spans, [] if self._since is None else [(self._since, INF)])


@dataclass
class Process:
    """One process: `alive` from its start to its end, also while it is frozen.

    `missed`: when the coordinator removed it since its session ended, though it had not `left`.
    """

    runs: Since = field(default_factory=Since)
    alive: Since = field(default_factory=Since)
    member: Since = field(default_factory=Since)
    callback: Since = field(default_factory=Since)
    holds: dict[TopicPartition, Since] = field(default_factory=lambda: defaultdict(Since))
    entitled: dict[TopicPartition, Since] = field(default_factory=lambda: defaultdict(Since))
    freezes: list[Span] = field(default_factory=list)
    died: int | None = None
    missed: list[int] = field(default_factory=list)
    left: bool = False
    ids: set[str] = field(default_factory=set)

    @property
    def unnoticed(self) -> list[Span]:
        """When it was frozen, and its coordinator did not remove it."""
        return [span for span in self.freezes if not any(span[0] <= at <= span[1] for at in self.missed)]


class Truth:
    """Fold the facts of a run; asked for properties of processes and partitions."""

    def __init__(self, facts: Sequence[Recorded]) -> None:
        self.processes: dict[str, Process] = defaultdict(Process)
        self.available: dict[TopicPartition, Spans] = {}
        self._unseen: dict[TopicPartition, list[Span]] = defaultdict(list)
        self._dead: dict[TopicPartition, list[Span]] = defaultdict(list)
        self._of: dict[str, str] = {}
        self._view = GroupView(scan_log(facts, None).groups[GROUP])
        self._fold(facts)
        self._label(facts)

    def _fold(self, facts: Sequence[Recorded]) -> None:
        for place, fact in enumerate(facts):
            if fact.event.noise or fact.stream == "world":
                continue
            at = fact.at_ms + BEGINS_MS
            self._view.apply(fact.event)
            self._take(at, fact)
            if place + 1 == len(facts) or facts[place + 1].at_ms > fact.at_ms:
                self._ask(at)

    def _ask(self, at: int) -> None:
        group, knows = self._view.group, self._view.knowledge
        partitions = {tp for x in self.processes.values() for tp in x.holds} | set(group.state.owners)
        for name, process in group.processes.all.items():
            for tp in partitions:
                self.processes[name].entitled[tp].now(at, process.alive and knows.entitled(process, tp))
        members = set(group.state.members)
        for found in self.processes.values():
            found.member.now(at, bool(found.ids & members))

    def _take(self, at: int, fact: Recorded) -> None:
        event = fact.event
        if isinstance(event, p.ClientEvent):
            self._take_client(at, event)
            return
        match event:
            case (
                c.MemberAdded(member=member, client_host=host)
                | c.MemberReplaced(member=member, client_host=host)
                | k.ConsumerMemberUpdated(member=member, client_host=host)
            ):
                if host and member:
                    self.processes[host].ids.add(member)
                    self._of[member] = host
            case (
                c.MemberRemoved(member=member, cause="session-expired")
                | k.ConsumerMemberRemoved(member=member, cause=k.LossCause.SESSION_EXPIRED)
            ):
                self._missed(at, member)
            case _:
                pass

    def _missed(self, at: int, member: str) -> None:
        if member in self._of and not self.processes[self._of[member]].left:
            self.processes[self._of[member]].missed.append(at)

    def _take_client(self, at: int, event: p.ClientEvent) -> None:
        found = self.processes[event.process]
        if isinstance(event, p.LeaveSent | p.PollExpired | p.JoinSent):
            found.left = not isinstance(event, p.JoinSent)
        match event:
            case p.ProcessStarted():
                found.runs.now(at, True)
                found.alive.now(at, True)
            case p.Frozen():
                found.runs.now(at, False)
                found.freezes.append((at, INF))
            case p.Thawed():
                found.runs.now(at, True)
                found.freezes[-1] = (found.freezes[-1][0], at)
            case p.Crashed() | p.Closed():
                found.runs.now(at, False)
                found.alive.now(at, False)
                found.callback.now(at, False)
                for each in found.holds.values():
                    each.now(at, False)
                if isinstance(event, p.Crashed):
                    found.died = at
            case p.CallbackStart():
                found.callback.now(at, True)
            case p.CallbackEnd():
                found.callback.now(at, False)
            case p.ViewChanged(partitions=partitions):
                for tp in partitions:
                    found.holds[tp]
                for tp, each in found.holds.items():
                    each.now(at, tp in partitions)
            case p.JoinSent(member=member) | p.JoinOk(member=member) if member:
                found.ids.add(member)
            case _:
                pass

    def unseen(self, partition: TopicPartition, *, coordinator: bool, ends: int) -> Spans:
        """When a partition was unavailable, or not, and no log would ever show it.

        `coordinator`: its own word is given. Without it nothing shows that a process died whose partitions nobody has
        taken when the logs end.
        """
        dead = [] if coordinator else [span for span in self._dead[partition] if span[1] >= ends]
        return union(self._unseen[partition], dead)

    def _label(self, facts: Sequence[Recorded]) -> None:
        available = defaultdict(list)
        for each in intervals(facts):
            tp = TopicPartition(each.topic, each.partition)
            span = (each.from_ms + BEGINS_MS, each.to_ms + BEGINS_MS)
            stalled = each.label == Label.OWNER_STALLED and span[1] not in self._missed_by(each.member)
            if each.available:
                available[tp].append(span)
            elif each.label in _UNSEEN or stalled:
                self._unseen[tp].append(span)
            elif each.label == Label.OWNER_DEAD:
                self._dead[tp].append(span)
        for process in self.processes.values():  # without its position, in a callback, frozen and nobody missed it
            runs = union(process.runs.done(), process.unnoticed)
            for tp, held in process.holds.items():
                self._unseen[tp] += both(both(runs, held.done()), process.entitled[tp].done())
        self.available = {tp: union(spans) for tp, spans in available.items()}

    def _missed_by(self, process: str | None) -> list[int]:
        return self.processes[process].missed if process in self.processes else []
