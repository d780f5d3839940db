"""OffsetFetch: who may read the committed offsets (Kafka: ConsumerGroup.validateOffsetFetch)."""

from __future__ import annotations

from groupsim.coordinator.commands import FetchOffsets, FetchOffsetsAnswer
from groupsim.coordinator.consumer.commit import stale_epoch
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Error, Outcome, Reply


def fetch(group: ConsumerGroup, cmd: FetchOffsets) -> Outcome[State]:
    """The offsets, or one error; nothing changes. No older epoch is taken, unlike with commits."""
    error = _refusal(group, cmd)
    if error is Error.NONE:
        answer = FetchOffsetsAnswer(offsets=cmd.context.offsets.fetch(cmd.partitions))
    else:
        answer = FetchOffsetsAnswer(error)
    return Outcome(group, replies=(Reply(cmd.request, answer),))


def _refusal(group: ConsumerGroup, cmd: FetchOffsets) -> Error:
    if not group.loaded:
        return Error.NOT_COORDINATOR
    if cmd.member is None:
        # Defect `null-member`: an epoch without a member is not foreseen, Kafka looks up a null key.
        return Error.NONE if cmd.epoch < 0 else Error.UNKNOWN_SERVER_ERROR
    member = group.members.get(cmd.member)
    if member is None:
        return Error.UNKNOWN_MEMBER_ID
    return Error.NONE if cmd.epoch == member.epoch else stale_epoch(member)
