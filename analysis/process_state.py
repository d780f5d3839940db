"""What each consumer process of one group did and holds: a fold over the facts that processes report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from groupsim.events import classic
from groupsim.events import client as c
from groupsim.events.base import Event
from groupsim.events.consumer import ConsumerMemberUpdated
from groupsim.events.types import MemberId, ProcessId, TopicPartition

Held = set[TopicPartition]
MEMBERSHIP: frozenset[type[Event]] = frozenset(
    {
        c.ProtocolSelected,
        c.JoinSent,
        c.LeaveSent,
        c.JoinOk,
        c.SyncOk,
        c.EpochReceived,
        c.TargetReceived,
        c.GenerationReset,
    }
)
"""Facts of a process's membership: what it holds, and whether it runs, is as before."""
HOLDING: frozenset[type[Event]] = frozenset(
    {
        c.ViewChanged,
        c.RevocationPending,
        c.CallbackStart,
        c.CallbackEnd,
        c.PositionReady,
        c.RestoreStart,
        c.RestoreEnd,
        c.Paused,
        c.Resumed,
    }
)
"""Facts of what a process holds: they concern the partitions in its view, before or after."""
CONNECTIONS: frozenset[type[Event]] = frozenset({c.CoordinatorLost, c.CoordinatorFound, c.RequestFailed})
"""Facts of the brokers that a process reaches."""


@dataclass(slots=True, eq=False)
class Process:
    """One incarnation of one consumer.

    `member` is the id it would use now, empty when unknown or forgotten; `ids` are all it ever had. `fenced`: it knows
    that it lost its generation (reset, poll expiry) and could commit nothing. `released`: since the last grant it asked
    to join again, left or closed, so that a grant not yet applied never will be. `surrendered`: given up in a revoked
    callback and not regained: nobody can have these before its next sync. `lost`: what a lost callback named, and what
    was not regained: others may have had these before. `trouble`: the last bad thing that happened
    to it (`crash`, `freeze`, `cut`, `poll-expired`, `close`), None once it has synced again in good health.
    `no_coordinator`: it lost its coordinator. `asks_bootstrap`: no broker that it knew answered, and no
    bootstrap server.
    """

    id: ProcessId
    alive: bool = True
    frozen: bool = False
    member: MemberId = ""
    ids: set[MemberId] = field(default_factory=set)
    fenced: bool = False
    synced: bool = False
    released: bool = False
    closing: bool = False
    protocol: str | None = None
    view: Held = field(default_factory=set)
    positioned: Held = field(default_factory=set)
    pending: Held = field(default_factory=set)
    restoring: Held = field(default_factory=set)
    paused: Held = field(default_factory=set)
    surrendered: Held = field(default_factory=set)
    lost: Held = field(default_factory=set)
    callback: str | None = None
    trouble: str | None = None
    no_coordinator: bool = False
    asks_bootstrap: bool = False

    @property
    def no_broker(self) -> bool:
        """It reaches no broker at all: neither its coordinator nor any other that it could ask."""
        return self.no_coordinator and self.asks_bootstrap

    @property
    def name(self) -> str:
        """The id without the incarnation: how links and operators may call it."""
        return self.id.rpartition(".")[0] or self.id

    @property
    def standing(self) -> tuple[bool, MemberId, str | None]:
        """What its membership says of the partitions in its view."""
        return self.fenced, self.member, self.trouble

    def sync(self, member: MemberId) -> None:
        """A generation is known (again) under this id."""
        self.use(member)
        self.fenced, self.released, self.synced = False, False, True
        self.surrendered = set()
        if not self.frozen and self.alive and not self.closing:
            self.trouble = None

    def use(self, member: MemberId) -> None:
        """This is the id the process uses now."""
        if member:
            self.member = member
            self.ids.add(member)

    def show(self, partitions: Held) -> None:
        """The view is now exactly this; what left it is neither positioned nor pending nor paused any more."""
        self.surrendered = (self.surrendered | (self.view - partitions)) - partitions - self.lost
        self.lost = self.lost - partitions
        self.view = partitions
        for kept in (self.positioned, self.pending, self.restoring, self.paused):
            kept &= partitions

    def die(self, trouble: str) -> None:
        """The process is gone and holds nothing any more."""
        self.alive, self.trouble = False, trouble
        self.surrendered = set()


