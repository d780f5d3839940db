"""Who may commit, fetch and delete offsets, and delete the group.

Kafka: ConsumerGroup.validateOffsetCommit, validateOffsetFetch, validateDeleteGroup, isSubscribedToTopic, and the same
of StreamsGroup.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.coordinator import offset_requests
from groupsim.coordinator.commands import Commit, DeleteGroup, DeleteOffsets, FetchOffsets, TopicDeleted
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.coordinator.modern.state import ModernGroup
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.types import NO_GENERATION

MEMBER_EPOCHS_SINCE = 9
"""From this version of OffsetCommit on members of these protocols may send it (KIP-848)."""
STALE_IN_TRANSACTIONS_SINCE = 6
"""From this version of TxnOffsetCommit on a stale epoch has an error of its own."""
HeldSince = Callable[[Any], bool]
"""Whether a member has held every partition of the commit since an older epoch that it names (KIP-1251)."""


def commit(decision: ModernDecision[Any], cmd: Commit, held_since: HeldSince) -> Outcome[Any]:
    """Accept or refuse, all partitions alike. A commit does not count as a heartbeat."""
    offset_requests.commit(decision, cmd, _commit_refusal(decision.group, cmd, held_since))
    return decision.outcome()


def _other_epoch(member: Any) -> Error:
    """What is answered to another epoch than the member's (Kafka: ConsumerGroup.validateMemberEpoch)."""
    return Error.STALE_MEMBER_EPOCH if _is_native(member) else Error.ILLEGAL_GENERATION


def _is_native(member: Any) -> bool:
    """Whether it does not speak the classic protocol, which members of consumer groups may."""
    return getattr(member, "classic", None) is None


def _commit_refusal(group: ModernGroup[Any, Any], cmd: Commit, held_since: HeldSince) -> Error:
    """The checks in Kafka's order.

    Instance ids are not looked at; at the member's own epoch any partition may be committed, also one it does not hold.
    """
    if not group.id and cmd.transactional:
        return Error.INVALID_GROUP_ID
    if not group.loaded:
        return Error.NOT_COORDINATOR
    if cmd.generation < 0 and not group.members:
        return Error.NONE
    memberless = cmd.generation == NO_GENERATION and not cmd.member and cmd.instance_id is None
    if cmd.transactional and memberless:
        return Error.NONE
    member = group.members.get(cmd.member)
    if member is None:
        return Error.UNKNOWN_MEMBER_ID
    if not cmd.transactional and _is_native(member) and cmd.version < MEMBER_EPOCHS_SINCE:
        return Error.UNSUPPORTED_VERSION
    if cmd.generation == member.epoch:
        return Error.NONE
    by_epoch = group.commits_by_assignment_epoch and cmd.generation <= member.epoch
    if by_epoch and held_since(member):
        return Error.NONE
    if cmd.transactional and cmd.version < STALE_IN_TRANSACTIONS_SINCE:
        return Error.ILLEGAL_GENERATION
    return _other_epoch(member)


def fetch(group: ModernGroup[Any, Any], cmd: FetchOffsets) -> Outcome[Any]:
    """The offsets, or one error; nothing changes. No older epoch is taken, unlike with commits."""
    return offset_requests.fetch(group, cmd, _fetch_refusal(group, cmd))


def _fetch_refusal(group: ModernGroup[Any, Any], cmd: FetchOffsets) -> Error:
    if not group.loaded:
        return Error.NOT_COORDINATOR
    if cmd.member is None:
        # Defect `null-member`: an epoch without a member is not foreseen, Kafka looks up a null key.
        return Error.NONE if cmd.epoch < 0 else Error.UNKNOWN_SERVER_ERROR
    member = group.members.get(cmd.member)
    if member is None:
        return Error.UNKNOWN_MEMBER_ID
    return Error.NONE if cmd.epoch == member.epoch else _other_epoch(member)


def delete_offsets(
    decision: ModernDecision[Any], cmd: DeleteOffsets, subscribed: Callable[[str], bool]
) -> Outcome[Any]:
    """Offsets of topics that nobody subscribes to."""
    offset_requests.delete_offsets(decision, cmd, _refusal(decision.group), subscribed)
    return decision.outcome()


def delete_group(decision: ModernDecision[Any], cmd: DeleteGroup) -> Outcome[Any]:
    """Only an empty group is deleted."""
    refusal = _refusal(decision.group)
    if refusal is Error.NONE and decision.group.members:
        refusal = Error.NON_EMPTY_GROUP
    offset_requests.delete_group(decision, cmd, refusal)
    return decision.outcome()


def topic_deleted(decision: ModernDecision[Any], cmd: TopicDeleted) -> Outcome[Any]:
    """The topic's offsets are gone; that topics of the group changed is seen by the next heartbeat."""
    offset_requests.topic_deleted(decision, cmd)
    return decision.outcome()


def _refusal(group: ModernGroup[Any, Any]) -> Error:
    if not group.id:
        return Error.INVALID_GROUP_ID
    return Error.NONE if group.loaded else Error.NOT_COORDINATOR
