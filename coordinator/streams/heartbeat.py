"""StreamsGroupHeartbeat, from the checks to the answer (Kafka: GroupMetadataManager.streamsGroupHeartbeat)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import JOIN_EPOCH, NO_TIMEOUT
from groupsim.coordinator.modern.conversion import check_here, replaces_classic
from groupsim.coordinator.modern.decision import session_expiry
from groupsim.coordinator.modern.heartbeat import ACCEPTED, answered
from groupsim.coordinator.modern.members import as_said, check_epoch, is_full, joining, present
from groupsim.coordinator.modern.removal import leave
from groupsim.coordinator.outcome import Error, Outcome, Reply
from groupsim.coordinator.streams import group_config as settings
from groupsim.coordinator.streams.checks import check_request
from groupsim.coordinator.streams.commands import LAG_SINCE, StreamsHeartbeat, StreamsHeartbeatAnswer
from groupsim.coordinator.streams.endpoints import routes
from groupsim.coordinator.streams.evolve import StreamsDecision
from groupsim.coordinator.streams.removal import remove
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.coordinator.streams.statuses import statuses
from groupsim.coordinator.streams.take_in_heartbeat import Change, settle, topology_epoch
from groupsim.events import streams as facts
from groupsim.events.consumer import MemberState
from groupsim.events.streams import Pairs, Tasks

NOTHING = Tasks()
STABLE = MemberState.STABLE


def heartbeat(state: Any, cmd: StreamsHeartbeat) -> Outcome[Any]:
    """Every heartbeat, also one that leaves. A refused one does not let the session start anew."""
    if isinstance(state, StreamsGroup) and changes_nothing(state, cmd):
        return _unchanged(state, cmd)
    return step_by_step(state, cmd)


def changes_nothing(group: StreamsGroup, cmd: StreamsHeartbeat) -> bool:
    """Whether the request is accepted, brings no fact about the group, and its answer has nothing but intervals.

    False means that it has to be looked at step by step, not that something changes.
    """
    member, epoch, context = group.members.get(cmd.member), group.target_epoch, cmd.context
    return (
        member is not None
        and member.epoch == cmd.epoch == epoch > JOIN_EPOCH
        and member.state is STABLE
        and group.epoch <= epoch  # so no initial delay runs
        and group.topics_version == context.topics.version
        and group.validated_epoch == member.topology_epoch  # all topics are there, and its topology is the group's
        and group.configured is not None
        and group.loaded
        and group.shutdown is None
        and group.endpoint_epoch == cmd.endpoint_epoch
        and (group.copied is group.targets or not settings.warmups(group.configs, context))
        and _says_nothing(member, cmd)
        and _runs(member, group.targets.get(cmd.member, NOTHING))
        and len(group.assignment_configs) == 1  # without tags, which it may lack
        and group.assignment_configs == settings.assignment_configs(group.configs, context)
    )


def _runs(member: Member, target: Tasks) -> bool:
    """Whether it runs its target: defect `copy-follows-instance-id` may have taken its tasks away."""
    return member.tasks is target or member.tasks == target


def _says_nothing(member: Member, cmd: StreamsHeartbeat) -> bool:
    return (
        cmd.active is None
        and cmd.standby is None
        and cmd.warmup is None
        and cmd.topology is None
        and cmd.offsets is None
        and cmd.end_offsets is None
        and not cmd.shutdown
        and cmd.instance_id == member.instance_id
        and cmd.rack is None
        and cmd.client_id == member.client_id
        and cmd.client_host == member.client_host
        and (cmd.rebalance_timeout_ms == NO_TIMEOUT or cmd.rebalance_timeout_ms == member.rebalance_timeout_ms)
        and cmd.process is None
        and cmd.endpoint is None
        and cmd.tags is None
    )


def _unchanged(group: StreamsGroup, cmd: StreamsHeartbeat) -> Outcome[Any]:
    member, epoch = cmd.member, cmd.epoch
    times = settings.times(group.configs, cmd.context)
    answer = StreamsHeartbeatAnswer(
        member=member,
        epoch=epoch,
        heartbeat_interval_ms=times.heartbeat_interval_ms,
        task_offset_interval_ms=times.task_offset_interval_ms,
        acceptable_recovery_lag=times.acceptable_lag if cmd.version >= LAG_SINCE else cmd.no_lag,
        endpoint_epoch=cmd.endpoint_epoch,
    )
    fact = facts.StreamsHeartbeatReceived(member=member, epoch=epoch, error=ACCEPTED)
    timer = session_expiry(member, times.session_timeout_ms)
    return Outcome(group, (fact,), (Reply(cmd.request, answer),), (timer,))


def step_by_step(state: Any, cmd: StreamsHeartbeat) -> Outcome[Any]:
    """Any heartbeat, by all checks in the broker's order."""
    received, newest = facts.StreamsHeartbeatReceived, behaviour(state.configs.coordinator.broker_version)
    if cmd.version > newest.streams_heartbeat_version:
        cmd = replace(cmd, version=newest.streams_heartbeat_version)
    return answered(StreamsDecision(state), cmd, _decide, received, lambda moved, decision: _keep(moved, decision, cmd))


