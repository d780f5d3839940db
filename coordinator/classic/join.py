"""JoinGroup (Kafka: GroupMetadataManager.classicGroupJoin), also of a static member that comes back without its id.

Static members: KIP-345, KIP-814; Kafka: GroupMetadataManager.updateStaticMemberThenRebalanceOrCompleteJoin.
"""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.coordinator.classic.commands import Join, JoinAnswer, SessionExpired
from groupsim.coordinator.classic.decision import ClassicDecision, session_timer
from groupsim.coordinator.classic.rebalance import joined, prepare, prepare_or_complete, remove, vote
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.config import NEW_MEMBER_JOIN_TIMEOUT_MS
from groupsim.coordinator.identity import sender_error
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts
from groupsim.events.classic import RebalanceCause, RemovalCause
from groupsim.events.group import GroupCreated
from groupsim.events.types import MemberId

MEMBER_ID_REQUIRED_SINCE = 4


def join(group: ClassicGroup, cmd: Join) -> Outcome[ClassicGroup]:
    """Guards in the broker's own order, then by who asks."""
    decision = ClassicDecision(group)
    error = _refusal(decision, cmd)
    if error is not Error.NONE:
        echoed = "" if error is Error.GROUP_MAX_SIZE_REACHED else cmd.member
        decision.reply(cmd.request, JoinAnswer(error=error, member=echoed))
    elif cmd.member:
        _join_known(decision, cmd)
    elif cmd.instance_id is not None:
        _join_static(decision, cmd)
    elif cmd.version >= MEMBER_ID_REQUIRED_SINCE:
        _require_member_id(decision, cmd)
    else:
        add(decision, cmd, cmd.new_member)
    return decision.outcome()


def _refusal(decision: ClassicDecision, cmd: Join) -> Error:
    config = decision.group.config
    if not decision.group.id:
        return Error.INVALID_GROUP_ID
    if not config.allows_session(cmd.session_timeout_ms):
        return Error.INVALID_SESSION_TIMEOUT
    if decision.group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    if not decision.group.exists:
        if cmd.member:
            return Error.UNKNOWN_MEMBER_ID
        decision.record(GroupCreated())
    if not _admits(decision.group, cmd.member):
        _remove_refused(decision, cmd.member)
        return Error.GROUP_MAX_SIZE_REACHED
    if not _compatible(decision.group, cmd):
        return Error.INCONSISTENT_GROUP_PROTOCOL
    return Error.NONE


def _admits(group: ClassicGroup, member: MemberId) -> bool:
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


def _remove_refused(decision: ClassicDecision, member: MemberId) -> None:
    if member in decision.group.members:
        remove(decision, member, RemovalCause.GROUP_FULL)
    elif member in decision.group.pending:
        decision.record(facts.PendingMemberRemoved(member=member, cause=RemovalCause.GROUP_FULL))


def _compatible(group: ClassicGroup, cmd: Join) -> bool:
    """Kafka: ClassicGroup.supportsProtocols."""
    names = {p.name for p in cmd.protocols}
    if group.phase is Phase.EMPTY:
        return bool(cmd.protocol_type) and bool(names)
    if cmd.protocol_type != group.protocol_type:
        return False
    return any(group.offers.get(name, 0) == len(group.members) for name in names)


def _require_member_id(decision: ClassicDecision, cmd: Join) -> None:
    """KIP-394: answer with an id and drop the request; a running join phase waits for the pending id."""
    member = cmd.new_member
    decision.record(
        facts.MemberIdIssued(
            member=member,
            client_id=cmd.client_id,
            client_host=cmd.client_host,
            session_timeout_ms=cmd.session_timeout_ms,
        )
    )
    decision.arm(session_timer(member), cmd.session_timeout_ms, SessionExpired(member))
    decision.reply(cmd.request, JoinAnswer(error=Error.MEMBER_ID_REQUIRED, member=member))


def _join_static(decision: ClassicDecision, cmd: Join) -> None:
    assert cmd.instance_id is not None
    if cmd.instance_id in decision.group.statics:
        _replace(decision, cmd)
    else:
        add(decision, cmd, cmd.new_member)


