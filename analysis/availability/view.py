"""One group at one instant: books, processes and network together give every partition its label (spec: 8.2)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from groupsim.analysis.availability import recorded
from groupsim.analysis.availability.causes import Causes, of_process
from groupsim.analysis.availability.labels import (
    BOTH_ENTITLED,
    DATA_CUT,
    DOUBLE,
    GRANT_IN_FLIGHT,
    NONE_ENTITLED,
    OK,
    OWNER_DEAD,
    OWNER_STALLED,
    PAUSED_APP,
    PAUSED_CALLBACK,
    POSITION,
    RESTORING,
    UNOWNED,
    WITHHELD,
    ZOMBIE_AND_OWNER,
    ZOMBIE_ONLY,
    Verdict,
)
from groupsim.analysis.group_state import DEAD, PREPARING, STABLE, GroupState
from groupsim.analysis.log_coverage import LogCoverage
from groupsim.analysis.process_state import HOLDING, MEMBERSHIP, Process, Processes
from groupsim.events import classic, client
from groupsim.events.base import Event
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId, ProcessId, TopicPartition

DATA = "data"
"""How the network calls the brokers that lead the partitions; the coordinator is `broker`."""


class Changes(NamedTuple):
    """What happened to a group since it was last asked.

    `moved`: partitions whose condition may be another one. `affected`: partitions whose verdict may have changed though
    their condition is the same; `all_affected`: so may every partition's.
    """

    moved: set[TopicPartition]
    affected: set[TopicPartition]
    all_affected: bool


class GroupView:
    """Folds the facts of one group and gives its partitions their labels.

    `holders` has, per partition, the processes that have it in their view, and `surrendered_by` the ids of those that
    gave it up in order. `owed`: left out of the assignment until a cooperative member has let go of it.
    """

    def __init__(self, coverage: LogCoverage) -> None:
        self.coverage = coverage
        self.state = GroupState()
        self.processes = Processes()
        self.causes = Causes()
        self.holders: dict[TopicPartition, dict[ProcessId, Process]] = {}
        self.surrendered_by: dict[TopicPartition, set[ProcessId]] = {}
        self.owed: set[TopicPartition] = set()
        self.cut: set[str] = set()
        self._moved: set[TopicPartition] = set()
        self._affected: set[TopicPartition] = set()
        self._all_affected = False

    def take_changes(self) -> Changes | None:
        """What happened since the last call; None if nothing did."""
        if not (self._moved or self._affected or self._all_affected):
            return None
        changes = Changes(self._moved, self._affected, self._all_affected)
        self._moved, self._affected, self._all_affected = set(), set(), False
        return changes

    def condition(self, tp: TopicPartition) -> Hashable:
        """All that a verdict asks of the partition itself: partitions in equal condition have the same verdict."""
        holders, surrendered = self.holders.get(tp), self.surrendered_by.get(tp)
        held: object = None
        if holders:  # mostly one
            held = tuple(_held(holders[name], tp) for name in (sorted(holders) if len(holders) > 1 else holders))
        return (
            self.state.owners.get(tp),
            held,
            tuple(sorted(surrendered)) if surrendered else None,
            bool(self.owed) and tp in self.owed,
            tp.topic,
        )

    def apply(self, event: Event) -> None:
        """Fold one fact of the group's own streams."""
        if isinstance(event, client.ClientEvent):
            self._apply_client(event)
            return
        self.causes.apply(event, self.state, self.processes, bool(self.owed))
        owners = self.state.owners
        member = None if self.coverage.recorded else _member_added_or_removed(event)
        topics = self.state.topics if member else None
        if self.state.apply(event):
            if member and self.state.topics == topics:
                self._affected.update(self._of_member(member))
            else:
                self._all_affected = True
        self._owners_changed(owners)
        self.processes.register(event)
        if isinstance(event, classic.AssignmentStored):
            for process, surrendered in self.processes.granted(sorted(self.state.members)):
                self._surrendered_changed(process, surrendered)
            self._set_owed(self._left_out())
        elif isinstance(event, GroupEmptied):
            self._set_owed(set())

    def _of_member(self, member: MemberId) -> set[TopicPartition]:
        """What it was assigned and what its process holds: if it subscribes like others, nothing else depends on it."""
        process = self.processes.of(member)
        return {*self.state.assignment.get(member, ()), *(process.view if process else ())}

    def link(self, a: str, b: str, cut: bool) -> None:
        """A link of a process is cut or healed. Only the link to `data` stops what it serves."""
        for name, other in ((a, b), (b, a)):
            if other == DATA:
                (self.cut.add if cut else self.cut.discard)(name)
            for process in self.processes.named(name):
                if cut and process.alive:
                    process.trouble = "cut"
                elif process.trouble == "cut" and self.state.may_commit(process.member):
                    process.trouble = None
                self._affected.update(process.view, self._assigned(process))

    def _apply_client(self, event: client.ClientEvent) -> None:
        kind, known = type(event), self.processes.all.get(event.process)
        formal = kind in MEMBERSHIP
        view, surrendered = (known.view, known.surrendered) if known else (set(), set())
        standing = known.standing if known and formal else None
        self._moved.update(_flagged(event, known))
        process = self.processes.apply(event)
        if process is None:
            return
        if process.view is not view:
            self._view_changed(process, view)
        if process.surrendered is not surrendered:
            self._surrendered_changed(process, surrendered)
        if isinstance(event, client.Thawed) and self.state.may_commit(process.member) and not process.fenced:
            process.trouble = None
        if self.coverage.recorded:  # what one process reports can decide what was unknown of any partition
            self._learn(process, event)
            self._all_affected = True
        elif formal and process.standing == standing:  # of what it holds this changes nothing
            self._affected.update(tp for tp in self._assigned(process) if tp not in process.view)
        elif kind in HOLDING:
            self._affected.update(process.view)
        else:
            self._affected.update(view, process.view, self._assigned(process))

    def _view_changed(self, process: Process, before: set[TopicPartition]) -> None:
        for tp in before - process.view:
            self.holders[tp].pop(process.id, None)
        for tp in process.view - before:
            self.holders.setdefault(tp, {})[process.id] = process
        self._moved |= before ^ process.view

    def _surrendered_changed(self, process: Process, before: set[TopicPartition]) -> None:
        for tp in before - process.surrendered:
            self.surrendered_by[tp].discard(process.id)
        for tp in process.surrendered - before:
            self.surrendered_by.setdefault(tp, set()).add(process.id)
        self._moved |= before ^ process.surrendered

    def _owners_changed(self, before: dict[TopicPartition, tuple[MemberId, ...]]) -> None:
        now = self.state.owners
        if now is not before:
            self._moved.update(tp for tp, _ in now.items() ^ before.items())

    def _set_owed(self, owed: set[TopicPartition]) -> None:
        self._moved |= self.owed ^ owed
        self.owed = owed

    def _assigned(self, process: Process) -> Iterator[TopicPartition]:
        """What the coordinator assigned to it, under any of its member ids."""
        return chain.from_iterable(self.state.assignment.get(member, ()) for member in process.ids)

    def _learn(self, process: Process, event: client.ClientEvent) -> None:
        """Take the process's own report of its assignment where the coordinator's log has none."""
        if not process.member or self.state.assignment_known:
            return
        owners = self.state.owners
        if isinstance(event, client.SyncOk) and event.assignment is not None:
            self.state.learn(process.member, event.generation, event.assignment)
        elif isinstance(event, client.ViewChanged) and self.state.state == STABLE:
            generation, shown = self.state.generation, set(event.partitions)
            if self.state.self_reported_generation.get(process.member) == generation:
                # What it gives up later was assigned all the same.
                shown |= set(self.state.assignment.get(process.member, ()))
            self.state.learn(process.member, generation, tuple(sorted(shown)))
        self._owners_changed(owners)

    def _left_out(self) -> set[TopicPartition]:
        """Left out of the new assignment because a cooperative member still has to let go of it (KIP-429)."""
        kept = {
            tp
            for process in self.processes.all.values()
            if process.alive and process.member in self.state.members
            for tp in process.view
        }
        return kept - self.state.owners.keys()

    def connected(self, process: Process) -> bool:
        """It reaches the leaders of its partitions."""
        return not (self.cut and {process.id, process.name} & self.cut)

    def busy(self, process: Process) -> bool:
        """Its application thread is in a rebalance callback; not asked of a log that never says when one ends."""
        if process.callback is None:
            return False
        return not self.coverage.recorded or process.id in self.coverage.callback_ends

    def positioned(self, process: Process, tp: TopicPartition) -> bool:
        """It knows from where to fetch; taken as given of a log that never says so."""
        if tp in process.positioned:
            return True
        return self.coverage.recorded and process.id not in self.coverage.positions

    def serving(self, x: Process, tp: TopicPartition) -> bool:
        """Spec 8.1: running, fetchable, not in a callback, not restoring, connected. Asked most of all: what is mostly
        nothing is looked at before a partition is hashed or a method called."""
        return (
            x.alive
            and not x.frozen
            and not (x.callback and self.busy(x))
            and not (x.pending and tp in x.pending)
            and not (x.paused and tp in x.paused)
            and not (x.restoring and tp in x.restoring)
            and tp in x.view
            and (tp in x.positioned or self.positioned(x, tp))
            and not (self.cut and not self.connected(x))
        )

    def entitled(self, x: Process, tp: TopicPartition) -> bool:
        """Spec 8.1: the books give it the partition and its commit would be accepted."""
        if x.fenced:
            return False
        if self.coverage.recorded and recorded.untold(self, x):
            return recorded.entitled(self, x)
        return self.state.entitled(x.member, tp)

    def verdict(self, tp: TopicPartition) -> Verdict:
        """The first label of 8.2 that holds."""
        held = self.holders.get(tp) or {}
        if len(held) == 1:  # mostly: one has it, and serves it
            (x,) = held.values()
            if self.serving(x, tp) and self.entitled(x, tp):
                return self._ok(x)
        holders = held.values() if len(held) < 2 else [held[name] for name in sorted(held)]
        serving = [x for x in holders if self.serving(x, tp)]
        if serving:
            return self._served(serving, [x for x in serving if self.entitled(x, tp)])
        owner = self.state.owner(tp)
        process = self.processes.of(owner)
        if process is None or not process.alive or tp not in process.view:
            process = next((x for x in holders if self._lets_go(x, tp, owner)), process)
        if process is not None and process.alive and tp in process.view:
            return self._held(process, tp)
        return recorded.verdict(self, tp, owner, process) or self._not_held(process, tp)

    def _served(self, serving: list[Process], entitled: list[Process]) -> Verdict:
        if len(serving) == 1 and entitled:
            return self._ok(entitled[0])
        zombies = [x for x in serving if x not in entitled]
        trouble = next((of_process(x) for x in zombies if x.trouble), None) or self.causes.now
        if len(serving) > 1:
            sub = (NONE_ENTITLED, ZOMBIE_AND_OWNER, BOTH_ENTITLED)[min(len(entitled), 2)]
            return Verdict(DOUBLE, sub, (entitled or serving)[0].id, trouble)
        return Verdict(ZOMBIE_ONLY, None, zombies[0].id, trouble)

    def _ok(self, x: Process) -> Verdict:
        return Verdict(OK, recorded.word(self) if self.coverage.recorded else None, x.id)

    def _lets_go(self, x: Process, tp: TopicPartition, owner: MemberId | None) -> bool:
        """At the end of a cooperative round it runs the revoked callback of what nobody was given yet (spec: 8.3).

        In a recorded run it may be the owner, too, if the books don't tell who is.
        """
        if not x.alive or owner is not None:
            return False
        if self.coverage.recorded and recorded.untold(self, x):
            return self.entitled(x, tp)
        return not x.fenced and self.state.may_commit(x.member) and self.busy(x) and x.callback == "revoked"

    def _held(self, x: Process, tp: TopicPartition) -> Verdict:
        """The owner has it in its view and does not serve it."""
        cause = self.causes.now
        if self.busy(x) or tp in x.pending:
            return Verdict(PAUSED_CALLBACK, None, x.id, cause)
        if tp in x.paused:
            return Verdict(PAUSED_APP, None, x.id, "paused")
        if x.frozen:
            return Verdict(OWNER_STALLED, None, x.id, of_process(x))
        if not self.connected(x):
            return Verdict(OWNER_STALLED, DATA_CUT, x.id, f"cut {x.id}")
        return Verdict(RESTORING, None if tp in x.restoring else POSITION, x.id, cause)

    def _not_held(self, x: Process | None, tp: TopicPartition) -> Verdict:
        """Nobody has it in its view, or only who may not; `x` is the process of the owner by the books."""
        cause = self.causes.now
        if x is not None and not x.alive:
            return Verdict(OWNER_DEAD, None, x.id, of_process(x))
        if x is not None and self._in_flight(x, tp):
            return Verdict(GRANT_IN_FLIGHT, None, x.id, cause)
        if self.state.rebalancing and self.state.subscribed(tp.topic):
            return Verdict(WITHHELD, None, None, cause)
        if self.state.state in (STABLE, DEAD) and (tp in self.owed or x is not None):
            return Verdict(WITHHELD, None, None, (of_process(x) if x is not None else None) or cause)
        return Verdict(UNOWNED, None, None, cause)

    def _in_flight(self, x: Process, tp: TopicPartition) -> bool:
        """The owner will apply this grant, unless it has asked to join again or has given the partition up since."""
        if x.released:
            return False
        return self.state.state == STABLE or (self.state.state in (PREPARING, DEAD) and tp not in x.surrendered)


def _member_added_or_removed(event: Event) -> MemberId | None:
    """The one member that comes or goes by this fact; None for all other facts."""
    return event.member if isinstance(event, classic.MemberAdded | classic.MemberRemoved) else None


def _held(x: Process, tp: TopicPartition) -> tuple[str, bool, bool, bool, bool]:
    """The condition of a partition in a process's view; what is mostly empty is looked at before it is searched."""
    return (
        x.id,
        tp in x.positioned,
        bool(x.pending) and tp in x.pending,
        bool(x.restoring) and tp in x.restoring,
        bool(x.paused) and tp in x.paused,
    )


def _flagged(event: client.ClientEvent, process: Process | None) -> Iterable[TopicPartition]:
    """The partitions whose condition in the process's view this fact may change, but for those that come and go."""
    match event:
        case client.RevocationPending() | client.RestoreStart() | client.RestoreEnd() | client.Paused():
            return event.partitions
        case client.Resumed():
            return event.partitions
        case client.PositionReady():
            return [TopicPartition(topic, partition) for topic, partition, _ in event.offsets]
        case client.CallbackStart() if event.kind == "assigned" and process is not None:
            return process.pending
    return ()
