"""What a group waits for at every instant: no members, a join phase, a leader, or nothing. Pure Python, on demand.

A round is one rebalance of `analysis.tables.rebalances`, with the instants and the members that decided its length.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from groupsim.analysis.blame.activity import BROKER, JOIN, Activity
from groupsim.analysis.group_state import GroupState
from groupsim.analysis.log_coverage import CLIENT, COORDINATOR
from groupsim.analysis.process_state import Processes
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import network
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupEmptied
from groupsim.events.types import MemberId, TopicPartition

EMPTY, JOINING, COMPLETING, SETTLED, UNLOADED = "empty", "joining", "completing", "settled", "unloaded"
BY_DELAY, BY_JOIN, BY_TIMEOUT, BY_REMOVAL = "delay", "join", "timeout", "removal"
LATE_MS = 50
FOLLOW_UP = ("member-rejoined", "leader-rejoined")


@dataclass(slots=True)
class Round:
    """One rebalance. Names are process ids where one is known, else member ids.

    `generation` is the one it led to; `follows` that of the round whose follow-up it is (cooperative). `ended_by` says
    what ended the join phase (one of the `BY_` words; None while it lasts, or if the round was given up), `awaited`
    whose doing that was, and `removal` why it was removed. `arrived_ms` has the last JoinGroup of each that came.
    """

    started_ms: int
    cause: str
    initial: bool = False
    by: str | None = None
    generation: int | None = None
    follows: int | None = None
    joined_ms: int | None = None
    ended_ms: int | None = None
    stored: bool = False
    ended_by: str | None = None
    awaited: str | None = None
    removal: str | None = None
    leader: str | None = None
    size: int = 0
    sync_timeout: bool = False
    expected: tuple[str, ...] = ()
    arrived_ms: dict[str, int] = field(default_factory=dict)
    plan: dict[TopicPartition, str] = field(default_factory=dict)

    @property
    def second_ms(self) -> int:
        """When the join phase would have been over without the member it waited for: the last join of another one."""
        others = [at for name, at in self.arrived_ms.items() if name != self.awaited]
        return max([self.started_ms, *others])


@dataclass(slots=True)
class GroupTimeline:
    """One group: its rounds in order, its state from instant to instant, and what its processes were doing.

    `removals`: when and why a member was removed; `returns`: when a static member came back as another process.
    """

    group: str
    recorded: bool = False
    rounds: list[Round] = field(default_factory=list)
    at_ms: list[int] = field(default_factory=list)
    states: list[tuple[str, Round | None]] = field(default_factory=list)
    doings: dict[str, Activity] = field(default_factory=dict)
    removals: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    returns: dict[str, list[int]] = field(default_factory=dict)

    def during(self, from_ms: int, to_ms: int) -> Iterator[tuple[int, int, str, Round | None]]:
        """The stretches of [from_ms, to_ms): from, to, the group's state, and the running or else the last round."""
        i = bisect_right(self.at_ms, from_ms) - 1
        at = from_ms
        while at < to_ms:
            until = min(self.at_ms[i + 1], to_ms) if i + 1 < len(self.at_ms) else to_ms
            state, around = self.states[i] if i >= 0 else (EMPTY, None)
            yield at, until, state, around
            at, i = until, i + 1

    def next_round(self, at_ms: int) -> Round | None:
        """The first round begun at `at_ms` or later."""
        i = bisect_left(self.rounds, at_ms, key=lambda r: r.started_ms)
        return self.rounds[i] if i < len(self.rounds) else None


def stories(facts: Iterable[Recorded]) -> dict[str, GroupTimeline]:
    """The story of every group that any fact speaks of, by name."""
    tellers: dict[str, _Teller] = {}
    for fact in facts:
        event, group = fact.event, group_of(fact.stream)
        if isinstance(event, network.LinkCut | network.LinkHealed):
            for teller in tellers.values():
                teller.link(event, fact.at_ms)
        elif group is not None:
            if group not in tellers:
                tellers[group] = _Teller(GroupTimeline(group))
            tellers[group].apply(fact)
    return {name: tellers[name].finished() for name in sorted(tellers)}


