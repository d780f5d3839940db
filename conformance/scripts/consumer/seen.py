"""A group as an administrator sees it, in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.consumer.topics import by_topic_name
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.consumer.describe import DescribedGroup, DescribedMember, describe
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.topics import Topics

Label = Callable[[str], str]
Seen = dict[str, Any] | None


def seen(group: ClassicGroup | ConsumerGroup, topics: Topics, label: Label) -> Seen:
    """`seen` of a step: None if the group does not exist."""
    if isinstance(group, ConsumerGroup):
        return {"type": "consumer", **described(describe(group, topics), label)}
    return _classic(group, label) if group.exists else None


def described(group: DescribedGroup, label: Label) -> dict[str, Any]:
    """ConsumerGroupDescribe without its error."""
    members = [_member(member, label) for member in group.members]
    return {
        "state": group.phase.value,
        "group_epoch": group.epoch,
        "assignment_epoch": group.target_epoch,
        "assignor": group.assignor,
        "members": sorted(members, key=lambda m: str(m["member_id"])),
    }


def _member(described: DescribedMember, label: Label) -> dict[str, Any]:
    member = described.member
    return {
        "member_id": label(member.id),
        "instance_id": member.instance_id,
        "rack_id": member.rack,
        "member_epoch": member.epoch,
        "client_id": member.client_id,
        "names": list(member.topics),
        "regex": member.expression,
        "assignment": by_topic_name(described.assignment),
        "target": by_topic_name(described.target),
        "type": "consumer" if member.classic is None else "classic",
    }


def _classic(group: ClassicGroup, label: Label) -> dict[str, Any]:
    return {
        "type": "classic",
        "state": group.phase.value,
        "protocol_type": group.protocol_type or "",
        "protocol": group.protocol or "",
        "members": [],
    }
