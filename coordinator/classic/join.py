"""JoinGroup (spec section 2; Kafka: GroupMetadataManager.classicGroupJoin)."""

from __future__ import annotations

from groupsim.coordinator.classic import static_members
from groupsim.coordinator.classic.commands import Join, JoinAnswer, SessionExpired
from groupsim.coordinator.classic.decision import Decision, heartbeat_timer
from groupsim.coordinator.classic.guards import validate
from groupsim.coordinator.classic.rebalance import joined, prepare_or_complete, remove
from groupsim.coordinator.classic.state import Group, Phase
from groupsim.coordinator.config import NEW_MEMBER_JOIN_TIMEOUT_MS
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts
from groupsim.events.group import GroupCreated
from groupsim.events.types import MemberId

MEMBER_ID_REQUIRED_SINCE = 4


def join(group: Group, cmd: Join) -> Outcome:
    """Guards in the broker's own order, then by who asks."""
    draft = Decision(group)
    error = _refusal(draft, cmd)
    if error is not Error.NONE:
        echoed = "" if error is Error.GROUP_MAX_SIZE_REACHED else cmd.member
        draft.reply(cmd.request, JoinAnswer(error=error, member=echoed))
    elif cmd.member:
        _join_known(draft, cmd)
    elif cmd.instance_id is not None:
        _join_static(draft, cmd)
    elif cmd.version >= MEMBER_ID_REQUIRED_SINCE:
        _require_member_id(draft, cmd)
    else:
        add(draft, cmd, cmd.new_member)
    return draft.outcome()


def _refusal(draft: Decision, cmd: Join) -> Error:
    config = draft.group.config
    if not draft.group.id:
        return Error.INVALID_GROUP_ID
    low, high = config.group_min_session_timeout_ms, config.group_max_session_timeout_ms
    if not low <= cmd.session_timeout_ms <= high:
        return Error.INVALID_SESSION_TIMEOUT
    if draft.group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    if not draft.group.exists:
        if cmd.member:
            return Error.UNKNOWN_MEMBER_ID
        draft.record(GroupCreated())
    if not _admits(draft.group, cmd.member):
        _forget(draft, cmd.member)
        return Error.GROUP_MAX_SIZE_REACHED
    if not _compatible(draft.group, cmd):
        return Error.INCONSISTENT_GROUP_PROTOCOL
    return Error.NONE


def _admits(group: Group, member: MemberId) -> bool:
    """group.max.size looks at the id in the request: a static member's empty id counts as a stranger."""
    limit = group.config.group_max_size
    known = group.members.get(member)
    match group.phase:
        case Phase.PREPARING_REBALANCE:
            awaiting = known is not None and known.join_request is not None
            return awaiting or len(group.members) < limit or group.awaiting_join < limit
        case Phase.COMPLETING_REBALANCE | Phase.STABLE:
            return known is not None or len(group.members) < limit
        case _:
            return True


def _forget(draft: Decision, member: MemberId) -> None:
    if member in draft.group.members:
        remove(draft, member, "group-full")
    elif member in draft.group.pending:
        draft.record(facts.PendingMemberRemoved(member=member, cause="group-full"))


def _compatible(group: Group, cmd: Join) -> bool:
    """Kafka: ClassicGroup.supportsProtocols."""
    names = {p.name for p in cmd.protocols}
    if group.phase is Phase.EMPTY:
        return bool(cmd.protocol_type) and bool(names)
    if cmd.protocol_type != group.protocol_type:
        return False
    return any(group.offers.get(name, 0) == len(group.members) for name in names)


def _require_member_id(draft: Decision, cmd: Join) -> None:
    """KIP-394: hand the id out and forget the request; the pending id holds a running join phase open."""
    member = cmd.new_member
    draft.record(
        facts.MemberIdIssued(
            member=member,
            client_id=cmd.client_id,
            client_host=cmd.client_host,
            session_timeout_ms=cmd.session_timeout_ms,
        )
    )
    draft.arm(heartbeat_timer(member), cmd.session_timeout_ms, SessionExpired(member))
    draft.reply(cmd.request, JoinAnswer(error=Error.MEMBER_ID_REQUIRED, member=member))


def _join_static(draft: Decision, cmd: Join) -> None:
    assert cmd.instance_id is not None
    if cmd.instance_id in draft.group.statics:
        static_members.replace_member(draft, cmd)
    else:
        add(draft, cmd, cmd.new_member)


def add(draft: Decision, cmd: Join, member: MemberId) -> None:
    """A new member: park its request, give it the long alarm of new members, rebalance."""
    draft.record(
        facts.MemberAdded(
            member=member,
            instance_id=cmd.instance_id,
            client_id=cmd.client_id,
            client_host=cmd.client_host,
            session_timeout_ms=cmd.session_timeout_ms,
            rebalance_timeout_ms=cmd.rebalance_timeout_ms,
            protocol_type=cmd.protocol_type,
            protocols=cmd.protocols,
            request=cmd.request,
        )
    )
    draft.arm(heartbeat_timer(member), NEW_MEMBER_JOIN_TIMEOUT_MS, SessionExpired(member))
    reason = f"Adding new member {member} with group instance id {cmd.instance_id or 'null'}"
    prepare_or_complete(draft, "member-joined", _because(reason, cmd), member)


def _join_known(draft: Decision, cmd: Join) -> None:
    group = draft.group
    if cmd.member in group.pending:
        if cmd.instance_id is not None:  # Kafka throws IllegalStateException
            draft.reply(cmd.request, JoinAnswer(error=Error.UNKNOWN_SERVER_ERROR))
            return
        add(draft, cmd, cmd.member)
        return
    error = validate(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        draft.reply(cmd.request, JoinAnswer(error=error, member=cmd.member))
        return
    unchanged = group.members[cmd.member].protocols == cmd.protocols
    leads = group.leader == cmd.member
    match group.phase:
        case Phase.PREPARING_REBALANCE:
            _update(draft, cmd, "member-rejoined", f"Member {cmd.member} joining group during {group.phase.value}")
        case Phase.COMPLETING_REBALANCE if unchanged:  # its first answer was lost
            draft.reply(cmd.request, joined(group, cmd.member, listing=leads))
        case Phase.STABLE if leads:
            _update(
                draft,
                cmd,
                "leader-rejoined",
                f"Leader {cmd.member} re-joining group during {group.phase.value}",
            )
        case Phase.STABLE if unchanged:
            draft.reply(cmd.request, joined(group, cmd.member, listing=False))
        case Phase.COMPLETING_REBALANCE | Phase.STABLE:
            reason = f"Updating metadata for member {cmd.member} during {group.phase.value}"
            _update(draft, cmd, "member-rejoined", reason)
        case phase:
            raise AssertionError(f"a group in {phase} cannot have members")


def _update(draft: Decision, cmd: Join, cause: str, reason: str) -> None:
    draft.record(
        facts.MemberUpdated(
            member=cmd.member,
            session_timeout_ms=cmd.session_timeout_ms,
            rebalance_timeout_ms=cmd.rebalance_timeout_ms,
            protocols=cmd.protocols,
            request=cmd.request,
        )
    )
    prepare_or_complete(draft, cause, _because(reason, cmd), cmd.member)


def _because(reason: str, cmd: Join) -> str:
    return f"{reason}; client reason: {cmd.reason or 'not provided'}"
