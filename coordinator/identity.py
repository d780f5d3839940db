"""Whether the sender of a request is a member, and the one that its instance id stands for; the same in every protocol.

Kafka: ClassicGroup.validateMember, GroupMetadataManager.validateConsumerGroupMember.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from groupsim.coordinator.outcome import Error
from groupsim.events.types import MemberId


class Group(Protocol):
    """A group of any protocol: its members by id, and who has which instance id."""

    @property
    def members(self) -> Mapping[MemberId, Any]:
        """The members by id."""
        ...

    @property
    def statics(self) -> Mapping[str, MemberId]:
        """The member that each instance id stands for."""
        ...


def sender_error(group: Group, member: MemberId, instance_id: str | None) -> Error:
    """UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID if another member has the instance id, or NONE."""
    if instance_id is not None:
        holder = group.statics.get(instance_id)
        if holder is None:
            return Error.UNKNOWN_MEMBER_ID
        if holder != member:
            return Error.FENCED_INSTANCE_ID
    return Error.NONE if member in group.members else Error.UNKNOWN_MEMBER_ID