def _decide(decision: StreamsDecision, cmd: StreamsHeartbeat) -> StreamsHeartbeatAnswer:
    check_request(decision.state.id, decision.state.configs, cmd)
    check_here(decision.state)
    return _leave(decision, cmd) if cmd.epoch < JOIN_EPOCH else _stay(decision, cmd)


def _keep(moved: Any, decision: StreamsDecision, cmd: StreamsHeartbeat) -> None:
    """What is durable stays as it was; what Kafka keeps beside it has moved on."""
    now = decision.state
    if isinstance(moved, StreamsGroup) and isinstance(now, StreamsGroup):
        if moved.endpoint_epoch != now.endpoint_epoch:
            decision.record(facts.EndpointsChanged(epoch=moved.endpoint_epoch))
        if moved.copied is not now.copied:  # defect `copy-of-nothing`: targets of an epoch that is never written
            decision.record(facts.TargetsCopied(epoch=moved.copied_epoch, targets=dict(moved.copied)))
        if cmd.member in now.members and (moved.offsets, moved.end_offsets) != (now.offsets, now.end_offsets):
            decision.record(
                facts.TaskOffsetsReported(member=cmd.member, offsets=cmd.offsets, end_offsets=cmd.end_offsets)
            )


def _leave(decision: StreamsDecision, cmd: StreamsHeartbeat) -> StreamsHeartbeatAnswer:
    group = decision.state
    if not isinstance(group, StreamsGroup):
        raise RequestRefused(Error.GROUP_ID_NOT_FOUND, _not_found(group, "Group"))
    if cmd.shutdown and group.shutdown is None:  # also of a member that is not there
        decision.record(facts.ShutdownAsked(member=cmd.member))
        decision.keep()
    present(group, cmd.member, cmd.instance_id)
    leave(decision, cmd, remove)
    return StreamsHeartbeatAnswer(member=cmd.member, epoch=cmd.epoch, acceptable_recovery_lag=cmd.no_lag)


def _not_found(state: Any, what: str) -> str:
    absent = not getattr(state, "exists", True)
    return f"{what} {state.id} not found." if absent else f"Group {state.id} is not a streams group."


