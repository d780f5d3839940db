"""ConsumerGroupHeartbeat of a member that joins or stays (Kafka: GroupMetadataManager.consumerGroupHeartbeat)."""

from __future__ import annotations

from dataclasses import replace

from groupsim.assignors.errors import AssignorError
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.consumer import checks
from groupsim.coordinator.consumer.commands import JOIN_EPOCH, NO_TIMEOUT, ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.consumer.convert import open_group
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused
from groupsim.coordinator.consumer.expressions import expression_changed
from groupsim.coordinator.consumer.leave import leave
from groupsim.coordinator.consumer.reconcile import Step, reconcile
from groupsim.coordinator.consumer.settings import heartbeat_interval_ms, session_timeout_ms
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.static_members import join_static, present
from groupsim.coordinator.consumer.subscription import refresh, topics_of
from groupsim.coordinator.consumer.target import same_subscription, update_target
from groupsim.coordinator.consumer.votes import next_preferred, preferred
from groupsim.coordinator.outcome import Error, Outcome, Reply
from groupsim.events import consumer as facts
from groupsim.events.consumer import BumpCause
from groupsim.events.types import MemberId, Partitions

State = ClassicGroup | ConsumerGroup


def heartbeat(state: State, cmd: ConsumerHeartbeat) -> Outcome[State]:
    """Every heartbeat, also one that leaves. A refused one changes nothing and does not let the session start anew."""
    decision = ConsumerDecision(state)
    try:
        checks.check_request(state.id, state.configs.consumer, cmd)
        answer = _leave(decision, cmd) if cmd.epoch < JOIN_EPOCH else _stay(decision, cmd)
    except RequestRefused as refusal:
        return _refused(state, cmd, refusal.error)
    except AssignorError:
        return _refused(state, cmd, Error.UNKNOWN_SERVER_ERROR)
    decision.record(_received(answer.member or cmd.member, answer.epoch, Error.NONE))
    decision.reply(cmd.request, answer)
    return decision.outcome()


def _refused(state: State, cmd: ConsumerHeartbeat, error: Error) -> Outcome[State]:
    fact = _received(cmd.member, cmd.epoch, error)
    return Outcome(state, (fact,), (Reply(cmd.request, ConsumerHeartbeatAnswer(error)),))


def _received(member: MemberId, epoch: int, error: Error) -> facts.ConsumerHeartbeatReceived:
    return facts.ConsumerHeartbeatReceived(member=member, epoch=epoch, error=error.name)


