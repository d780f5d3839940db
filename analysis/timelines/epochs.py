"""The rebalances of a consumer group: each growth of its epoch, until all its members have reached it (KIP-848).

Epochs overlap: a member may be informed of the next one before it has reached this one, and then never stops at this
one. A rebalance therefore ends when each of its members is STABLE at its epoch or at a later one. Who joins later
belongs to the epoch that it caused; who is removed is waited for no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.analysis.epoch_causes import EpochCause, EpochCauses
from groupsim.analysis.process_state import Processes
from groupsim.analysis.timelines.group_timeline import GroupCondition, GroupTimeline, Removal
from groupsim.analysis.timelines.rebalance import Phase, PhaseEnd, PhaseName, Rebalance
from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.events.base import Event
from groupsim.events.client import MemberPhase
from groupsim.events.consumer import MemberState
from groupsim.events.types import MemberId, ProcessId, TopicPartition


@dataclass(slots=True)
class Epoch:
    """One epoch on its way: which members were informed, have given up, have reached it. Times in ms of the run.

    `waiting`: members that have not come to this epoch or a later one; who joins later is not waited for. `gave_up_ms`:
    when one that had to revoke sent word of it, `acknowledged_ms` when that arrived. `removed`: members that never
    reached it.
    """

    epoch: int
    row: Rebalance
    waiting: set[MemberId]
    computed_ms: int | None = None
    informed_ms: dict[MemberId, int] = field(default_factory=dict)
    gave_up_ms: dict[MemberId, int] = field(default_factory=dict)
    acknowledged_ms: dict[MemberId, int] = field(default_factory=dict)
    reached_ms: dict[MemberId, int] = field(default_factory=dict)
    removed: set[MemberId] = field(default_factory=set)

    @property
    def done(self) -> bool:
        """It has a target, or a later one has, and all have reached it."""
        return self.computed_ms is not None and not self.waiting

    def informed(self, member: MemberId, at_ms: int) -> None:
        """The member's heartbeat was answered with the target."""
        if member in self.waiting:
            self.informed_ms.setdefault(member, at_ms)

    def revokes(self, member: MemberId) -> None:
        """The member has to give something up first."""
        if member in self.waiting:
            self.gave_up_ms.setdefault(member, -1)

    def acknowledged(self, member: MemberId, sent_ms: int | None, at_ms: int) -> None:
        """The coordinator knows that the member has given up what it had to; `sent_ms`: when it said so."""
        if member in self.waiting and member in self.gave_up_ms and member not in self.acknowledged_ms:
            known = sent_ms is not None and self.informed_ms.get(member, at_ms) <= sent_ms <= at_ms
            self.gave_up_ms[member] = sent_ms if known and sent_ms is not None else at_ms
            self.acknowledged_ms[member] = at_ms

    def reached(self, member: MemberId, at_ms: int) -> None:
        """The member has all that it is to have."""
        if member in self.waiting:
            self.waiting.discard(member)
            self.informed_ms.setdefault(member, at_ms)
            self.reached_ms[member] = at_ms

    def lost(self, member: MemberId, at_ms: int) -> None:
        """The member is gone, and nobody waits for it any more."""
        if member in self.waiting:
            if member in self.gave_up_ms:
                self.acknowledged(member, None, at_ms)
            self.reached(member, at_ms)
            self.removed.add(member)

    def renamed(self, old: MemberId, new: MemberId) -> None:
        """A static member has another id."""
        for known in (self.informed_ms, self.gave_up_ms, self.acknowledged_ms):
            known.pop(old, None)  # the new process begins anew
        if old in self.waiting:
            self.waiting.discard(old)
            self.waiting.add(new)

    def finish(self, at_ms: int | None) -> None:
        """The rebalance's phases; `at_ms` is None where it has not ended."""
        row = self.row
        row.phases = list(self._phases(row.started_ms, at_ms))
        row.joined = len(self.reached_ms) - len(self.removed)
        row.stored = at_ms is not None and not self.waiting and bool(row.joined)
        row.arrived_ms = dict(self.reached_ms)
        row.slowest_member = None if self.waiting and at_ms is None else _last(self.reached_ms)

    def name(self, names: Mapping[MemberId, ProcessId]) -> None:
        """Name the members in the row by their processes."""
        row = self.row
        row.expected = tuple(sorted({names.get(x, x) for x in row.expected}))
        row.initiator, row.slowest_member = (names.get(x, x) if x else x for x in (row.initiator, row.slowest_member))
        row.assignment = {tp: names.get(x, x) for tp, x in row.assignment.items()}
        row.arrived_ms = {names.get(x, x): at for x, at in row.arrived_ms.items()}
        for phase in row.phases:
            phase.waited_for = names.get(phase.waited_for or "", phase.waited_for)

    def _phases(self, from_ms: int, at_ms: int | None) -> Iterator[Phase]:
        """Neighbours touch; what took no time is left out. The last one that began is open where it has not ended."""
        ends = [
            (PhaseName.ASSIGNING, self.computed_ms, None),
            (PhaseName.TOLD, *self._all(self.informed_ms, self.waiting - self.informed_ms.keys())),
            (PhaseName.REVOKING, *self._all(self._sent(), self.gave_up_ms.keys() - self._sent().keys())),
            (PhaseName.ACKNOWLEDGING, *self._all(self.acknowledged_ms, self.gave_up_ms.keys() - self._sent().keys())),
            (PhaseName.GRANTING, at_ms, _last(self.reached_ms)),
        ]
        begun = from_ms
        for name, to_ms, member in ends:
            last = name is PhaseName.GRANTING
            to_ms = at_ms if to_ms is None else to_ms if at_ms is None else min(to_ms, at_ms)
            if to_ms is None or to_ms > begun or (last and begun == from_ms):
                yield Phase(name, begun, to_ms, self._ended_by(to_ms, member), member)
            if to_ms is None:
                return
            begun = max(begun, to_ms)

    def _ended_by(self, to_ms: int | None, member: MemberId | None) -> PhaseEnd | None:
        if to_ms is None:
            return None
        return PhaseEnd.REMOVAL if member in self.removed and self.reached_ms.get(member) == to_ms else PhaseEnd.REACHED

    def _sent(self) -> dict[MemberId, int]:
        return {member: at for member, at in self.gave_up_ms.items() if at >= 0}

    @staticmethod
    def _all(done_ms: dict[MemberId, int], missing: set[MemberId]) -> tuple[int | None, MemberId | None]:
        """When the last of all was done, and who that was; None while one is missing, and 0 if it was nobody."""
        if missing:
            return None, min(missing)
        return max(done_ms.values(), default=0), _last(done_ms)


