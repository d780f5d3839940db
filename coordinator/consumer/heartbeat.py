"""ConsumerGroupHeartbeat, from the checks to the answer (Kafka: GroupMetadataManager.consumerGroupHeartbeat).

Nearly all heartbeats are of a member at its target that says nothing new: they have a short way, `changes_nothing`.
"""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.coordinator.consumer import checks
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.consumer.conversion import open_group
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.expressions import resolution_is_due
from groupsim.coordinator.consumer.group_config import heartbeat_interval_ms, session_timeout_ms
from groupsim.coordinator.consumer.removal import remove
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.take_in_heartbeat import Change, settle
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import JOIN_EPOCH, NO_TIMEOUT
from groupsim.coordinator.modern.conversion import check_here
from groupsim.coordinator.modern.heartbeat import answered, unchanged
from groupsim.coordinator.modern.members import as_said, check_epoch, joining, present
from groupsim.coordinator.modern.removal import leave
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import consumer as facts
from groupsim.events.consumer import MemberState

ACCEPTED = Error.NONE.name
STABLE = MemberState.STABLE


def heartbeat(state: State, cmd: ConsumerHeartbeat) -> Outcome[State]:
    """Every heartbeat, also one that leaves. A refused one changes nothing and does not let the session start anew."""
    if isinstance(state, ConsumerGroup) and changes_nothing(state, cmd):
        interval_ms = heartbeat_interval_ms(state.configs, cmd.context)
        session_ms = session_timeout_ms(state.configs, cmd.context)
        return unchanged(state, cmd, facts.ConsumerHeartbeatReceived, interval_ms, session_ms)
    return step_by_step(state, cmd)


def changes_nothing(group: ConsumerGroup, cmd: ConsumerHeartbeat) -> bool:
    """Whether the request is accepted, brings no fact about the group, and its answer tells no assignment.

    False means that it has to be looked at step by step, not that something changes. The group and the member wait for
    nothing: a vote among several, and topics that were not looked at yet, count anew in every heartbeat.
    """
    member, epoch = group.members.get(cmd.member), group.target_epoch
    return (
        member is not None
        and member.epoch == cmd.epoch == epoch > JOIN_EPOCH
        and member.state is STABLE
        and group.epoch <= epoch
        and group.topics_version == cmd.context.topics.version
        and group.loaded
        and not (member.assignor and len(group.votes) > 1)
        and not (group.expressions and resolution_is_due(group, cmd.context, first=False))
        and _says_nothing(group, member, cmd)
    )


def _says_nothing(group: ConsumerGroup, member: Member, cmd: ConsumerHeartbeat) -> bool:
    """What it owns it may say: that counts only while it has to give something up, or with all the rest."""
    return (
        cmd.topics is None
        and cmd.expression is None
        and cmd.assignor is None
        and cmd.rack is None
        and member.classic is None
        and cmd.client_id == member.client_id
        and cmd.client_host == member.client_host
        and (cmd.rebalance_timeout_ms == NO_TIMEOUT or cmd.rebalance_timeout_ms == member.rebalance_timeout_ms)
        and cmd.instance_id == member.instance_id
    )


def step_by_step(state: State, cmd: ConsumerHeartbeat) -> Outcome[State]:
    """Any heartbeat, by all checks in the broker's order."""
    return answered(ConsumerDecision(state), cmd, _decide, facts.ConsumerHeartbeatReceived)


def _decide(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> ConsumerHeartbeatAnswer:
    checks.check_request(decision.state.id, decision.state.configs, cmd)
    check_here(decision.state)
    return _leave(decision, cmd) if cmd.epoch < JOIN_EPOCH else _stay(decision, cmd)


def _leave(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> ConsumerHeartbeatAnswer:
    if not isinstance(decision.state, ConsumerGroup):
        raise RequestRefused(Error.GROUP_ID_NOT_FOUND)
    leave(decision, cmd, remove)
    return ConsumerHeartbeatAnswer(member=cmd.member, epoch=cmd.epoch)


def _stay(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> ConsumerHeartbeatAnswer:
    open_group(decision, cmd.context.topics, creates=cmd.epoch == JOIN_EPOCH)
    known = decision.group
    checks.check_size(known, cmd.member, cmd.instance_id)
    member = _member(decision, cmd)
    if cmd.epoch != JOIN_EPOCH or _rejoin_is_checked(known, cmd):
        owns_no_more = cmd.owned is not None and all(p in member.assigned for p in cmd.owned)
        check_epoch(member, cmd.epoch, owns_no_more=owns_no_more, kind="consumer")
    after = updated(member, cmd)
    change = Change(known=known, before=member, after=after, owned=cmd.owned, context=cmd.context)
    settle(decision, change)
    now = decision.group.members[after.id]
    configs = decision.group.configs
    decision.arm_session(now.id, session_timeout_ms(configs, cmd.context))
    tells = cmd.epoch == JOIN_EPOCH or cmd.full or now.assigned.keys() != member.assigned.keys()
    return ConsumerHeartbeatAnswer(
        member=now.id,
        epoch=now.epoch,
        heartbeat_interval_ms=heartbeat_interval_ms(configs, cmd.context),
        assignment=tuple(sorted(now.assigned)) if tells else None,
    )


def _rejoin_is_checked(group: ConsumerGroup, cmd: ConsumerHeartbeat) -> bool:
    """Before Kafka 4.2 a known dynamic member joins again only at epoch 0, or after an answer that was lost."""
    return cmd.instance_id is None and not group.behaviour.epoch_zero_always_allowed


def _member(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> Member:
    """The member as the group knows it, or a new one. Raises RequestRefused."""
    if cmd.epoch != JOIN_EPOCH:
        return present(decision.group, cmd.member, cmd.instance_id)
    return joining(decision, Member(id=cmd.member or cmd.new_member), cmd.instance_id)


def updated(member: Member, cmd: ConsumerHeartbeat) -> Member:
    """The member with everything the request says."""
    native = member if member.classic is None else replace(member, classic=None)
    topics = None if cmd.topics is None else tuple(sorted(set(cmd.topics)))
    return as_said(native, cmd, topics=topics, expression=cmd.expression, assignor=cmd.assignor)
