"""OffsetCommit and TxnOffsetCommit: who may commit, at which epoch (Kafka: ConsumerGroup.validateOffsetCommit)."""

from __future__ import annotations

from groupsim.coordinator.commands import Commit, CommitAnswer
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.coordinator.topics import Topics
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.types import NO_GENERATION, TopicPartition

MEMBER_EPOCHS_SINCE = 9
"""From this version of OffsetCommit on members of the consumer protocol may send it (KIP-848)."""
STALE_IN_TRANSACTIONS_SINCE = 6
"""From this version of TxnOffsetCommit on a stale epoch has an error of its own."""


def commit(group: ConsumerGroup, cmd: Commit) -> Outcome[State]:
    """Accept or refuse, all partitions alike. A commit does not count as a heartbeat."""
    decision = ConsumerDecision(group)
    try:
        _check(group, cmd)
    except RequestRefused as refusal:
        error = refusal.error
        fact = CommitRefused(member=cmd.member, generation=cmd.generation, error=error.name, offsets=cmd.offsets)
        decision.record(fact)
    else:
        error = Error.NONE
        decision.record(
            CommitAccepted(
                member=cmd.member,
                generation=cmd.generation,
                offsets=cmd.offsets,
                transactional=cmd.transactional,
            )
        )
    decision.reply(cmd.request, CommitAnswer(error))
    return decision.outcome()


def stale_epoch(member: Member) -> Error:
    """What is answered to another epoch than the member's (Kafka: ConsumerGroup.validateMemberEpoch)."""
    return Error.STALE_MEMBER_EPOCH if member.classic is None else Error.ILLEGAL_GENERATION


def _check(group: ConsumerGroup, cmd: Commit) -> None:
    """The checks in Kafka's order. Raises RequestRefused.

    Instance ids are not looked at; at the member's own epoch any partition may be committed, also one it does not hold.
    """
    if not group.id and cmd.transactional:
        raise RequestRefused(Error.INVALID_GROUP_ID)
    if not group.loaded:
        raise RequestRefused(Error.NOT_COORDINATOR)
    if cmd.generation < 0 and not group.members:
        return
    memberless = cmd.generation == NO_GENERATION and not cmd.member and cmd.instance_id is None
    if cmd.transactional and memberless:
        return
    member = group.members.get(cmd.member)
    if member is None:
        raise RequestRefused(Error.UNKNOWN_MEMBER_ID)
    if not cmd.transactional and member.classic is None and cmd.version < MEMBER_EPOCHS_SINCE:
        raise RequestRefused(Error.UNSUPPORTED_VERSION)
    if cmd.generation == member.epoch:
        return
    if group.behaviour.commits_by_assignment_epoch and _held_since(member, cmd):
        return
    error = stale_epoch(member)
    if cmd.transactional and cmd.version < STALE_IN_TRANSACTIONS_SINCE:
        error = Error.ILLEGAL_GENERATION
    raise RequestRefused(error)


def _held_since(member: Member, cmd: Commit) -> bool:
    """An older epoch will do if the member has held every one of the partitions since then (KIP-1251)."""
    if cmd.generation > member.epoch:
        return False
    held = {**member.assigned, **member.pending}
    asked = (TopicPartition(_topic_id(cmd.context.topics, topic), number) for topic, number, _ in cmd.offsets)
    return all(p in held and cmd.generation >= held[p] for p in asked)


def _topic_id(topics: Topics, name: str) -> str:
    found = topics.by_name.get(name)
    return name if found is None else found.id