class Processes:
    """All processes of one group and the member ids they use.

    In a simulated run a member's `client_host` is its process id, which joins the coordinator's members to the
    processes before a process has had its first answer.
    """

    __slots__ = ("all", "process_of")

    def __init__(self) -> None:
        self.all: dict[ProcessId, Process] = {}
        self.process_of: dict[MemberId, Process] = {}

    def of(self, member: MemberId | None) -> Process | None:
        """The process that uses this member id, if any fact names it."""
        return self.process_of.get(member) if member else None

    def named(self, name: str) -> list[Process]:
        """The processes a link or an operator means: by id, or every incarnation of a name."""
        return [p for key, p in sorted(self.all.items()) if name in (key, p.name)]

    def register(self, event: Event) -> None:
        """Join member ids to processes by a coordinator fact's `client_host`."""
        if isinstance(
            event, classic.MemberIdIssued | classic.MemberAdded | classic.MemberReplaced | ConsumerMemberUpdated
        ):
            process = self.all.get(event.client_host or "")
            if process is not None and event.member:
                process.ids.add(event.member)
                self.process_of[event.member] = process

    def granted(self, members: Iterable[MemberId]) -> list[tuple[Process, Held]]:
        """An assignment came into force: what it grants to these members is still to be applied.

        The processes that had surrendered partitions, with these.
        """
        changed = []
        for member in members:
            process = self.process_of.get(member)
            if process is not None and not process.closing:
                if process.surrendered:
                    changed.append((process, process.surrendered))
                process.released, process.surrendered = False, set()
        return changed

    def assigned_anew(self) -> list[tuple[Process, Held]]:
        """A new assignment came into force: others may have what processes surrendered before that are not in it.

        The processes that had surrendered partitions, with these.
        """
        changed = [(process, process.surrendered) for process in self.all.values() if process.surrendered]
        for process, _ in changed:
            process.surrendered = set()
        return changed

    def apply(self, event: c.ClientEvent) -> Process | None:
        """Fold one fact of a process; the process if the fact can change its availability, else None."""
        process = self.all.get(event.process)
        if process is None:
            process = self.all[event.process] = Process(event.process)
        fold = FOLDS.get(type(event))
        if fold is None:
            return None
        fold(process, event)
        if process.member:
            self.process_of[process.member] = process
        return process


def _life(p: Process, event: c.ClientEvent) -> None:
    match event:
        case c.ProcessStarted():
            pass
        case c.Crashed():
            p.die("crash")
        case c.Closed():
            p.show(set())
            p.die("close")
        case c.CloseStarted():
            p.closing = p.released = True
            p.trouble = "close"
        case c.Frozen():
            p.frozen, p.trouble = True, "freeze"
        case c.Thawed():
            p.frozen = False
        case c.PollExpired():
            p.fenced, p.trouble = True, "poll-expired"
        case c.Failed():
            p.fenced, p.trouble = True, "failed"


def _membership(p: Process, event: c.ClientEvent) -> None:
    match event:
        case c.ProtocolSelected():
            p.protocol = event.protocol
        case c.JoinSent():
            p.use(event.member)
            p.released = True
        case c.LeaveSent():
            p.released = True
        case c.JoinOk():
            p.use(event.member)
            p.fenced = False
        case c.SyncOk() | c.EpochReceived() | c.TargetReceived():
            p.sync(event.member)
        case c.GenerationReset():
            p.fenced = True
            p.surrendered = set()
            if event.member_id_too:
                p.member = ""


def _holding(p: Process, event: c.ClientEvent) -> None:
    match event:
        case c.ViewChanged():
            p.show(set(event.partitions))
        case c.RevocationPending():
            p.pending |= set(event.partitions)
        case c.CallbackStart():
            p.callback = event.kind
            if event.kind == "assigned":
                p.pending = set()
            elif event.kind == "lost":
                p.lost = p.lost | set(event.partitions)
        case c.CallbackEnd():
            p.callback = None
        case c.PositionReady():
            p.positioned |= {TopicPartition(t, n) for t, n, _ in event.offsets} & p.view
        case c.RestoreStart():
            p.restoring |= set(event.partitions)
        case c.RestoreEnd():
            p.restoring -= set(event.partitions)
        case c.Paused():
            p.paused |= set(event.partitions)
        case c.Resumed():
            p.paused -= set(event.partitions)


def _connections(p: Process, event: c.ClientEvent) -> None:
    match event:
        case c.CoordinatorLost():
            p.no_coordinator = True
        case c.RequestFailed(api="Metadata"):
            p.asks_bootstrap = True
        case c.CoordinatorFound():
            p.no_coordinator = p.asks_bootstrap = False


_LIFE: set[type[Event]] = {
    c.ProcessStarted,
    c.Crashed,
    c.Closed,
    c.CloseStarted,
    c.Frozen,
    c.Thawed,
    c.PollExpired,
    c.Failed,
}
FOLDS: dict[type[Event], Callable[[Process, c.ClientEvent], None]] = {
    **dict.fromkeys(_LIFE, _life),
    **dict.fromkeys(MEMBERSHIP, _membership),
    **dict.fromkeys(HOLDING, _holding),
    **dict.fromkeys(CONNECTIONS, _connections),
}
"""The facts of a process that can change its availability, and which fold has each; all else is passed by."""
