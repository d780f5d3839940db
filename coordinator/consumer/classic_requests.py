"""Requests of classic members to a consumer group: JoinGroup, SyncGroup, Heartbeat, LeaveGroup.

A classic member is answered at once: it never leads, and its generation is its member epoch. Kafka:
GroupMetadataManager.classicGroupJoinToConsumerGroup, classicGroupSyncToConsumerGroup,
classicGroupHeartbeatToConsumerGroup, classicGroupLeaveToConsumerGroup.
"""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from groupsim.assignors.errors import AssignorError
from groupsim.coordinator import classic
from groupsim.coordinator.classic.commands import (
    Heartbeat,
    HeartbeatAnswer,
    Join,
    JoinAnswer,
    Leave,
    LeaveAnswer,
    Leaving,
    Sync,
    SyncAnswer,
)
from groupsim.coordinator.classic.join import MEMBER_ID_REQUIRED_SINCE
from groupsim.coordinator.classic.state import CONSUMER_PROTOCOL_TYPE
from groupsim.coordinator.classic.sync import PROTOCOL_SINCE
from groupsim.coordinator.config import MigrationPolicy
from groupsim.coordinator.consumer.checks import check_size
from groupsim.coordinator.consumer.conversion import downgrade, downgrades_with, rebalance_downgraded
from groupsim.coordinator.consumer.decision import ConsumerDecision, join_timer, sync_timer
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.removal import remove
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.take_in_heartbeat import Change, settle, step, take_in
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import NO_TIMEOUT
from groupsim.coordinator.modern.members import present, replace_static
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import consumer as facts
from groupsim.events.classic import HeartbeatReceived
from groupsim.events.consumer import ClassicMetadata, LossCause, MemberState
from groupsim.events.types import MemberId


def join(group: ConsumerGroup, cmd: Join) -> Outcome[State]:
    """A JoinGroup; an empty consumer group makes room for a classic one."""
    decision = ConsumerDecision(group)
    try:
        _check_session(group, cmd)
        if not group.loaded:
            raise RequestRefused(Error.NOT_COORDINATOR)
        if group.members:
            decision.reply(cmd.request, _join(decision, cmd))
        else:
            _join_empty(decision, cmd)
    except RequestRefused as refusal:
        return _refused(decision, cmd, refusal.error)
    except AssignorError:
        return _refused(decision, cmd, Error.UNKNOWN_SERVER_ERROR)
    return decision.outcome()


def _refused(decision: ConsumerDecision, cmd: Join, error: Error) -> Outcome[State]:
    """Nothing changes. Only what is refused before the group is looked at echoes the id."""
    echoed = cmd.member if error is Error.INVALID_SESSION_TIMEOUT else ""
    decision.undo()
    decision.reply(cmd.request, JoinAnswer(error=error, member=echoed))
    return decision.outcome()


def _check_session(group: ConsumerGroup, cmd: Join) -> None:
    if not group.configs.classic.allows_session(cmd.session_timeout_ms):
        raise RequestRefused(Error.INVALID_SESSION_TIMEOUT)


def _join_empty(decision: ConsumerDecision, cmd: Join) -> None:
    """A new classic group, under every policy; only for a member without an id. One with an id is refused."""
    if cmd.member:
        decision.record(facts.EmptyGroupForgotten(member=cmd.member))
        decision.reply(cmd.request, JoinAnswer(error=Error.UNKNOWN_MEMBER_ID, member=cmd.member))
        return
    decision.record(facts.EmptyGroupDropped())
    assert isinstance(decision.state, classic.ClassicGroup)
    decision.take(classic.decide(decision.state, cmd))


def _join(decision: ConsumerDecision, cmd: Join) -> JoinAnswer:
    known = decision.group
    if known.config.group_consumer_migration_policy is MigrationPolicy.DISABLED:
        raise RequestRefused(Error.INCONSISTENT_GROUP_PROTOCOL)
    check_size(known, cmd.member, cmd.instance_id)
    if not _compatible(known, cmd):
        raise RequestRefused(Error.INCONSISTENT_GROUP_PROTOCOL)
    if not cmd.member and cmd.instance_id is None and cmd.version >= MEMBER_ID_REQUIRED_SINCE:
        return JoinAnswer(error=Error.MEMBER_ID_REQUIRED, member=cmd.new_uuid or cmd.new_member)
    downgrades = cmd.instance_id is not None and downgrades_with(known, cmd.instance_id)
    member = _member(decision, cmd)
    if cmd.protocols[0].metadata.unreadable is not None:
        named = known.behaviour.classic_metadata_refused_by_name
        raise RequestRefused(Error.INCONSISTENT_GROUP_PROTOCOL if named else Error.UNKNOWN_SERVER_ERROR)
    change = Change(
        known=known,
        before=member,
        after=_updated(member, cmd),
        owned=cmd.context.topics.ids_of(cmd.protocols[0].metadata.owned),
        context=cmd.context,
    )
    if downgrades:
        epoch = _downgrade(decision, change)
    else:
        settle(decision, change)
        joined = decision.group.members[member.id]
        epoch = joined.epoch
        decision.arm_session(joined.id, cmd.session_timeout_ms)
        decision.expect_sync(joined, cmd.rebalance_timeout_ms)
    return JoinAnswer(
        generation=epoch, protocol_type=CONSUMER_PROTOCOL_TYPE, protocol=cmd.protocols[0].name, member=member.id
    )


