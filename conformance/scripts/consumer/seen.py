"""A group as an administrator sees it, in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.consumer.classic_requests import recorded_metadata
from groupsim.conformance.scripts.consumer.topics import by_topic_name
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.consumer.describe import DescribedGroup, DescribedMember, describe
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.topics import Topics

Label = Callable[[str], str]
Seen = dict[str, Any] | None


def seen(group: ClassicGroup | ConsumerGroup, topics: Topics, label: Label) -> Seen:
    """`seen` of a step: None if the group does not exist."""
    if isinstance(group, ConsumerGroup):
        return {"type": "consumer", **described(describe(group, topics), label)}
    return {"type": "classic", **described_classic(group, label)} if group.exists else None


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


def described_classic(group: ClassicGroup, label: Label) -> dict[str, Any]:
    """DescribeGroups without its error: metadata only of a Stable group, assignments also the last ones."""
    stable = group.phase is Phase.STABLE
    members = [
        {
            "member_id": label(m.id),
            "instance_id": m.instance_id,
            "client_id": m.client_id,
            "metadata": recorded_metadata(m.metadata(group.protocol)) if stable else None,
            "assignment": by_topic_name(m.assignment) if stable or m.assigned else None,
        }
        for m in group.members.values()
    ]
    return {
        "state": group.phase.value,
        "protocol_type": group.protocol_type or "",
        "protocol": (group.protocol or "") if stable else "",
        "members": sorted(members, key=lambda m: str(m["member_id"])),
    }