def _last(done_ms: dict[MemberId, int]) -> MemberId | None:
    return max(sorted(done_ms), key=lambda member: done_ms[member], default=None)


_NEW_TARGET = (c.GroupUpgraded, c.GroupEpochBumped, c.TargetComputed, c.ConsumerMemberRemoved, c.StaticMemberReplaced)


@dataclass(slots=True)
class Epochs:
    """Folds the coordinator's facts of one group into the rebalances of its timeline.

    `state` is None while it is no consumer group. `all` has every epoch of the run, `running` those that somebody has
    yet to reach. `said_ms`: when each process last sent what it holds. `last_owners`: the target's, before the last.
    """

    timeline: GroupTimeline
    processes: Processes
    state: ConsumerGroupState | None = None
    all: list[Epoch] = field(default_factory=list)
    running: list[Epoch] = field(default_factory=list)
    causes: EpochCauses = field(default_factory=EpochCauses)
    said_ms: dict[ProcessId, int] = field(default_factory=dict)
    last_owners: dict[TopicPartition, MemberId] = field(default_factory=dict)

    def said(self, event: p.ClientEvent, at_ms: int) -> None:
        """A process sends what it holds: an acknowledgement, or JoinGroup of the classic protocol."""
        match event:
            case p.StateChanged(state=MemberPhase.ACKNOWLEDGING.value) | p.JoinSent() | p.LeaveSent():
                self.said_ms[event.process] = at_ms
            case p.EpochReceived() if self.timeline.recorded and self.state is not None:
                self._reported(event, at_ms)

    def begin(
        self, event: Event, state: ConsumerGroupState, last_owners: Mapping[TopicPartition, MemberId], at_ms: int
    ) -> None:
        """It is a consumer group from now on; `state` has the members of the classic group."""
        self.state = state
        self.timeline.progress.begin(at_ms)
        self.causes = EpochCauses()
        self.last_owners = {}
        if isinstance(event, c.GroupUpgraded):
            given = {tp: member for member, partitions in event.assignment.items() for tp in partitions}
            self.last_owners = {**last_owners, **given}

    def apply(self, event: Event, at_ms: int) -> None:
        """Fold one fact of the coordinator of a consumer group."""
        assert self.state is not None
        self.state.apply(event)
        cause = self.causes.apply(event)
        match event:
            case c.GroupEpochBumped() if cause is not None:
                self._bumped(event, cause, at_ms)
            case c.TargetComputed():
                self._computed(event, at_ms)
            case c.MemberReconciled():
                self._reconciled(event, at_ms)
            case c.ConsumerMemberRemoved():
                self._removed(event, at_ms)
            case c.StaticMemberReplaced():
                self._replaced(event, at_ms)
        self._remember(event, at_ms)
        self._finish(at_ms)
        self._set_condition(at_ms)

    def end(self, at_ms: int) -> None:
        """The group is no consumer group any more: nobody waits for what runs."""
        for epoch in self.running:
            epoch.finish(at_ms)
        self.timeline.progress.consumer.put(at_ms, False)
        self.running, self.state = [], None

    def finished(self, names: Mapping[MemberId, ProcessId]) -> None:
        """The run is over: what still runs has no end, and members are named by their processes."""
        for epoch in self.running:
            epoch.finish(None)
        for epoch in self.all:
            epoch.name(names)
        self.timeline.progress.names = dict(names)

    def _bumped(self, event: c.GroupEpochBumped, cause: EpochCause, at_ms: int) -> None:
        assert self.state is not None
        row = Rebalance(self.timeline.group, cause.word, [Phase(PhaseName.ASSIGNING, at_ms)], event.epoch)
        row.initiator, row.expected = cause.member, tuple(sorted(self.state.members))
        row.moved = row.revoked = 0
        epoch = Epoch(event.epoch, row, set(self.state.members))
        self.timeline.rebalances.append(row)
        self.all.append(epoch)
        self.running.append(epoch)

    def _computed(self, event: c.TargetComputed, at_ms: int) -> None:
        """The target is that of every epoch that has none yet; what it moves counts with the last one."""
        assert self.state is not None
        owners = {tp: member for member, given in self.state.targets.items() for tp in given}
        for epoch in self.running:
            if epoch.computed_ms is None and epoch.epoch <= event.epoch:
                epoch.computed_ms, epoch.row.assignment = at_ms, owners
                if self.timeline.recorded and self.state.targets.keys() < self.state.members.keys():
                    epoch.row.moved = epoch.row.revoked = None  # of some members no log shows what they got
                elif epoch.epoch == event.epoch:
                    last = self.last_owners
                    epoch.row.moved = sum(last.get(tp, member) != member for tp, member in owners.items())
                    epoch.row.revoked = sum(owners.get(tp) != member for tp, member in last.items())
        self.last_owners = owners

    def _reconciled(self, event: c.MemberReconciled, at_ms: int) -> None:
        assert self.state is not None
        said_ms = self.said_ms.get(self._name(event.member))
        for epoch in self.running:
            if epoch.epoch > self.state.target_epoch:
                continue
            if event.state is MemberState.UNREVOKED_PARTITIONS:
                epoch.informed(event.member, at_ms)
                epoch.revokes(event.member)
            elif event.epoch >= epoch.epoch:
                epoch.informed(event.member, at_ms)
                epoch.acknowledged(event.member, said_ms, at_ms)
                if event.state is MemberState.STABLE:
                    epoch.reached(event.member, at_ms)

    def _reported(self, event: p.EpochReceived, at_ms: int) -> None:
        """A member's own log shows the epoch: it has given up what it had to, which no broker's log shows."""
        assert self.state is not None
        member = self.state.members.get(event.member)
        if member is None or member.state is not MemberState.UNREVOKED_PARTITIONS or event.epoch <= member.epoch:
            return
        for epoch in self.running:
            if epoch.epoch <= event.epoch:
                epoch.acknowledged(event.member, self.said_ms.get(event.process), at_ms)
                if member.assigned == set(self.state.targets.get(event.member, ())):
                    epoch.reached(event.member, at_ms)
        self._finish(at_ms)
        self._set_condition(at_ms)

    def _removed(self, event: c.ConsumerMemberRemoved, at_ms: int) -> None:
        self.timeline.removals.setdefault(self._name(event.member), []).append(Removal(at_ms, event.cause))
        for epoch in self.running:
            epoch.lost(event.member, at_ms)

    def _replaced(self, event: c.StaticMemberReplaced, at_ms: int) -> None:
        self.timeline.returns_ms.setdefault(self._name(event.old), []).append(at_ms)
        self.last_owners = {tp: event.member if m == event.old else m for tp, m in self.last_owners.items()}
        for epoch in self.running:
            epoch.renamed(event.old, event.member)

    def _remember(self, event: Event, at_ms: int) -> None:
        assert self.state is not None
        progress, new_target = self.timeline.progress, isinstance(event, _NEW_TARGET)
        upgraded = isinstance(event, c.GroupUpgraded)
        for member in self.state.members if upgraded else (getattr(event, "member", None),):
            progress.remember(self.state, member, new_target, at_ms)

    def _finish(self, at_ms: int) -> None:
        assert self.state is not None
        for epoch in self.running:
            epoch.row.emptied = not self.state.members
            if epoch.done or epoch.row.emptied:
                epoch.finish(at_ms)
        self.running = [epoch for epoch in self.running if epoch.row.ended_ms is None]

    def _set_condition(self, at_ms: int) -> None:
        """The rebalance that counts at an instant is the one that began last."""
        assert self.state is not None
        last = next((epoch.row for epoch in reversed(self.all) if epoch.row.stored), None)
        if not self.state.loaded:
            self.timeline.enter(at_ms, GroupCondition.UNLOADED, self.running[-1].row if self.running else None)
        elif not self.state.members:
            self.timeline.enter(at_ms, GroupCondition.EMPTY, None)
        elif self.running:
            self.timeline.enter(at_ms, GroupCondition.REBALANCING, self.running[-1].row)
        else:
            self.timeline.enter(at_ms, GroupCondition.SETTLED, last)

    def _name(self, member: MemberId) -> ProcessId:
        process = self.processes.of(member)
        return process.id if process is not None else member
