"""Checks that several requests share."""

from __future__ import annotations

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.outcome import Error
from groupsim.events.types import MemberId


def validate(group: ClassicGroup, member: MemberId, instance_id: str | None) -> Error:
    """Is this id a member, and still the one its instance id stands for? (Kafka: ClassicGroup.validateMember)"""
    if instance_id is not None:
        mapped = group.statics.get(instance_id)
        if mapped is None:
            return Error.UNKNOWN_MEMBER_ID
        if mapped != member:
            return Error.FENCED_INSTANCE_ID
    return Error.NONE if member in group.members else Error.UNKNOWN_MEMBER_ID