def add(decision: ClassicDecision, cmd: Join, member: MemberId) -> None:
    """A new member: park its request, set the long timer of new members, rebalance."""
    decision.record(
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
    decision.arm(session_timer(member), NEW_MEMBER_JOIN_TIMEOUT_MS, SessionExpired(member))
    reason = f"Adding new member {member} with group instance id {cmd.instance_id or 'null'}"
    prepare_or_complete(decision, RebalanceCause.MEMBER_JOINED, _because(reason, cmd), member)


def _join_known(decision: ClassicDecision, cmd: Join) -> None:
    group = decision.group
    if cmd.member in group.pending:
        if cmd.instance_id is not None:  # Kafka throws IllegalStateException
            decision.reply(cmd.request, JoinAnswer(error=Error.UNKNOWN_SERVER_ERROR))
            return
        add(decision, cmd, cmd.member)
        return
    error = sender_error(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        decision.reply(cmd.request, JoinAnswer(error=error, member=cmd.member))
        return
    unchanged = group.members[cmd.member].protocols == cmd.protocols
    leads = group.leader == cmd.member
    match group.phase:
        case Phase.PREPARING_REBALANCE:
            _update(
                decision,
                cmd,
                RebalanceCause.MEMBER_REJOINED,
                f"Member {cmd.member} joining group during {group.phase.value}",
            )
        case Phase.COMPLETING_REBALANCE if unchanged:  # its first answer was lost
            decision.reply(cmd.request, joined(group, cmd.member, listing=leads))
        case Phase.STABLE if leads:
            _update(
                decision,
                cmd,
                RebalanceCause.LEADER_REJOINED,
                f"Leader {cmd.member} re-joining group during {group.phase.value}",
            )
        case Phase.STABLE if unchanged:
            decision.reply(cmd.request, joined(group, cmd.member, listing=False))
        case Phase.COMPLETING_REBALANCE | Phase.STABLE:
            reason = f"Updating metadata for member {cmd.member} during {group.phase.value}"
            _update(decision, cmd, RebalanceCause.MEMBER_REJOINED, reason)
        case phase:
            raise AssertionError(f"a group in {phase} cannot have members")


def _update(decision: ClassicDecision, cmd: Join, cause: RebalanceCause, reason: str) -> None:
    decision.record(
        facts.MemberUpdated(
            member=cmd.member,
            session_timeout_ms=cmd.session_timeout_ms,
            rebalance_timeout_ms=cmd.rebalance_timeout_ms,
            protocols=cmd.protocols,
            request=cmd.request,
        )
    )
    prepare_or_complete(decision, cause, _because(reason, cmd), cmd.member)


def _because(reason: str, cmd: Join) -> str:
    return f"{reason}; client reason: {cmd.reason or 'not provided'}"


SKIP_ASSIGNMENT_SINCE = 9


def _replace(decision: ClassicDecision, cmd: Join) -> None:
    """Fence the old id and replace it by the new one; a Stable group whose vote is unchanged answers at once."""
    group = decision.group
    assert cmd.instance_id is not None
    if group.phase is Phase.EMPTY:  # Kafka throws IllegalStateException; no mapping can outlive its member
        decision.reply(cmd.request, JoinAnswer(error=Error.UNKNOWN_SERVER_ERROR))
        return
    old = group.members[group.statics[cmd.instance_id]]
    decision.refuse_parked(old, Error.FENCED_INSTANCE_ID)
    at_once = group.phase is Phase.STABLE and _vote_after(group, old.id, cmd) == group.protocol
    decision.record(
        facts.MemberReplaced(
            instance_id=cmd.instance_id,
            old=old.id,
            member=cmd.new_member,
            client_id=cmd.client_id,
            client_host=cmd.client_host,
            session_timeout_ms=cmd.session_timeout_ms,
            rebalance_timeout_ms=cmd.rebalance_timeout_ms,
            protocols=cmd.protocols,
            request=None if at_once else cmd.request,
        )
    )
    # The timer is set before the request's own session timeout is taken over.
    decision.arm(session_timer(cmd.new_member), old.session_timeout_ms, SessionExpired(cmd.new_member))
    if at_once:
        decision.reply(cmd.request, _answer_stable(decision.group, cmd, was_leader=group.leader == old.id, old=old.id))
        return
    who = f"static member {cmd.new_member} with instance id {cmd.instance_id}"
    reason = f"Updating metadata for {who}; client reason: {cmd.reason or 'not provided'}"
    if group.phase is Phase.STABLE:
        reason = f"Group's selectedProtocol will change because {who} joined with change of protocol"
    if group.phase is Phase.PREPARING_REBALANCE:
        prepare_or_complete(decision, RebalanceCause.STATIC_REPLACED, reason, cmd.new_member)
    else:
        prepare(decision, RebalanceCause.STATIC_REPLACED, reason, cmd.new_member)


def _vote_after(group: ClassicGroup, old: str, cmd: Join) -> str | None:
    member = replace(group.members[old], protocols=cmd.protocols)
    return vote(replace(group, members={**group.members, old: member}))


def _answer_stable(group: ClassicGroup, cmd: Join, *, was_leader: bool, old: str) -> JoinAnswer:
    """From version 9 on a returning leader gets the member list and skip_assignment (KIP-814).

    Below, the answer names its *former* id as leader, so that it acts as a follower.
    """
    if cmd.version >= SKIP_ASSIGNMENT_SINCE:
        answer = joined(group, cmd.new_member, listing=was_leader)
        return replace(answer, skip_assignment=was_leader)
    answer = joined(group, cmd.new_member, listing=False)
    return replace(answer, leader=old) if was_leader else answer