class _Teller:
    """Folds one group's facts into its story."""

    def __init__(self, story: GroupTimeline) -> None:
        self.story = story
        self.books = GroupState()
        self.processes = Processes()
        self.running: Round | None = None
        self.last_change: tuple[int, str, str, str | None] | None = None

    def apply(self, fact: Recorded) -> None:
        """Fold one fact, in the order of the log."""
        event, kind = fact.event, type(fact.event)
        self.story.recorded |= fact.source is not None
        if isinstance(event, p.ClientEvent):
            if kind in CLIENT:
                self.processes.apply(event)
            self._doings(event.process).apply(event, fact.at_ms)
            if isinstance(event, p.JoinSent) and fact.source is not None:  # a broker's log does not tell all joins
                self._arrived(event.process, fact.at_ms)
        elif kind in COORDINATOR or isinstance(event, c.PendingMemberRemoved | c.SyncTimeout):
            self.processes.book(event)
            if isinstance(event, c.RebalanceStarted):
                self._begin(event, fact.at_ms)
            self.books.apply(event)
            self._note(event, fact.at_ms)

    def link(self, event: network.LinkCut | network.LinkHealed, at_ms: int) -> None:
        """A process is cut off from the coordinator, or reaches it again."""
        for name, other in ((event.a, event.b), (event.b, event.a)):
            for process in self.processes.named(name) if other == BROKER else ():
                self._doings(process.id).apply(event, at_ms)

    def finished(self) -> GroupTimeline:
        """The story, with every member called by its process, also where that was told later than the member acted."""
        named = {member: process.id for member, process in self.processes.process_of.items()}
        for r in self.story.rounds:
            r.by, r.awaited, r.leader = (named.get(x, x) if x else x for x in (r.by, r.awaited, r.leader))
            r.expected = tuple(sorted({named.get(x, x) for x in r.expected}))
            r.plan = {tp: named.get(x, x) for tp, x in r.plan.items()}
            arrived = sorted(r.arrived_ms.items(), key=lambda entry: entry[1])
            r.arrived_ms = {named.get(x, x): at for x, at in arrived}
            if r.ended_by == BY_JOIN:
                r.awaited = self._last_in(r)
        self.story.removals = {named.get(x, x): found for x, found in self.story.removals.items()}
        self.story.returns = {named.get(x, x): found for x, found in self.story.returns.items()}
        return self.story

    def _last_in(self, r: Round) -> str | None:
        """Whoever joined last; None where a recorded log does not tell of all joins."""
        if self.story.recorded and (not r.size or len(r.arrived_ms) < r.size):
            return None
        if r.awaited in r.arrived_ms and not self.story.recorded:
            return r.awaited
        return max(r.arrived_ms, key=lambda name: r.arrived_ms[name], default=None)

    @property
    def _lateness_ms(self) -> int:
        """How long after its cause an end may be told: a broker's two lines have two times."""
        return LATE_MS if self.story.recorded else 0

    def _doings(self, process: str) -> Activity:
        if process not in self.story.doings:
            self.story.doings[process] = Activity(process)
        return self.story.doings[process]

    def _name(self, member: MemberId | None) -> str | None:
        process = self.processes.of(member)
        return process.id if process is not None else member

    def _state(self, at_ms: int, state: str, around: Round | None) -> None:
        story = self.story
        if story.at_ms and story.at_ms[-1] == at_ms:
            story.at_ms.pop(), story.states.pop()
        story.at_ms.append(at_ms)
        story.states.append((state, around))

    def _begin(self, event: c.RebalanceStarted, at_ms: int) -> None:
        if self.running is not None:
            self.running.ended_ms = at_ms
        last = self.story.rounds[-1] if self.story.rounds else None
        started = Round(at_ms, event.cause, event.initial, self._name(event.member))
        if last is not None and last.stored and event.cause in FOLLOW_UP and self._owed(last):
            started.follows = last.generation
        started.expected = tuple(sorted(str(self._name(m)) for m in self.books.members))
        if self.last_change is not None and self.last_change[:2] == (at_ms, BY_JOIN):
            started.arrived_ms[self.last_change[2]] = at_ms
        if self.story.recorded:  # a client's log tells when it asked, which may be before the broker took notice
            started.arrived_ms |= {x.process: at_ms for x in self.story.doings.values() if x.now == JOIN}
        self.running = started
        self.story.rounds.append(started)
        self._state(at_ms, JOINING, started)

    def _owed(self, last: Round) -> bool:
        """The last assignment left something out that a member of the group still has to let go of, or just has."""
        return any(tp not in last.plan for x in self.processes.all.values() for tp in x.view | x.surrendered)

    def _note(self, event: Event, at_ms: int) -> None:
        match event:
            case c.MemberAdded() | c.MemberUpdated():
                self._arrived(event.member, at_ms)
            case c.MemberReplaced():
                self.story.returns.setdefault(str(self._name(event.old)), []).append(at_ms)
                if event.member is not None:
                    self._arrived(event.member, at_ms)
            case c.MemberRemoved() | c.PendingMemberRemoved():
                name = str(self._name(event.member))
                self.last_change = (at_ms, BY_REMOVAL, name, event.cause)
                self.story.removals.setdefault(name, []).append((at_ms, event.cause))
                if self.running is None and not self.books.members:
                    self._state(at_ms, EMPTY, None)
            case c.SyncTimeout() if self.running is not None:
                self.running.sync_timeout = True
                self.running.leader = self._name(event.members[0]) if event.members else self.running.leader
            case c.JoinPhaseCompleted() if self.running is not None:
                self._joined(self.running, event, at_ms)
            case c.AssignmentStored():
                self._stored(event, at_ms)
            case GroupEmptied():
                self._emptied(event, at_ms)
            case CoordinatorUnloaded():
                self._state(at_ms, UNLOADED, self.running)
            case CoordinatorLoaded():
                self._loaded(at_ms)

    def _arrived(self, member: MemberId, at_ms: int) -> None:
        name = str(self._name(member))
        self.last_change = (at_ms, BY_JOIN, name, None)
        if self.running is not None and self.running.joined_ms is None:
            self.running.arrived_ms[name] = at_ms

    def _joined(self, r: Round, event: c.JoinPhaseCompleted, at_ms: int) -> None:
        r.joined_ms, r.generation = at_ms, event.generation
        r.leader = self._name(event.leader or self.books.leader)
        missing = (*event.dropped, *event.absent)
        change = self.last_change
        if missing:
            r.ended_by, r.awaited = BY_TIMEOUT, self._name(missing[0])
        elif change is not None and change[1] == BY_REMOVAL and change[0] + self._lateness_ms >= at_ms:
            r.ended_by, r.awaited, r.removal = BY_REMOVAL, change[2], change[3]
        elif r.initial:
            r.ended_by = BY_DELAY
        else:
            r.ended_by, r.size = BY_JOIN, event.size
            r.awaited = change[2] if change is not None else None
        self._state(at_ms, COMPLETING, r)

    def _stored(self, event: c.AssignmentStored, at_ms: int) -> None:
        r = self.running
        if r is not None:
            r.ended_ms, r.stored, r.generation = at_ms, True, event.generation
            r.plan = {tp: str(self._name(m)) for m, given in (event.assignment or {}).items() for tp in given}
            r.leader = r.leader or self._name(event.leader or self.books.leader)
        self.running = None
        self._state(at_ms, SETTLED, r if r is not None else self._last())

    def _emptied(self, event: GroupEmptied, at_ms: int) -> None:
        if self.running is not None:
            self.running.ended_ms, self.running.generation = at_ms, event.generation
        self.running = None
        self._state(at_ms, EMPTY, None)

    def _loaded(self, at_ms: int) -> None:
        if self.running is not None:
            self.running.ended_ms, self.running.generation = at_ms, None
        self.running = None
        self._state(at_ms, SETTLED if self.books.members else EMPTY, self._last())

    def _last(self) -> Round | None:
        return next((r for r in reversed(self.story.rounds) if r.stored), None)