def _compatible(group: ConsumerGroup, cmd: Join) -> bool:
    """It offers a protocol that every classic member offers, too (Kafka: ConsumerGroup.supportsClassicProtocols)."""
    listed = [{p.name for p in m.classic.protocols} for m in group.members.values() if m.classic is not None]
    offers = Counter(name for names in listed for name in names)
    common = any(offers[protocol.name] == len(listed) for protocol in cmd.protocols)
    return cmd.protocol_type == CONSUMER_PROTOCOL_TYPE and common


def _member(decision: ConsumerDecision, cmd: Join) -> Member:
    """The member as the group knows it, one that replaces a static member, or a new one. Raises RequestRefused."""
    member = cmd.member or cmd.new_uuid or cmd.new_member
    if cmd.instance_id is not None:
        if cmd.member:
            return present(decision.group, cmd.member, cmd.instance_id)
        if cmd.instance_id in decision.group.statics:
            replace_static(decision, cmd.instance_id, member)
            return decision.group.members[member]
    return decision.group.members.get(member) or Member(id=member)


def _updated(member: Member, cmd: Join) -> Member:
    """The member with everything the request says: that of the first protocol; expressions are not for it."""
    subscription = cmd.protocols[0].metadata
    has_timeout = cmd.rebalance_timeout_ms != NO_TIMEOUT
    return replace(
        member,
        instance_id=member.instance_id if cmd.instance_id is None else cmd.instance_id,
        rack=member.rack if subscription.rack is None else subscription.rack,
        client_id=cmd.client_id,
        client_host=cmd.client_host,
        topics=tuple(sorted(set(subscription.topics))),
        expression="",
        rebalance_timeout_ms=cmd.rebalance_timeout_ms if has_timeout else member.rebalance_timeout_ms,
        classic=ClassicMetadata(session_timeout_ms=cmd.session_timeout_ms, protocols=cmd.protocols),
    )


def _downgrade(decision: ConsumerDecision, change: Change) -> int:
    """The member took the last native one's place: the group becomes classic; the member's epoch.

    A member whose coming lets the epoch grow is not reconciled: its answer has generation 0: defect
    `generation-zero`.
    """
    take_in(decision, change)
    stale = decision.group.target_epoch < decision.group.epoch
    if not stale:
        step(decision, change)
    member = decision.group.members[change.after.id]
    decision.disarm(join_timer(member.id))
    # Kafka has not applied the request's own records: the generation is the epoch before it.
    downgrade(decision, change.context.topics, joiner=member.id, epoch=change.known.epoch)
    if stale:
        reason = f"Downgrade group {decision.state.id} from consumer to classic with stale assignment."
        rebalance_downgraded(decision, reason, member.id)
    return member.epoch


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
    member, said = _classic_member(group, cmd.member, cmd.instance_id, cmd.generation)
    if cmd.protocol_type not in (None, CONSUMER_PROTOCOL_TYPE) or cmd.protocol not in (None, said.protocols[0].name):
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


def classic_heartbeat(group: ConsumerGroup, cmd: Heartbeat) -> Outcome[State]:
    """A valid heartbeat restarts the session, also where the member is asked to rejoin."""
    decision = ConsumerDecision(group)
    error = Error.NONE
    try:
        member, said = _classic_member(group, cmd.member, cmd.instance_id, cmd.generation)
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


def classic_leave(group: ConsumerGroup, cmd: Leave) -> Outcome[State]:
    """A batch with one result per entry; the epoch grows once, if anybody is removed."""
    decision = ConsumerDecision(group)
    if not group.loaded:
        decision.reply(cmd.request, LeaveAnswer(Error.NOT_COORDINATOR))
        return decision.outcome()
    results = []
    gone: dict[MemberId, None] = {}
    for entry in cmd.members:
        error = Error.NONE
        try:
            gone[_leaver(group, entry)] = None
        except RequestRefused as refusal:
            error = refusal.error
        results.append((entry.member, entry.instance_id, error))
    if gone:
        remove(decision, gone, LossCause.LEFT, cmd.context)
    decision.reply(cmd.request, LeaveAnswer(members=tuple(results)))
    return decision.outcome()


def _leaver(group: ConsumerGroup, entry: Leaving) -> MemberId:
    """The id of the member to remove; an administrator names the instance id alone. Raises RequestRefused."""
    member = entry.member
    if not member and entry.instance_id is not None:
        member = group.statics.get(entry.instance_id, "")
    return present(group, member, entry.instance_id).id


def _classic_member(
    group: ConsumerGroup, member: MemberId, instance_id: str | None, generation: int
) -> tuple[Member, ClassicMetadata]:
    """The classic member with this id, at this generation, with what its JoinGroup said. Raises RequestRefused.

    Kafka: GroupMetadataManager.validateConsumerGroupMember, throwIfMemberDoesNotUseClassicProtocol,
    throwIfGenerationIdUnmatched.
    """
    if not group.loaded:
        raise RequestRefused(Error.NOT_COORDINATOR)
    sender = present(group, member, instance_id)
    if sender.classic is None:
        raise RequestRefused(Error.UNKNOWN_MEMBER_ID)
    if generation != sender.epoch:
        raise RequestRefused(Error.ILLEGAL_GENERATION)
    return sender, sender.classic
