"""A static member that comes back without its id (KIP-345, KIP-814; Kafka: updateStaticMemberThenRebalance…)."""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.coordinator.classic.commands import Join, JoinAnswer, SessionExpired
from groupsim.coordinator.classic.decision import ClassicDecision, session_timer
from groupsim.coordinator.classic.rebalance import joined, prepare, prepare_or_complete, vote
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.outcome import Error
from groupsim.events import classic as facts
from groupsim.events.classic import RebalanceCause

SKIP_ASSIGNMENT_SINCE = 9


def replace_member(decision: ClassicDecision, cmd: Join) -> None:
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