def _stay(decision: StreamsDecision, cmd: StreamsHeartbeat) -> StreamsHeartbeatAnswer:
    created, replaced = _open(decision, cmd)
    known = decision.group
    _move_copy(decision, cmd)
    joins = cmd.epoch == JOIN_EPOCH
    most = known.config.group_streams_max_size
    if joins and _is_full(known, most, cmd):
        message = f"The streams group has reached its maximum capacity of {most} members."
        raise RequestRefused(Error.GROUP_MAX_SIZE_REACHED, message)
    if joins:
        member = joining(decision, Member(id=cmd.member), cmd.instance_id)
    else:
        member = present(known, cmd.member, cmd.instance_id)
        check_epoch(member, cmd.epoch, owns_no_more=_owns_no_more(member, cmd), kind="streams")
    drops_endpoint = joins and known.behaviour.streams_tells_endpoints
    after = _updated(member, cmd, topology_epoch(decision, cmd.topology), drops_endpoint=drops_endpoint)
    new = after.id not in decision.group.members
    waits = settle(decision, Change(known=known, before=member, after=after, cmd=cmd, new=new))
    now = decision.group.members[after.id]
    group, context = decision.group, cmd.context
    decision.arm_session(now.id, settings.session_timeout_ms(group.configs, context))
    changed = now.tasks != member.tasks
    if group.behaviour.streams_tells_endpoints:
        moved = after.endpoint != member.endpoint or (after.endpoint is not None and changed)
    else:
        moved = after.endpoint is not None and (joins or changed)
    if moved and (replaced or not created):  # a group that the broker has no group of yet answers 0
        decision.record(facts.EndpointsChanged(epoch=group.endpoint_epoch + 1))
    answer = _answer(
        decision.group,
        cmd,
        now.epoch,
        statuses(decision.group, now, cmd, waits),
        now.tasks if joins or changed else None,
    )
    if created:
        decision.record(facts.UndurableLost())
    return answer


def _is_full(group: StreamsGroup, most: int, cmd: StreamsHeartbeat) -> bool:
    """Before Kafka 4.4 a full group takes nobody, not even members that it knows."""
    knows = group.behaviour.static_members_exempt_from_size
    return is_full(group, most, cmd.member, cmd.instance_id) if knows else len(group.members) >= most


def _answer(
    group: StreamsGroup, cmd: StreamsHeartbeat, epoch: int, status: Pairs, tasks: Tasks | None
) -> StreamsHeartbeatAnswer:
    context, configured = cmd.context, group.configured
    times = settings.times(group.configs, context)
    refused = group.refused is not None and context.at_ms < group.refused.until_ms
    return StreamsHeartbeatAnswer(
        member=cmd.member,
        epoch=epoch,
        heartbeat_interval_ms=times.heartbeat_interval_ms,
        task_offset_interval_ms=times.task_offset_interval_ms,
        acceptable_recovery_lag=times.acceptable_lag if cmd.version >= LAG_SINCE else cmd.no_lag,
        status=status,
        tasks=tasks,
        endpoint_epoch=group.endpoint_epoch,
        routes=routes(group, context.topics) if group.endpoint_epoch != cmd.endpoint_epoch else None,
        creates=configured.missing if configured is not None and not refused else (),
    )


def _open(decision: StreamsDecision, cmd: StreamsHeartbeat) -> tuple[bool, bool]:
    """Make sure that there is a streams group; whether it is new, and whether it replaces an empty classic group.

    What Kafka keeps beside a new one is lost at once.
    """
    state = decision.state
    if isinstance(state, StreamsGroup):
        return False, False
    try:
        replaced = replaces_classic(state, creates=cmd.epoch == JOIN_EPOCH)
    except RequestRefused as refusal:
        raise RequestRefused(refusal.error, _not_found(state, "Streams group")) from None
    decision.record(facts.StreamsGroupCreated(replaces_classic=replaced))
    return True, replaced


def _move_copy(decision: StreamsDecision, cmd: StreamsHeartbeat) -> None:
    """Defect `copy-follows-instance-id`: who names the instance id of another member gets that one's copied target,
    even if the request is refused."""
    group = decision.group
    holder = None if cmd.instance_id is None else group.statics.get(cmd.instance_id)
    if holder is not None and holder != cmd.member and holder in group.copied:
        decision.record(facts.CopiedTargetMoved(source=holder, member=cmd.member))
        decision.keep()


def _owns_no_more(member: Member, cmd: StreamsHeartbeat) -> bool:
    owned = cmd.owned
    if owned is None:
        return False
    return member.active.keys() >= set(owned[0]) and set(member.standby) >= set(owned[1]) and not owned[2]


def _updated(member: Member, cmd: StreamsHeartbeat, epoch: int | None, *, drops_endpoint: bool) -> Member:
    """The member with everything the request says; `drops_endpoint`: one that it does not name is none."""
    before = replace(member, endpoint=None) if drops_endpoint else member
    own = {"topology_epoch": epoch, "process": cmd.process, "endpoint": cmd.endpoint, "tags": cmd.tags}
    return as_said(before, cmd, **own)
