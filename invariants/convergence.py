"""Liveness: left in peace long enough, every group with live members is Stable and owns all its partitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events import network as n
from groupsim.events import world as w
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupEmptied
from groupsim.events.tasks_as_partitions import STREAMS, TasksAsPartitions
from groupsim.events.types import MemberId, ProcessId, TopicPartition
from groupsim.invariants import reconciliation
from groupsim.invariants.base import Violation
from groupsim.invariants.reconciliation import Reconciliation

SETTLE_MS = 20_000
"""Peace needed, besides the longest session timeout, before a group is expected to have settled."""
RESTLESS = 8
"""More rebalances than this, all begun in peace, are a loop (the protocol needs 2 or 3 rounds)."""
LONGEST_SESSION_MS = 60_000
"""Of a consumer group: no fact has its session timeout, but brokers allow no longer one by default."""

_DISTURBANCES: tuple[type[Event], ...] = (
    p.ProcessStarted,
    p.Crashed,
    p.Frozen,
    p.Thawed,
    p.CloseStarted,
    p.Closed,
    p.PollExpired,
    p.Failed,
    CoordinatorUnloaded,
    CoordinatorLoaded,
    n.LinkCut,
    n.LinkHealed,
    n.LinkSlowed,
    w.TopicCreated,
    w.PartitionsAdded,
    w.GroupDeclared,
    w.ActionTaken,
)


@dataclass(slots=True)
class _Group:
    topics: set[str] = field(default_factory=set)
    live: dict[ProcessId, frozenset[str]] = field(default_factory=dict)
    frozen: dict[ProcessId, int] = field(default_factory=dict)
    dead: dict[ProcessId, int] = field(default_factory=dict)
    host: dict[MemberId, str] = field(default_factory=dict)
    stable: bool = False
    owners: dict[TopicPartition, MemberId] | None = field(default_factory=dict)
    began_ms: int | None = None
    may_last_ms: int = 0
    starts: list[int] = field(default_factory=list)
    consumer: Reconciliation | None = None

    @property
    def owned(self) -> dict[TopicPartition, MemberId] | None:
        """Who owns what: a consumer group's is put together when somebody asks, not at every fact."""
        return self.owners if self.consumer is None else self.consumer.owners


