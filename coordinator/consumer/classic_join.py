"""JoinGroup in a consumer group (Kafka: GroupMetadataManager.classicGroupJoinToConsumerGroup).

A classic member is answered at once: it never leads, and its generation is its member epoch.
"""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from groupsim.assignors.errors import AssignorError
from groupsim.coordinator import classic
from groupsim.coordinator.classic.commands import Join, JoinAnswer
from groupsim.coordinator.classic.join import MEMBER_ID_REQUIRED_SINCE
from groupsim.coordinator.config import MigrationPolicy
from groupsim.coordinator.consumer import downgrade
from groupsim.coordinator.consumer.checks import check_size
from groupsim.coordinator.consumer.converted import PROTOCOL_TYPE
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused, join_timer
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.static_members import present, replace_static
from groupsim.coordinator.consumer.take_in_heartbeat import Change, settle, step, take_in
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import consumer as facts
from groupsim.events.consumer import ClassicMetadata

NO_TIMEOUT = -1


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
    config = group.configs.classic
    low, high = config.group_min_session_timeout_ms, config.group_max_session_timeout_ms
    if not low <= cmd.session_timeout_ms <= high:
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
    downgrades = cmd.instance_id is not None and downgrade.downgrades_with(known, cmd.instance_id)
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
    return JoinAnswer(generation=epoch, protocol_type=PROTOCOL_TYPE, protocol=cmd.protocols[0].name, member=member.id)


def _compatible(group: ConsumerGroup, cmd: Join) -> bool:
    """It offers a protocol that every classic member offers, too (Kafka: ConsumerGroup.supportsClassicProtocols)."""
    listed = [{p.name for p in m.classic.protocols} for m in group.members.values() if m.classic is not None]
    offers = Counter(name for names in listed for name in names)
    common = any(offers[protocol.name] == len(listed) for protocol in cmd.protocols)
    return cmd.protocol_type == PROTOCOL_TYPE and common


def _member(decision: ConsumerDecision, cmd: Join) -> Member:
    """The member as the group knows it, one that replaces a static member, or a new one. Raises RequestRefused."""
    member = cmd.member or cmd.new_uuid or cmd.new_member
    if cmd.instance_id is not None:
        if cmd.member:
            return present(decision.group, cmd.member, cmd.instance_id)
        if cmd.instance_id in decision.group.statics:
            return replace_static(decision, cmd.instance_id, member)
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
    downgrade.convert(decision, change.context.topics, joiner=member.id, epoch=change.known.epoch)
    if stale:
        reason = f"Downgrade group {decision.state.id} from consumer to classic with stale assignment."
        downgrade.rebalance(decision, reason, member.id)
    return member.epoch