def _leave(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> ConsumerHeartbeatAnswer:
    if not isinstance(decision.state, ConsumerGroup):
        raise RequestRefused(Error.GROUP_ID_NOT_FOUND)
    leave(decision, cmd)
    return ConsumerHeartbeatAnswer(member=cmd.member, epoch=cmd.epoch)


def _stay(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> ConsumerHeartbeatAnswer:
    open_group(decision, creates=cmd.epoch == JOIN_EPOCH)
    known = decision.group
    _check_size(known, cmd)
    member = _member(decision, cmd)
    if cmd.epoch != JOIN_EPOCH or _rejoin_is_checked(known, cmd):
        _check_epoch(member, cmd.epoch, cmd.owned)
    after = updated(member, cmd)
    settle(decision, known=known, before=member, after=after, cmd=cmd)
    now = decision.group.members[after.id]
    config = decision.group.config
    decision.arm_session(now.id, session_timeout_ms(config, cmd.context))
    tells = cmd.epoch == JOIN_EPOCH or cmd.full or now.assigned.keys() != member.assigned.keys()
    return ConsumerHeartbeatAnswer(
        member=now.id,
        epoch=now.epoch,
        heartbeat_interval_ms=heartbeat_interval_ms(config, cmd.context),
        assignment=tuple(sorted(now.assigned)) if tells else None,
    )


def settle(
    decision: ConsumerDecision,
    *,
    known: ConsumerGroup,
    before: Member,
    after: Member,
    cmd: ConsumerHeartbeat,
) -> None:
    """Take in what the member says, let the epoch grow, compute the target and reconcile the member.

    `known` is the group before the request: its instance ids decide where the last target is looked up.
    """
    assignor = next_preferred(decision.group, before, after)
    winner_changes = decision.group.behaviour.assignor_change_bumps and assignor != preferred(decision.group)
    if after.id not in decision.group.members or after != before:
        decision.record(member_updated(after))
    renamed = before.topics != after.topics
    expressed = expression_changed(decision, before, after, cmd.context)
    cause = None
    if renamed:
        cause = BumpCause.SUBSCRIPTION_CHANGED
    elif expressed:
        cause = BumpCause.EXPRESSION_CHANGED
    elif winner_changes:
        cause = BumpCause.ASSIGNOR_CHANGED
    looked = refresh(decision, cmd.context.topics, cause, after.id)
    # Seen in Kafka 4.4: only then it is asked anew whether all members have the same subscription.
    homogeneous = same_subscription(decision.group if looked else known)
    computed = update_target(decision, cmd.context, assignor, homogeneous=homogeneous)
    group = decision.group
    member = group.members[after.id]
    changed = renamed or before.expression != after.expression
    if not changed and member.settled(group.target_epoch):
        return
    # Seen in Kafka 4.4: an instance id that the group does not know yet finds no target, unless there is a new one.
    lost = not computed and after.instance_id is not None and after.instance_id not in known.statics
    reconcile(
        decision,
        Step(
            member=member,
            target_epoch=group.target_epoch,
            target=() if lost else group.targets.get(member.id, ()),
            taken=group.owners,
            subscribed={topic.id for topic in topics_of(group, member, cmd.context.topics)},
            subscription_changed=changed,
            owned=cmd.owned,
            behaviour=group.behaviour,
        ),
    )


def _check_size(group: ConsumerGroup, cmd: ConsumerHeartbeat) -> None:
    """A full group takes known members, and static ones that take over (4.4), whatever their epoch."""
    if len(group.members) < group.config.group_consumer_max_size or cmd.member in group.members:
        return
    exempt = group.behaviour.static_members_exempt_from_size
    if not exempt or cmd.instance_id is None or cmd.instance_id not in group.statics:
        raise RequestRefused(Error.GROUP_MAX_SIZE_REACHED)


def _rejoin_is_checked(group: ConsumerGroup, cmd: ConsumerHeartbeat) -> bool:
    """Before Kafka 4.2 a known dynamic member joins again only at epoch 0, or after an answer that was lost."""
    return cmd.instance_id is None and not group.behaviour.epoch_zero_always_allowed


def _member(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> Member:
    """The member as the group knows it, or a new one. Raises RequestRefused."""
    if cmd.epoch != JOIN_EPOCH:
        return present(decision.group, cmd.member, cmd.instance_id)
    member = cmd.member or cmd.new_member
    if cmd.instance_id is not None:
        return join_static(decision, cmd, member)
    return decision.group.members.get(member) or Member(id=member)


def _check_epoch(member: Member, epoch: int, owned: Partitions | None) -> None:
    """The member's epoch, or the one before if it owns nothing that it was not given by then: its answer was lost."""
    if epoch == member.epoch:
        return
    lost_answer = epoch < member.epoch and epoch == member.previous_epoch
    if not lost_answer or owned is None or not all(p in member.assigned for p in owned):
        raise RequestRefused(Error.FENCED_MEMBER_EPOCH)


def updated(member: Member, cmd: ConsumerHeartbeat) -> Member:
    """The member with everything the request says."""
    has_timeout = cmd.rebalance_timeout_ms != NO_TIMEOUT
    return replace(
        member,
        instance_id=member.instance_id if cmd.instance_id is None else cmd.instance_id,
        rack=member.rack if cmd.rack is None else cmd.rack,
        client_id=cmd.client_id,
        client_host=cmd.client_host,
        topics=member.topics if cmd.topics is None else tuple(sorted(set(cmd.topics))),
        expression=member.expression if cmd.expression is None else cmd.expression,
        assignor=member.assignor if cmd.assignor is None else cmd.assignor,
        rebalance_timeout_ms=cmd.rebalance_timeout_ms if has_timeout else member.rebalance_timeout_ms,
        classic=None,
    )


def member_updated(member: Member) -> facts.ConsumerMemberUpdated:
    """The fact that a member is now as its request says."""
    return facts.ConsumerMemberUpdated(
        member=member.id,
        instance_id=member.instance_id,
        rack=member.rack,
        client_id=member.client_id,
        client_host=member.client_host,
        topics=member.topics,
        expression=member.expression,
        assignor=member.assignor,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        classic=member.classic,
    )