class Converges:
    """Every group settles, if the run ends in peace: no link is cut, and no fault for `settle_ms` plus a session.

    A rebalance may take as long as its rebalance timeout allows. `slowest_ms` is the longest one that was completed.
    """

    name = "converges"
    reads: ClassVar[tuple[type[Event], ...]] = (
        *_DISTURBANCES,
        c.MemberAdded,
        c.MemberReplaced,
        c.RebalanceStarted,
        c.AssignmentStored,
        GroupEmptied,
        *reconciliation.READS,
        *sorted(STREAMS, key=lambda kind: kind.__name__),
    )

    def __init__(self, settle_ms: int = SETTLE_MS) -> None:
        self.settle_ms = settle_ms
        self.slowest_ms: int | None = None
        self.healed = False
        self._groups: dict[str, _Group] = {}
        self._sizes: dict[str, int] = {}
        self._cuts: set[frozenset[str]] = set()
        self._disturbed_ms = 0
        self._session_ms = 0
        self._translate = TasksAsPartitions()

    @property
    def note(self) -> str:
        """How slow the slowest rebalance was; and that nothing was checked, if the run ended too soon after a fault."""
        notes = [] if self.slowest_ms is None else [f"slowest {self.slowest_ms / 1000:.1f} s"]
        return ", ".join(notes if self.healed else [*notes, "not checked: the run ended too soon after a fault"])

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Keep what has happened; violations come at the end."""
        event = fact.event
        if isinstance(event, _DISTURBANCES):
            self._disturbed_ms = fact.at_ms
            self._change_world(event)
        group = group_of(fact.stream)
        if group is not None:
            for each in self._translate(fact):
                self._fold(self._groups.setdefault(group, _Group()), each.event, fact.at_ms)
        yield from ()

    def _change_world(self, event: Event) -> None:
        match event:
            case n.LinkCut():
                self._cuts.add(frozenset((event.a, event.b)))
            case n.LinkHealed():
                self._cuts.discard(frozenset((event.a, event.b)))
            case w.TopicCreated() | w.PartitionsAdded():
                self._sizes[event.topic] = event.partitions
            case w.GroupDeclared():
                self._groups.setdefault(event.group, _Group()).topics |= set(event.topics)

    def _fold(self, group: _Group, event: Event, at_ms: int) -> None:
        match event:
            case p.ProcessStarted():
                group.live[event.process] = frozenset(event.topics)
            case p.Crashed() | p.Closed() | p.Failed():
                group.live.pop(event.process, None)
                group.dead[event.process] = at_ms
            case p.Frozen():
                group.frozen[event.process] = at_ms
            case p.Thawed():
                group.frozen.pop(event.process, None)
            case c.MemberAdded() | c.MemberReplaced():
                group.host[event.member or ""] = event.client_host or ""
                self._session_ms = max(self._session_ms, event.session_timeout_ms or 0)
                group.may_last_ms = max(group.may_last_ms, event.rebalance_timeout_ms or 0)
                if isinstance(event, c.MemberReplaced) and group.owners:
                    new = {event.old: event.member or ""}
                    group.owners = {tp: new.get(m, m) for tp, m in group.owners.items()}
            case c.RebalanceStarted():
                group.began_ms, group.stable = at_ms, False
                group.starts.append(at_ms)
            case c.AssignmentStored():
                plan = event.assignment
                group.owners = None if plan is None else {tp: m for m, ps in plan.items() for tp in ps}
                self._settled(group, at_ms, stable=True)
            case GroupEmptied():
                group.owners = {}
                self._settled(group, at_ms, stable=False)
            case CoordinatorLoaded():
                group.stable, group.began_ms = bool(group.owned), None
            case _ if isinstance(event, reconciliation.READS):
                self._reconcile(group, event, at_ms)

    def _reconcile(self, group: _Group, event: Event, at_ms: int) -> None:
        """A fact of a consumer group: what is a rebalance there lasts until every member is at its target."""
        if isinstance(event, reconciliation.ENDS):
            group.owners, group.consumer = group.owned, None
            return
        state = group.consumer = group.consumer or Reconciliation()
        state.apply(event)
        if isinstance(event, k.ConsumerMemberUpdated):
            group.host[event.member] = event.client_host
        if state.settled:
            self._settled(group, at_ms, stable=True)
        elif group.began_ms is None:
            group.began_ms, group.stable = at_ms, False
            group.starts.append(at_ms)

    def _settled(self, group: _Group, at_ms: int, *, stable: bool) -> None:
        if group.began_ms is not None:
            self.slowest_ms = max(self.slowest_ms or 0, at_ms - group.began_ms)
        group.stable, group.began_ms = stable, None

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """What every group with live members has not reached, if it was left in peace long enough to reach it."""
        peace_ms = self._disturbed_ms + self._session_ms + self.settle_ms
        self.healed = not self._cuts and at_ms >= peace_ms
        if self.healed:
            for name, group in sorted(self._groups.items()):
                for sentence in self._complaints(name, group, at_ms, peace_ms):
                    yield Violation(self.name, at_ms, seq, sentence)

    def _complaints(self, name: str, group: _Group, end_ms: int, peace_ms: int) -> Iterator[str]:
        running = {x: topics for x, topics in group.live.items() if x not in group.frozen}
        if not running or (group.consumer is not None and self._may_expire(group, group.consumer, end_ms)):
            return
        restless = sum(start >= peace_ms for start in group.starts)
        if restless > RESTLESS:
            yield f"{name} began {restless} rebalances although nothing had happened since {self._disturbed_ms} ms"
        if group.began_ms is not None:
            took = end_ms - group.began_ms
            if took > max(group.may_last_ms, self.settle_ms):
                yield f"{name} is still rebalancing, {took} ms after {group.began_ms} ms"
        elif not group.stable:
            yield f"{name} is not Stable at the end although {len(running)} processes are running"
        elif (owners := group.owned) is not None:
            yield from self._orphans(name, group, owners, running)

    def _may_expire(self, group: _Group, consumer: Reconciliation, end_ms: int) -> bool:
        """The session of a member that answers no more may not be over yet, and the group waits for that."""
        silent = group.dead | group.frozen
        since = [silent[host] for m in consumer.reached if (host := group.host.get(m, "")) in silent]
        return any(end_ms < at + LONGEST_SESSION_MS + self.settle_ms for at in since)

    def _orphans(
        self,
        name: str,
        group: _Group,
        owners: dict[TopicPartition, MemberId],
        running: dict[ProcessId, frozenset[str]],
    ) -> Iterator[str]:
        """Partitions without an owner, or with a dead one, of topics that a running process subscribes to."""
        wanted = {topic for topics in running.values() for topic in topics} & group.topics
        owed = [TopicPartition(t, k) for t in sorted(wanted) for k in range(self._sizes.get(t, 0))]
        orphans = [str(tp) for tp in owed if tp not in owners]
        if orphans:
            yield f"{name} leaves {len(orphans)} partitions without an owner: {', '.join(orphans[:5])}"
        for tp in owed:
            host = group.host.get(owners.get(tp, ""), "")
            if host in group.dead:
                yield f"{tp} still belongs to {host}, which is gone, in {name}"
