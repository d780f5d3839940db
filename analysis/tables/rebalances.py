"""Every rebalance of a run: why it began, how long it took, what it moved and who was last. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from groupsim.analysis.blame.timeline import BY_JOIN, Round, stories
from groupsim.analysis.group_state import STABLE, GroupState
from groupsim.analysis.log_coverage import CLIENT, COORDINATOR
from groupsim.analysis.process_state import Processes
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CoordinatorLoaded, GroupEmptied
from groupsim.events.types import MemberId, TopicPartition

_FOLLOW_UP = ("member-rejoined", "leader-rejoined")


@dataclass(frozen=True, slots=True)
class Rebalance:
    """One RebalanceStarted and what became of it; times in simulated ms, None where it is open or not told.

    `generation` is the one it led to. It ended when the assignment was stored or the group was empty, when another
    rebalance took its place (`ended_ms` is that one's start) or when a new coordinator forgot it; in the last two cases
    it moved nothing. `moved`: partitions granted to another member than the one that had them last (a partition
    withheld in round 1 moves in round 2). `revoked`: partitions that their owner does not have any more. Both are None
    where the assignment before or after is not told. `rounds`: 1, or its place in a row of cooperative follow-ups.
    `slowest_member`: whoever was dropped, or left out as absent, for not joining; else the last to join, or, where the
    sync phase was the longer one, the leader; a process id where one is known; None where the logs do not name
    everybody. `members` is None where no log counts them.
    """

    group: str
    generation: int | None
    cause: str
    started_ms: int
    ended_ms: int | None = None
    members: int | None = None
    moved: int | None = None
    revoked: int | None = None
    rounds: int = 1
    slowest_member: str | None = None

    @property
    def duration_ms(self) -> int | None:
        """From the start to the end; None while open."""
        return None if self.ended_ms is None else self.ended_ms - self.started_ms


def rebalances(facts: Iterable[Recorded]) -> list[Rebalance]:
    """One row per RebalanceStarted, by group and time.

    Of a group that only clients speak of: one row per generation they joined, from the first JoinGroup to the last
    SyncGroup answer; its cause is `unknown`.
    """
    told: dict[str, _Teller] = {}
    log: list[Recorded] = []
    for fact in facts:
        kind = type(fact.event)
        if kind in COORDINATOR or kind in CLIENT:
            group = group_of(fact.stream)
            if group is not None:
                told.setdefault(group, _Teller(group)).apply(fact.event, fact.at_ms)
                log.append(fact)
    rows = [row for group in sorted(told) for row in told[group].rows()]
    if not any(fact.source is not None for fact in log):
        return rows
    rounds = {(s.group, r.started_ms): r for s in stories(log).values() for r in s.rounds}
    return [_slowest(row, rounds.get((row.group, row.started_ms))) for row in rows]


def _slowest(row: Rebalance, told: Round | None) -> Rebalance:
    """A broker's log does not tell who joins again: the clients' logs say who was last, or nobody can."""
    if told is None or told.ended_by != BY_JOIN or told.joined_ms is None or told.ended_ms is None:
        return row
    led = told.ended_ms - told.joined_ms > told.joined_ms - told.started_ms
    return replace(row, slowest_member=told.leader if led else told.awaited)


@dataclass(slots=True)
class _Heard:
    """A generation as clients tell of it."""

    first_ms: int
    last_ms: int | None = None


@dataclass(slots=True)
class _Teller:
    """Follows one group; the last of `done` may still be running."""

    group: str
    books: GroupState = field(default_factory=GroupState)
    processes: Processes = field(default_factory=Processes)
    done: list[Rebalance] = field(default_factory=list)
    running: bool = False
    joined_ms: int | None = None
    last_in: MemberId | None = None
    last_owner: dict[TopicPartition, MemberId] = field(default_factory=dict)
    losers: set[MemberId] = field(default_factory=set)
    fresh: bool = False
    asked_ms: int | None = None
    heard: dict[int, _Heard] = field(default_factory=dict)

    def rows(self) -> list[Rebalance]:
        """What was found; clients' word only where the coordinator is silent."""
        if self.books.has_coordinator_facts:
            return self.done
        return [
            Rebalance(self.group, generation, "unknown", heard.first_ms, heard.last_ms)
            for generation, heard in sorted(self.heard.items())
        ]

    def apply(self, event: Event, at_ms: int) -> None:
        """Fold one fact, in the order of the log."""
        if isinstance(event, p.ClientEvent):
            self.processes.apply(event)
            self._listen(event, at_ms)
            return
        self.processes.book(event)
        if isinstance(event, c.RebalanceStarted):
            self._begin(event, at_ms)
        before = dict(self.books.assignment) if self.books.told else None
        self.books.apply(event)
        self._note(event, at_ms, before)

    def _begin(self, event: c.RebalanceStarted, at_ms: int) -> None:
        rounds = 1
        if self.running:
            self._end(at_ms, moved=0, revoked=0)
        elif self.done and event.cause in _FOLLOW_UP and self.books.state == STABLE:
            asked = event.member is None or event.member in self.losers
            rounds = self.done[-1].rounds + 1 if self.losers and asked else 1
        self.done.append(Rebalance(self.group, None, event.cause, at_ms, rounds=rounds))
        self.running, self.joined_ms = True, None
        self.fresh = event.initial or event.generation <= 0
        came = "joined" in event.cause or event.cause == "static-replaced"
        self.last_in = event.member if came else None

    def _note(self, event: Event, at_ms: int, before: dict[MemberId, tuple[TopicPartition, ...]] | None) -> None:
        match event:
            case c.MemberReplaced() if event.member is not None:
                self.last_owner = {tp: event.member if m == event.old else m for tp, m in self.last_owner.items()}
                self.last_in = event.member
            case c.MemberAdded() | c.MemberUpdated():
                self.last_in = event.member
            case c.JoinPhaseCompleted() if self.running:
                self.joined_ms = at_ms
                last_in = (
                    None if event.members is None else self.last_in
                )  # a log that names not all can't say who was last
                missing = (*event.dropped, *event.absent)
                slowest = missing[0] if missing else last_in
                self._set(generation=event.generation, members=event.size or None, slowest_member=self._name(slowest))
            case c.AssignmentStored():
                self._stored(event, at_ms, before)
            case GroupEmptied() if self.running:
                had = sum(len(given) for given in (before or {}).values())
                self._set(generation=event.generation, members=0)
                self._end(at_ms, moved=0, revoked=None if before is None else had)
            case CoordinatorLoaded() if self.running:
                self._set(generation=None)
                self._end(at_ms, moved=0, revoked=0)

    def _stored(
        self, event: c.AssignmentStored, at_ms: int, before: dict[MemberId, tuple[TopicPartition, ...]] | None
    ) -> None:
        moved = revoked = None
        self.losers = set()
        if event.assignment is not None:
            now = {tp: m for m, given in event.assignment.items() for tp in given}
            lost = [(tp, m) for m, given in (before or {}).items() for tp in given if now.get(tp) != m]
            if before is not None or self.fresh:
                moved = sum(self.last_owner.get(tp, m) != m for tp, m in now.items())
                revoked = len(lost)
            self.losers = {m for tp, m in lost if tp not in now and m in self.books.members}
            self.last_owner |= now
        if self.running:
            row = self.done[-1]
            if self.joined_ms is not None and at_ms - self.joined_ms > self.joined_ms - row.started_ms:
                self._set(slowest_member=self._name(event.leader or self.books.leader))
            self._set(generation=event.generation)
            self._end(at_ms, moved=moved, revoked=revoked)

    def _end(self, at_ms: int, *, moved: int | None, revoked: int | None) -> None:
        self._set(ended_ms=at_ms, moved=moved, revoked=revoked)
        self.running = False

    def _set(self, **fields: object) -> None:
        self.done[-1] = replace(self.done[-1], **fields)  # type: ignore[arg-type]

    def _name(self, member: MemberId | None) -> str | None:
        process = self.processes.of(member)
        return process.id if process is not None else member

    def _listen(self, event: p.ClientEvent, at_ms: int) -> None:
        match event:
            case p.JoinSent():
                self.asked_ms = at_ms if self.asked_ms is None else self.asked_ms
            case p.JoinOk():
                first = at_ms if self.asked_ms is None else self.asked_ms
                self.heard.setdefault(event.generation, _Heard(first))
            case p.SyncOk():
                first = at_ms if self.asked_ms is None else self.asked_ms
                self.heard.setdefault(event.generation, _Heard(first)).last_ms = at_ms
                self.asked_ms = None
