"""Who may commit, fetch and delete offsets, and delete the group.

Kafka: ConsumerGroup.validateOffsetCommit, validateOffsetFetch, validateDeleteGroup, isSubscribedToTopic.
"""

from __future__ import annotations

from groupsim.coordinator import offset_requests
from groupsim.coordinator.commands import (
    Commit,
    DeleteGroup,
    DeleteOffsets,
    FetchOffsets,
    TopicDeleted,
)
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.subscription import subscribed
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.coordinator.topics import Topics
from groupsim.events.types import NO_GENERATION, TopicPartition

MEMBER_EPOCHS_SINCE = 9
"""From this version of OffsetCommit on members of the consumer protocol may send it (KIP-848)."""
STALE_IN_TRANSACTIONS_SINCE = 6
"""From this version of TxnOffsetCommit on a stale epoch has an error of its own."""


def commit(group: ConsumerGroup, cmd: Commit) -> Outcome[State]:
    """Accept or refuse, all partitions alike. A commit does not count as a heartbeat."""
    decision = ConsumerDecision(group)
    offset_requests.commit(decision, cmd, _commit_refusal(group, cmd))
    return decision.outcome()


def _other_epoch(member: Member) -> Error:
    """What is answered to another epoch than the member's (Kafka: ConsumerGroup.validateMemberEpoch)."""
    return Error.STALE_MEMBER_EPOCH if member.classic is None else Error.ILLEGAL_GENERATION


def _commit_refusal(group: ConsumerGroup, cmd: Commit) -> Error:
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
    if not cmd.transactional and member.classic is None and cmd.version < MEMBER_EPOCHS_SINCE:
        return Error.UNSUPPORTED_VERSION
    if cmd.generation == member.epoch:
        return Error.NONE
    if group.behaviour.commits_by_assignment_epoch and _held_since(member, cmd):
        return Error.NONE
    if cmd.transactional and cmd.version < STALE_IN_TRANSACTIONS_SINCE:
        return Error.ILLEGAL_GENERATION
    return _other_epoch(member)


def _held_since(member: Member, cmd: Commit) -> bool:
    """An older epoch will do if the member has held every one of the partitions since then (KIP-1251)."""
    if cmd.generation > member.epoch:
        return False
    held = {**member.assigned, **member.pending}
    asked = (TopicPartition(_topic_id(cmd.context.topics, topic), number) for topic, number, _ in cmd.offsets)
    return all(p in held and cmd.generation >= held[p] for p in asked)


def _topic_id(topics: Topics, name: str) -> str:
    topic = topics.by_name.get(name)
    return name if topic is None else topic.id


def fetch(group: ConsumerGroup, cmd: FetchOffsets) -> Outcome[State]:
    """The offsets, or one error; nothing changes. No older epoch is taken, unlike with commits."""
    return offset_requests.fetch(group, cmd, _fetch_refusal(group, cmd))


def _fetch_refusal(group: ConsumerGroup, cmd: FetchOffsets) -> Error:
    if not group.loaded:
        return Error.NOT_COORDINATOR
    if cmd.member is None:
        # Defect `null-member`: an epoch without a member is not foreseen, Kafka looks up a null key.
        return Error.NONE if cmd.epoch < 0 else Error.UNKNOWN_SERVER_ERROR
    member = group.members.get(cmd.member)
    if member is None:
        return Error.UNKNOWN_MEMBER_ID
    return Error.NONE if cmd.epoch == member.epoch else _other_epoch(member)


def delete_offsets(group: ConsumerGroup, cmd: DeleteOffsets) -> Outcome[State]:
    """Offsets of topics that nobody subscribes to, by name or by an expression that was resolved to them."""
    decision = ConsumerDecision(group)
    names = set(subscribed(group))
    offset_requests.delete_offsets(decision, cmd, _refusal(group), names.__contains__)
    return decision.outcome()


def delete_group(group: ConsumerGroup, cmd: DeleteGroup) -> Outcome[State]:
    """Only an empty group is deleted."""
    decision = ConsumerDecision(group)
    refusal = _refusal(group)
    if refusal is Error.NONE and group.members:
        refusal = Error.NON_EMPTY_GROUP
    offset_requests.delete_group(decision, cmd, refusal)
    return decision.outcome()


def topic_deleted(group: ConsumerGroup, cmd: TopicDeleted) -> Outcome[State]:
    """The topic's offsets are gone; that the subscribed topics changed is seen by the next heartbeat."""
    decision = ConsumerDecision(group)
    offset_requests.topic_deleted(decision, cmd)
    return decision.outcome()


def _refusal(group: ConsumerGroup) -> Error:
    if not group.id:
        return Error.INVALID_GROUP_ID
    return Error.NONE if group.loaded else Error.NOT_COORDINATOR
