"""ShareGroupHeartbeat, from the checks to the answer, and members that leave (Kafka: shareGroupHeartbeat).

Nothing is given up before somebody else has it: a member gets its whole part of the target with its next heartbeat.
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator.context import Context
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import JOIN_EPOCH, LEAVE_EPOCH
from groupsim.coordinator.modern.evolve import same
from groupsim.coordinator.modern.group_config import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, SESSION_TIMEOUT, effective
from groupsim.coordinator.modern.heartbeat import answered, refresh, unchanged
from groupsim.coordinator.modern.members import as_said, is_full
from groupsim.coordinator.modern.removal import emptied, leave
from groupsim.coordinator.modern.target import members_in_order, target_is_due
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.coordinator.server_assignors import Problem, Subscriber
from groupsim.coordinator.share.commands import ShareHeartbeat, ShareHeartbeatAnswer
from groupsim.coordinator.share.evolve import ShareDecision
from groupsim.coordinator.share.share_state import initialize, waits_for_assignment
from groupsim.coordinator.share.state import Member, ShareGroup
from groupsim.coordinator.topics import metadata_hash
from groupsim.events import share as facts
from groupsim.events.consumer import BumpCause, GroupEpochBumped, LossCause
from groupsim.events.types import MemberId

ASSIGNOR = "simple"


session_timeout_ms = effective("share", SESSION_TIMEOUT)
"""How long a member may be silent."""
heartbeat_interval_ms = effective("share", HEARTBEAT_INTERVAL)
assignment_interval_ms = effective("share", ASSIGNMENT_INTERVAL)


def heartbeat(decision: ShareDecision, cmd: ShareHeartbeat) -> Outcome[Any]:
    """Every heartbeat, also one that leaves."""
    state = decision.state
    if not isinstance(state, ShareGroup) or not changes_nothing(state, cmd):
        return step_by_step(decision, cmd)
    interval_ms = heartbeat_interval_ms(state.configs, cmd.context)
    session_ms = session_timeout_ms(state.configs, cmd.context)
    return unchanged(state, cmd, facts.ShareHeartbeatReceived, interval_ms, session_ms)


def step_by_step(decision: ShareDecision, cmd: ShareHeartbeat) -> Outcome[Any]:
    """Any heartbeat, by all checks in the broker's order."""
    return answered(decision, cmd, _decide, facts.ShareHeartbeatReceived)


def changes_nothing(group: ShareGroup, cmd: ShareHeartbeat) -> bool:
    """Whether the request is accepted, brings no fact about the group, and its answer tells no assignment."""
    member = group.members.get(cmd.member)
    return (
        member is not None
        and group.topics_version == cmd.context.topics.version
        and member.epoch == cmd.epoch == group.target_epoch == group.epoch
        and group.loaded
        and not group.initializing
        and cmd.topics is None
        and cmd.rack is None
        and cmd.client_id == member.client_id
        and cmd.client_host == member.client_host
    )


def _decide(decision: ShareDecision, cmd: ShareHeartbeat) -> ShareHeartbeatAnswer:
    """After what a request must look like, in the broker's order (throwIfShareGroupHeartbeatRequestIsInvalid).

    That share groups are switched off, or that somebody may not, is not simulated. Raises RequestRefused.
    """
    nameless = not decision.state.id or not cmd.member or cmd.rack == ""
    if nameless or cmd.epoch < LEAVE_EPOCH or (cmd.epoch == JOIN_EPOCH and not cmd.topics):
        raise RequestRefused(Error.INVALID_REQUEST)
    decision.open(creates=cmd.epoch == JOIN_EPOCH)
    if cmd.epoch != LEAVE_EPOCH:
        return _stay(decision, cmd)
    leave(decision, cmd, remove)
    return ShareHeartbeatAnswer(member=cmd.member, epoch=cmd.epoch)


