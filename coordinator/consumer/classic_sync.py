"""SyncGroup in a consumer group (Kafka: GroupMetadataManager.classicGroupSyncToConsumerGroup)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Sync, SyncAnswer
from groupsim.coordinator.classic.sync import PROTOCOL_SINCE
from groupsim.coordinator.consumer.classic_members import classic_member
from groupsim.coordinator.consumer.converted import PROTOCOL_TYPE
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused, sync_timer
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.consumer import MemberState


def sync(group: ConsumerGroup, cmd: Sync) -> Outcome[State]:
    """The member learns what it is assigned; what it sends as a leader is ignored."""
    decision = ConsumerDecision(group)
    try:
        decision.reply(cmd.request, _sync(decision, cmd))
    except RequestRefused as refusal:
        decision.reply(cmd.request, SyncAnswer(error=refusal.error))
    return decision.outcome()


def _sync(decision: ConsumerDecision, cmd: Sync) -> SyncAnswer:
    if cmd.version >= PROTOCOL_SINCE and (cmd.protocol_type is None or cmd.protocol is None):
        raise RequestRefused(Error.INCONSISTENT_GROUP_PROTOCOL)
    group = decision.group
    member, said = classic_member(group, cmd.member, cmd.instance_id, cmd.generation)
    if cmd.protocol_type not in (None, PROTOCOL_TYPE) or cmd.protocol not in (None, said.protocols[0].name):
        raise RequestRefused(Error.INCONSISTENT_GROUP_PROTOCOL)
    if _behind(group, member):
        decision.expect_join(member)
        raise RequestRefused(Error.REBALANCE_IN_PROGRESS)
    decision.disarm(sync_timer(member.id))
    decision.arm_session(member.id, said.session_timeout_ms)
    return SyncAnswer(
        protocol_type=cmd.protocol_type,
        protocol=cmd.protocol,
        assignment=cmd.context.topics.names_of(tuple(member.assigned)),
    )


def _behind(group: ConsumerGroup, member: Member) -> bool:
    """There is a newer target; a member that has to give partitions up first learns what it keeps."""
    return group.classic_epoch > member.epoch and member.state is not MemberState.UNREVOKED_PARTITIONS
