"""Who sends a request of the classic protocol to a consumer group.

Kafka: GroupMetadataManager.validateConsumerGroupMember, throwIfMemberDoesNotUseClassicProtocol,
throwIfGenerationIdUnmatched.
"""

from __future__ import annotations

from groupsim.coordinator.consumer.decision import RequestRefused
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.static_members import present
from groupsim.coordinator.outcome import Error
from groupsim.events.consumer import ClassicMetadata
from groupsim.events.types import MemberId


def classic_member(
    group: ConsumerGroup, member: MemberId, instance_id: str | None, generation: int
) -> tuple[Member, ClassicMetadata]:
    """The classic member with this id, at this generation, with what its JoinGroup said. Raises RequestRefused."""
    if not group.loaded:
        raise RequestRefused(Error.NOT_COORDINATOR)
    found = present(group, member, instance_id)
    if found.classic is None:
        raise RequestRefused(Error.UNKNOWN_MEMBER_ID)
    if generation != found.epoch:
        raise RequestRefused(Error.ILLEGAL_GENERATION)
    return found, found.classic