def _stay(decision: ShareDecision, cmd: ShareHeartbeat) -> ShareHeartbeatAnswer:
    known, context = decision.group, cmd.context
    before = _sender(known, cmd)
    after = as_said(before, cmd, topics=None if cmd.topics is None else tuple(sorted(set(cmd.topics))))
    subscribes_anew = before.topics != after.topics
    if after != known.members.get(cmd.member):
        decision.record(facts.ShareMemberUpdated(member=after.id, **same(after, facts.ShareMemberUpdated)))
    cause = BumpCause.SUBSCRIPTION_CHANGED if subscribes_anew else None
    if cause is None and waits_for_assignment(known, context.topics):
        cause = BumpCause.PARTITIONS_INITIALIZED
    refresh(decision, ShareGroup.subscribed, context.topics, cause, cmd.member)
    if target_is_due(decision.group, assignment_interval_ms(known.configs, context), context):
        _compute_target(decision, known, context)
    _give(decision, cmd, subscribes_anew=subscribes_anew)
    decision.arm_session(after.id, session_timeout_ms(known.configs, context))
    initialize(decision, context)
    now = decision.group.members[after.id]
    tells = (
        cmd.epoch == JOIN_EPOCH or cmd.topics is not None or (now.assigned, now.bare) != (before.assigned, before.bare)
    )
    return ShareHeartbeatAnswer(
        member=now.id,
        epoch=now.epoch,
        heartbeat_interval_ms=heartbeat_interval_ms(known.configs, context),
        assignment=now.assigned if tells else None,
    )


def _sender(group: ShareGroup, cmd: ShareHeartbeat) -> Member:
    """The member as the group knows it, or a new one. An answer may have been lost. Raises RequestRefused."""
    if is_full(group, group.configs.share.group_share_max_size, cmd.member, None):
        raise RequestRefused(Error.GROUP_MAX_SIZE_REACHED)
    member = group.members.get(cmd.member)
    if member is None and cmd.epoch != JOIN_EPOCH:
        raise RequestRefused(Error.UNKNOWN_MEMBER_ID)
    if member is not None and cmd.epoch not in (JOIN_EPOCH, member.epoch, member.previous_epoch):
        raise RequestRefused(Error.FENCED_MEMBER_EPOCH)
    return member or Member(id=cmd.member)


def _compute_target(decision: ShareDecision, known: ShareGroup, context: Context) -> None:
    """Only partitions whose state is initialised are assigned. Raises AssignorError (defect `assignor-throws`)."""
    group = decision.group
    topics = {topic.id: topic for topic in context.topics.named(group.subscribed())}
    members = [
        Subscriber(m.id, None, m.rack, tuple(t.id for t in context.topics.named(m.topics)), group.targets.get(m.id, ()))
        for m in members_in_order(group, known)
    ]
    homogeneous = len({member.topics for member in group.members.values()}) == 1
    assignable = {topic: frozenset(group.initialized.get(topic, ())) for topic in topics}
    target = group.assign(Problem(ASSIGNOR, tuple(members), topics, homogeneous, assignable))
    changed, bare = {}, {}
    for m in sorted(group.members):
        topics_before = {*(p.topic for p in group.targets.get(m, ())), *group.bare.get(m, ())}
        left = topics_before - {p.topic for p in target.get(m, ())}
        # Defect `bare-topics`: the assignor goes on from what a member had; where all agree, with topics they name.
        kept = tuple(sorted(topic for topic in left if topic in topics or not homogeneous))
        if group.targets.get(m) != target.get(m, ()) or group.bare.get(m, ()) != kept:
            changed[m] = target.get(m, ())
            bare.update({m: kept} if kept else {})
    decision.record(facts.ShareTargetComputed(epoch=group.epoch, changed=changed, at_ms=context.at_ms, bare=bare))


def _give(decision: ShareDecision, cmd: ShareHeartbeat, *, subscribes_anew: bool) -> None:
    """The member has its part of the present target, but nothing of topics that it does not name."""
    group = decision.group
    member, epoch = group.members[cmd.member], group.target_epoch
    behind = member.epoch != epoch
    if not behind and not subscribes_anew:
        return
    named = cmd.context.topics.ids(member.topics)
    assigned = tuple(p for p in group.targets.get(member.id, ()) if p.topic in named)
    bare = tuple(topic for topic in group.bare.get(member.id, ()) if topic in named)
    if behind or (assigned, bare) != (member.assigned, member.bare):
        decision.record(
            facts.ShareMemberAssigned(
                member=member.id,
                epoch=epoch,
                previous_epoch=member.epoch if behind else member.previous_epoch,
                assigned=assigned,
                bare=bare,
            )
        )


def remove(decision: ShareDecision, members: tuple[MemberId, ...], cause: LossCause, context: Context) -> None:
    """Remove members; the epoch grows once. Nobody else gets what they had before a next heartbeat."""
    for member in members:
        decision.record(facts.ShareMemberRemoved(member=member, cause=cause))
        decision.disarm_timers(member)
    group = decision.group
    grown = GroupEpochBumped(
        epoch=group.epoch + 1,
        metadata_hash=metadata_hash(context.topics.named(group.subscribed())),
        cause=BumpCause.MEMBER_REMOVED,
        member=members[0],
    )
    emptied(decision, grown, "share")
