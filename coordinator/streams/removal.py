"""Members of a streams group are removed (Kafka: GroupMetadataManager.streamsGroupFenceMember)."""

from __future__ import annotations

from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.removal import emptied
from groupsim.coordinator.streams.evolve import StreamsDecision
from groupsim.events import streams as facts
from groupsim.events.consumer import LossCause
from groupsim.events.types import MemberId


def remove(decision: StreamsDecision, members: tuple[MemberId, ...], cause: LossCause, context: Context) -> None:
    """Remove members; the epoch grows once. Their tasks lie idle until the next heartbeat of anybody."""
    for member in members:
        decision.record(facts.StreamsMemberRemoved(member=member, cause=cause))
        decision.disarm_timers(member)
    group = decision.group
    bumped = facts.StreamsGroupEpochBumped(
        epoch=group.epoch + 1,
        metadata_hash=group.metadata_hash,
        validated_epoch=group.validated_epoch,
        assignment_configs=group.assignment_configs,
        member=members[0],
    )
    emptied(decision, bumped, "streams")
