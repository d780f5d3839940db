"""What became of each consumer of a group, by the facts of its run: when it came, stood still, went, and how."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.types import MemberId, ProcessId

CLOSE, KILL = "close", "kill"
BUSY, FROZEN = "busy", "frozen"
LATE_MS = 150
"""A process that acts on a rebalance so much later than its heartbeat told it was busy (a poll of 100 ms is not)."""
_SUBSCRIBED = re.compile(r"subscription has changed .{0,4000} to \[([^\]]{0,4000})\]")
_NOTICE = "already rebalancing"


@dataclass(slots=True)
class Stall:
    """The application (`busy`) or the whole process (`frozen`) did nothing. None: not told since when, or no end."""

    kind: str
    from_ms: int | None
    to_ms: int | None
    expired_ms: int | None = None


@dataclass(slots=True)
class Incarnation:
    """One process, or, where no log of it is given, one member id (`told` is False); times in ms of the run.

    `starts_ms` is when its first request reached the coordinator (None: before the record begins), `added_ms` when it
    became a member. `ending`: `close`, `kill` or None (it lives on); `expired_ms`: its session ended at the broker
    when it was gone. `came`: when its member ids were issued, and added; `sent`: when it sent JoinGroup; `joins`:
    when that was answered (`led`: to the leader), `synced`: SyncGroup. `beats`: pairs of such an answer and a later
    instant at which a heartbeat of that generation was seen to be answered; `numbers`: the generation of such an
    answer; `acted`: pairs of it and of how long after a heartbeat's answer the application thread took part in the
    rebalance. `eager`: it gave all up before it joined again. `seen` are all its lines, `lost` when it lost its
    coordinator, `grows` when it met new partitions.
    """

    name: str
    client: str
    told: bool
    starts_ms: int | None = None
    added_ms: int | None = None
    ends_ms: int | None = None
    ending: str | None = None
    instance: str | None = None
    ids: list[MemberId] = field(default_factory=list)
    topics: tuple[str, ...] = ()
    subscribes: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    grows: list[int] = field(default_factory=list)
    stalls: list[Stall] = field(default_factory=list)
    callbacks: dict[str, list[int]] = field(default_factory=dict)
    came: list[tuple[int, int]] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    joins: list[int] = field(default_factory=list)
    led: list[int] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    synced: list[int] = field(default_factory=list)
    beats: list[tuple[int, int]] = field(default_factory=list)
    acted: list[tuple[int, int]] = field(default_factory=list)
    protocols: list[str] = field(default_factory=list)
    reasons: set[str] = field(default_factory=set)
    seen: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    joined_twice: bool = False
    eager: bool = False
    expired_ms: int | None = None


class Incarnations:
    """Folds the facts of one group into the lives of its processes. `unlogged_members` adds those without a log."""

    def __init__(self, group: str) -> None:
        self._group = group
        self.all: dict[ProcessId, Incarnation] = {}
        self.owner: dict[MemberId, Incarnation] = {}
        self._started_ms: int | None = None
        self._notice: dict[ProcessId, int | None] = {}
        self._acted: dict[ProcessId, int] = {}
        self._callback: dict[ProcessId, tuple[str, int]] = {}
        self._giving: dict[ProcessId, int] = {}
        self._called: dict[ProcessId, tuple[int, int]] = {}

    def fold(self, facts: Iterable[Recorded]) -> None:
        """Take the run's facts in, in order."""
        for fact in facts:
            if isinstance(fact.event, p.ClientEvent) and group_of(fact.stream) == self._group:
                life = self._life(fact.event)
                life.seen.append(fact.at_ms)
                self._membership(life, fact.event, fact.at_ms)
                self._holding(life, fact.event, fact.at_ms)
                self._ending(life, fact.event, fact.at_ms)
            elif fact.stream == group_stream(self._group) and isinstance(fact.event, c.RebalanceStarted):
                self._started_ms = fact.at_ms

    def _life(self, event: p.ClientEvent) -> Incarnation:
        if event.process not in self.all:
            self.all[event.process] = Incarnation(
                event.process, event.process.rpartition(".")[0] or event.process, True
            )
        return self.all[event.process]

    def _membership(self, life: Incarnation, event: p.ClientEvent, at: int) -> None:
        match event:
            case p.ProcessStarted():
                life.client, life.instance, life.topics = event.client_id, event.instance_id, event.topics
            case p.JoinSent(member=member):
                noticed_and_gave = life.name in self._notice and life.name in self._giving
                life.eager = life.eager or (noticed_and_gave and not event.owned)
                known = life.joins or self._holds(life) or (member and not life.ids)
                if life.starts_ms is None and not known:
                    life.starts_ms = at
                elif not life.joins and member:
                    life.joined_twice = True
                life.sent.append(at)
                self._use(life, member)
                self._act(life, at)
                self._giving.pop(life.name, None)
            case p.JoinOk(member=member):
                self._use(life, member)
                life.joins.append(at)
                life.numbers[at] = event.generation
                life.led += [at] * bool(event.leader)
                self._notice.pop(life.name, None)
                if event.protocol and event.protocol not in life.protocols[-1:]:
                    life.protocols.append(event.protocol)
            case p.RejoinRequested(reason=reason):
                self._reason(life, reason, at)
            case p.CoordinatorLost():
                life.lost.append(at)
            case p.PollExpired():
                life.stalls.append(Stall(BUSY, None, None, expired_ms=at))
            case _:
                pass

    def _reason(self, life: Incarnation, reason: str, at: int) -> None:
        life.reasons.add(reason[:40])
        if _NOTICE in reason:
            if life.name not in self._notice:
                self._notice[life.name] = at
                if life.joins:
                    life.beats.append((life.joins[-1], at))
        elif found := _SUBSCRIBED.search(reason):
            life.subscribes.append((at, tuple(sorted(t.strip() for t in found[1].split(",") if t.strip()))))
        elif "cached metadata has changed" in reason or "cluster metadata has changed" in reason:
            life.grows.append(at)

    def _holding(self, life: Incarnation, event: p.ClientEvent, at: int) -> None:
        match event:
            case p.CallbackStart(kind=kind, partitions=partitions):
                if partitions:
                    self._callback[life.name] = kind, at
                if kind != "assigned":
                    self._act(life, at)
                    self._giving[life.name] = at
            case p.CallbackEnd(kind=kind) if life.name in self._callback:
                began, since = self._callback.pop(life.name)
                self._called[life.name] = since, at
                if began == kind:
                    life.callbacks.setdefault(kind, []).append(at - since)
            case p.ViewChanged(partitions=partitions):
                if partitions and not life.joins and life.starts_ms is None:
                    life.seen.insert(0, at)
                    self._acted[life.name] = at
            case p.SyncOk(member=member):
                self._use(life, member)
                life.synced.append(at)
                self._giving.pop(life.name, None)
            case _:
                pass

    def _ending(self, life: Incarnation, event: p.ClientEvent, at: int) -> None:
        match event:
            case p.Closed():
                began = self._giving.get(life.name, at)
                life.ending, life.ends_ms = CLOSE, began if began >= max(life.joins, default=0) else at
            case p.Crashed():
                life.ending, life.ends_ms = KILL, at
            case _:
                pass

    def _holds(self, life: Incarnation) -> bool:
        """Whether it was shown with partitions before it ever asked to join: its log begins in the middle."""
        return life.name in self._acted and not life.ids

    def _use(self, life: Incarnation, member: MemberId) -> None:
        if member and member not in life.ids:
            life.ids.append(member)
            self.owner[member] = life

    def _act(self, life: Incarnation, at: int) -> None:
        """Its application thread took part in the rebalance: was it late, or back from an overlong batch?"""
        noticed = self._notice.get(life.name)
        if noticed is not None and life.joins and at - noticed <= LATE_MS:
            life.acted.append((life.joins[-1], at - noticed))
        since, until = self._called.get(life.name, (at, 0))
        called_back = noticed is not None and since <= noticed and until >= at - LATE_MS
        if noticed is not None and at - noticed > LATE_MS and not called_back:
            began = max(self._started_ms or 0, max(life.joins, default=0), self._acted.get(life.name, 0))
            life.stalls.append(Stall(BUSY, min(began, noticed), at))
        if life.name in self._notice:
            self._notice[life.name] = None  # what it is told again, in a long callback say, is no news
        open_stall = life.stalls[-1] if life.stalls else None
        if open_stall is not None and open_stall.expired_ms is not None and open_stall.to_ms is None:
            open_stall.to_ms = at
        self._acted[life.name] = at
