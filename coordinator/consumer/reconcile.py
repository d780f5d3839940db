"""One step of one member towards its target (Kafka: CurrentAssignmentBuilder)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from groupsim.coordinator.broker_versions import Behaviour
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.owners import Owners
from groupsim.coordinator.consumer.state import Member
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.evolve import held, same
from groupsim.coordinator.modern.state import Holding
from groupsim.coordinator.outcome import Error
from groupsim.events import consumer as facts
from groupsim.events.consumer import MemberState
from groupsim.events.types import Partitions, TopicId, TopicPartition


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What a step of `member` looks at: its target at `target_epoch`, and the partitions that somebody holds.

    `subscribed` are the topics that it subscribes to and that exist, `subscribes`: there are any, existing or not;
    `subscription_changed`: in this very request.
    `owned` is what it says it still has, None if it says nothing.
    """

    member: Member
    target_epoch: int
    target: Partitions
    taken: Owners
    subscribed: Container[TopicId]
    subscribes: bool
    subscription_changed: bool
    owned: Partitions | None
    behaviour: Behaviour

    def holds(self, partitions: Iterable[TopicPartition]) -> bool:
        """Whether it may still use one of these: it says so, or says nothing."""
        return self.owned is None or not set(self.owned).isdisjoint(partitions)


def reconcile(decision: ConsumerDecision, step: Step) -> None:
    """Take the step; the rebalance timeout runs from the last one that changed something. Classic members have none."""
    before = step.member
    after = next_member(step)
    if after is before or after == before:
        return
    holds: dict[str, Any] = {"assigned": held(after.assigned), "pending": held(after.pending)}
    fact = facts.MemberReconciled(member=after.id, **same(after, facts.MemberReconciled, *holds), **holds)
    if after.classic is not None:
        decision.record(fact)
    else:
        decision.step(fact, after)


def next_member(step: Step) -> Member:
    """The member after the step; the same object if there is nothing to do. Raises RequestRefused."""
    member = step.member
    match member.state:
        case MemberState.STABLE:
            if member.epoch != step.target_epoch:
                return _towards_target(step)
            return _drop_unsubscribed(step)
        case MemberState.UNREVOKED_PARTITIONS:
            # A newer target is not looked at before everything is given up.
            if step.holds(member.pending):
                return _drop_unsubscribed(step)
            return _towards_target(step, grows=step.behaviour.epoch_grows_on_acknowledgement)
        case MemberState.UNRELEASED_PARTITIONS:
            return _towards_target(step)
        case MemberState.UNKNOWN:
            # Only a member that holds nothing can be brought back from a state that newer software wrote.
            if step.owned != ():
                raise RequestRefused(Error.FENCED_MEMBER_EPOCH)
            return _towards_target(step)


def _towards_target(step: Step, *, grows: bool = False) -> Member:
    """Kafka: CurrentAssignmentBuilder.computeNextAssignment.

    `grows`: where it has to give more up, its epoch grows by one. A partition that the member itself has to give up
    counts as free (KAFKA-19449).
    """
    member = step.member
    drops = step.behaviour.unsubscribed_go_at_once
    target = [p for p in step.target if p[0] in step.subscribed] if drops else list(step.target)
    wanted = set(target)
    kept = {p: epoch for p, epoch in member.assigned.items() if p in wanted}
    revoked = {p: epoch for p, epoch in member.assigned.items() if p not in wanted}
    if revoked and step.holds(revoked):
        return _moved(member, member.epoch + grows, MemberState.UNREVOKED_PARTITIONS, kept, revoked)
    missing = [p for p in target if p not in kept]
    free = step.taken.free(missing)
    if member.pending and len(free) < len(missing) and step.behaviour.own_pending_is_free:
        others = set(free)
        free = [p for p in missing if p in others or p in member.pending]
    state = MemberState.STABLE if len(free) == len(missing) else MemberState.UNRELEASED_PARTITIONS
    assigned = {**kept, **dict.fromkeys(free, step.target_epoch)} if free else kept
    return _moved(member, step.target_epoch, state, assigned, {})


def _drop_unsubscribed(step: Step) -> Member:
    """Partitions of topics that this request no longer subscribes to go at once (4.4).

    Kafka: CurrentAssignmentBuilder.updateCurrentAssignment.
    """
    member = step.member
    if not step.subscription_changed or not step.behaviour.unsubscribed_go_at_once:
        return member
    gone = {p: epoch for p, epoch in member.assigned.items() if p.topic not in step.subscribed}
    # Defect `written-anew`: a member that subscribes to nothing, and holds nothing.
    if not gone and (step.subscribes or member.pending):
        return member
    kept = {p: epoch for p, epoch in member.assigned.items() if p not in gone}
    pending = {**member.pending, **gone}
    if pending and step.holds(pending):
        return _moved(member, member.epoch, MemberState.UNREVOKED_PARTITIONS, kept, pending)
    return _moved(member, member.epoch, member.state, kept, member.pending)


def _moved(member: Member, epoch: int, state: MemberState, assigned: Holding, pending: Holding) -> Member:
    return replace(member, epoch=epoch, previous_epoch=member.epoch, state=state, assigned=assigned, pending=pending)
