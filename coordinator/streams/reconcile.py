"""One step of one member towards its target (Kafka: streams.CurrentAssignmentBuilder)."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from groupsim.coordinator.modern.state import Holding
from groupsim.coordinator.streams.evolve import StreamsDecision, reconciled
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.events.consumer import MemberState
from groupsim.events.streams import Tasks
from groupsim.events.types import Partitions, TopicPartition

Owned = tuple[Partitions, Partitions, Partitions]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What a step of `member` looks at: its target at `target_epoch`, and what the members of `known` hold.

    `known` is the group before the request; `owned` is what the member says it still has, None if it says nothing.
    """

    member: Member
    target_epoch: int
    target: Tasks
    known: StreamsGroup
    owned: Owned | None

    def holds(self, active: Holding, standby: Partitions) -> bool:
        """Whether it may still run one of these: it says so, or says nothing."""
        if self.owned is None:
            return True
        return not (active.keys().isdisjoint(self.owned[0]) and set(standby).isdisjoint(self.owned[1]))

    def blocked(self) -> tuple[set[TopicPartition], set[TopicPartition]]:
        """Tasks that it may not be given yet, as active and as standby ones.

        Nobody may run an active task. In one process no task stands twice, but who has a standby may always run it as
        active. What the member itself has to give up counts like what another one has; before Kafka 4.4, all it has.
        """
        active: set[TopicPartition] = set()
        standby: set[TopicPartition] = set()
        own = self.member.id if self.known.behaviour.streams_copies_at_once else None
        for other in self.known.members.values():
            active.update(other.active, other.pending_active)
            if other.process != self.member.process:
                continue
            copies = set(other.pending_standby)
            standby.update(other.pending_active)
            if other.id != own:
                copies.update(other.standby)
                standby.update(other.active)
            active |= copies.difference(self.member.standby if own is not None else ())
            standby |= copies
        return active, standby


def reconcile(decision: StreamsDecision, step: Step) -> None:
    """Take the step; the rebalance timeout runs from the last one that changed something."""
    after = next_member(step)
    if after != step.member:
        decision.step(reconciled(after), after)


def next_member(step: Step) -> Member:
    """The member after the step; the same if there is nothing to do."""
    member = step.member
    if member.settled(step.target_epoch):
        return member
    if member.state is not MemberState.UNREVOKED_PARTITIONS:
        return _towards_target(step, member.epoch)
    # A newer target is not looked at before everything is given up.
    if step.holds(member.pending_active, member.pending_standby):
        return member
    return _towards_target(step, member.epoch + 1)


def _towards_target(step: Step, epoch: int) -> Member:
    """`epoch` stays while there is something to give up.

    An active task that becomes a standby on this member is converted at once. A standby that becomes active stays until
    the active one is granted.
    """
    member, active, standby = step.member, set(step.target.active), set(step.target.standby)
    kept = {task: since for task, since in member.active.items() if task in active}
    revoked = {task: since for task, since in member.active.items() if task not in active}
    at_once = step.known.behaviour.streams_copies_at_once
    stays = standby | active if at_once else standby
    copies = [task for task in member.standby if task in stays]
    if at_once:
        copies += [task for task in revoked if task in standby and task not in copies]
    revoked_copies = tuple(task for task in member.standby if task not in stays)
    if (revoked or revoked_copies) and step.holds(revoked, revoked_copies):
        state = MemberState.UNREVOKED_PARTITIONS
        return _moved(member, epoch, state, kept, copies, revoked, revoked_copies)
    wanted = [task for task in step.target.active if task not in kept]
    wanted_copies = [task for task in step.target.standby if task not in copies]
    if not wanted and not wanted_copies:
        return _moved(member, step.target_epoch, MemberState.STABLE, kept, copies)
    blocked, blocked_copies = step.blocked()
    granted = [task for task in wanted if task not in blocked]
    copies += [task for task in wanted_copies if task not in blocked_copies]
    released = len(granted) == len(wanted) and blocked_copies.isdisjoint(wanted_copies)
    state = MemberState.STABLE if released else MemberState.UNRELEASED_PARTITIONS
    copies = [task for task in copies if task not in granted]
    return _moved(member, step.target_epoch, state, kept | dict.fromkeys(granted, step.target_epoch), copies)


def _moved(
    member: Member,
    epoch: int,
    state: MemberState,
    active: Holding,
    standby: list[TopicPartition],
    pending_active: Holding | None = None,
    pending_standby: Partitions = (),
) -> Member:
    copies = tuple(sorted(standby))
    return replace(
        member,
        epoch=epoch,
        previous_epoch=member.epoch,
        state=state,
        active=active,
        standby=copies,
        tasks=Tasks(tuple(sorted(active)), copies),
        pending_active=pending_active or {},
        pending_standby=pending_standby,
    )
