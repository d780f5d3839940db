"""ShareGroupHeartbeat, from the checks to the answer, and members that leave (Kafka: shareGroupHeartbeat).

Nothing is given up before somebody else has it: a member gets its whole part of the target with its next heartbeat.
"""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.assignors.errors import AssignorError
from groupsim.coordinator.context import Context
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import JOIN_EPOCH, LEAVE_EPOCH
from groupsim.coordinator.modern.decision import session_expiry
from groupsim.coordinator.modern.members import is_full
from groupsim.coordinator.modern.removal import emptied, leave
from groupsim.coordinator.modern.target import members_in_order, target_is_due
from groupsim.coordinator.outcome import Error, Outcome, Reply
from groupsim.coordinator.server_assignors import Problem, Subscriber
from groupsim.coordinator.share.commands import ShareHeartbeat, ShareHeartbeatAnswer
from groupsim.coordinator.share.decision import ShareDecision
from groupsim.coordinator.share.group_config import assignment_interval_ms, heartbeat_interval_ms, session_timeout_ms
from groupsim.coordinator.share.share_state import initialize, waits_for_assignment
from groupsim.coordinator.share.state import Member, ShareGroup
from groupsim.coordinator.topics import metadata_hash
from groupsim.events import share as facts
from groupsim.events.consumer import BumpCause, GroupEpochBumped, LossCause, MetadataChecked
from groupsim.events.types import MemberId

ASSIGNOR = "simple"


def heartbeat(decision: ShareDecision, cmd: ShareHeartbeat) -> Outcome[object]:
    """Every heartbeat, also one that leaves. A refused one changes nothing and does not let the session start anew."""
    if isinstance(decision.state, ShareGroup) and changes_nothing(decision.state, cmd):
        return _unchanged(decision.state, cmd)
    return step_by_step(decision, cmd)


def step_by_step(decision: ShareDecision, cmd: ShareHeartbeat) -> Outcome[object]:
    """Any heartbeat, by all checks in the broker's order."""
    try:
        _check(decision, cmd)
        if cmd.epoch == LEAVE_EPOCH:
            leave(decision, cmd, remove)
            answer = ShareHeartbeatAnswer(member=cmd.member, epoch=cmd.epoch)
        else:
            answer = _stay(decision, cmd)
    except RequestRefused as refusal:
        answer = _refused(decision, refusal.error)
    except AssignorError:
        answer = _refused(decision, Error.UNKNOWN_SERVER_ERROR)
    epoch = cmd.epoch if answer.error is not Error.NONE else answer.epoch
    decision.record(facts.ShareHeartbeatReceived(member=cmd.member, epoch=epoch, error=answer.error.name))
    decision.reply(cmd.request, answer)
    return decision.outcome()


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


def _unchanged(group: ShareGroup, cmd: ShareHeartbeat) -> Outcome[object]:
    interval_ms = heartbeat_interval_ms(group.configs, cmd.context)
    answer = ShareHeartbeatAnswer(member=cmd.member, epoch=cmd.epoch, heartbeat_interval_ms=interval_ms)
    fact = facts.ShareHeartbeatReceived(member=cmd.member, epoch=cmd.epoch, error=Error.NONE.name)
    timer = session_expiry(cmd.member, session_timeout_ms(group.configs, cmd.context))
    return Outcome(group, (fact,), (Reply(cmd.request, answer),), (timer,))


def _refused(decision: ShareDecision, error: Error) -> ShareHeartbeatAnswer:
    decision.undo()
    return ShareHeartbeatAnswer(error)


def _check(decision: ShareDecision, cmd: ShareHeartbeat) -> None:
    """What a request must look like, in the broker's order (throwIfShareGroupHeartbeatRequestIsInvalid).

    That share groups are switched off, or that somebody may not, is not simulated. Raises RequestRefused.
    """
    nameless = not decision.state.id or not cmd.member or cmd.rack == ""
    if nameless or cmd.epoch < LEAVE_EPOCH or (cmd.epoch == JOIN_EPOCH and not cmd.topics):
        raise RequestRefused(Error.INVALID_REQUEST)
    decision.open(creates=cmd.epoch == JOIN_EPOCH)


def _stay(decision: ShareDecision, cmd: ShareHeartbeat) -> ShareHeartbeatAnswer:
    known, context = decision.group, cmd.context
    before = _sender(known, cmd)
    after = replace(
        before,
        rack=before.rack if cmd.rack is None else cmd.rack,
        topics=before.topics if cmd.topics is None else tuple(sorted(set(cmd.topics))),
        client_id=cmd.client_id,
        client_host=cmd.client_host,
    )
    subscribes_anew = before.topics != after.topics
    if after != known.members.get(cmd.member):
        decision.record(
            facts.ShareMemberUpdated(
                member=after.id,
                rack=after.rack,
                client_id=after.client_id,
                client_host=after.client_host,
                topics=after.topics,
            )
        )
    _refresh(decision, cmd, waits_for_assignment(known, context.topics), subscribes_anew=subscribes_anew)
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


def _refresh(decision: ShareDecision, cmd: ShareHeartbeat, waits: bool, *, subscribes_anew: bool) -> None:
    """Let the epoch grow, once, because the member names other topics, or partitions wait, or topics changed."""
    group, topics = decision.group, cmd.context.topics
    cause = BumpCause.SUBSCRIPTION_CHANGED if subscribes_anew else None
    if cause is None and waits:
        cause = BumpCause.PARTITIONS_INITIALIZED
    looked = group.topics_version == topics.version
    if cause is not None or not looked:
        new_hash = metadata_hash(topics.named(group.subscribed()))
        if cause is None and new_hash != group.metadata_hash:
            cause = BumpCause.TOPICS_CHANGED
        if cause is not None:
            grown = GroupEpochBumped(epoch=group.epoch + 1, metadata_hash=new_hash, cause=cause, member=cmd.member)
            decision.record(grown)
    if not looked:
        decision.record(MetadataChecked(version=topics.version))


def _compute_target(decision: ShareDecision, known: ShareGroup, context: Context) -> None:
    """Only partitions whose state is initialised are assigned. Raises AssignorError where Kafka's assignor throws."""
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
        # The assignor goes on from what a member had; where all agree, only with topics that they name.
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
    target, bare = (group.targets.get(member.id, ()), group.bare.get(member.id, ()))
    if not behind:
        target, bare = member.assigned, member.bare
    assigned = tuple(p for p in target if p.topic in named)
    bare = tuple(topic for topic in bare if topic in named)
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
