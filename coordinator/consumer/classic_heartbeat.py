"""Heartbeat in a consumer group (Kafka: GroupMetadataManager.classicGroupHeartbeatToConsumerGroup)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Heartbeat, HeartbeatAnswer
from groupsim.coordinator.consumer.classic_members import classic_member
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.classic import HeartbeatReceived
from groupsim.events.consumer import MemberState


def classic_heartbeat(group: ConsumerGroup, cmd: Heartbeat) -> Outcome[State]:
    """A valid heartbeat restarts the session, also where the member is asked to rejoin."""
    decision = ConsumerDecision(group)
    error = Error.NONE
    try:
        member, said = classic_member(group, cmd.member, cmd.instance_id, cmd.generation)
        decision.arm_session(member.id, said.session_timeout_ms)
        if _must_rejoin(group, member):
            decision.expect_join(member)
            error = Error.REBALANCE_IN_PROGRESS
    except RequestRefused as refusal:
        error = refusal.error
    decision.record(HeartbeatReceived(member=cmd.member, generation=cmd.generation, error=error.name))
    decision.reply(cmd.request, HeartbeatAnswer(error))
    return decision.outcome()


def _must_rejoin(group: ConsumerGroup, member: Member) -> bool:
    """There is a newer target, or something to give up, or nobody holds any longer what it waits for."""
    if member.epoch < group.classic_epoch or member.state is MemberState.UNREVOKED_PARTITIONS:
        return True
    if member.state is not MemberState.UNRELEASED_PARTITIONS:
        return False
    return not any(p not in member.assigned and p in group.owners for p in group.targets.get(member.id, ()))
