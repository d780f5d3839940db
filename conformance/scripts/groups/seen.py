"""A group as an administrator sees it, in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.groups.classic_requests import recorded_metadata
from groupsim.conformance.scripts.groups.protocols import FORMS
from groupsim.conformance.scripts.groups.topics import by_topic_name
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.machine import AnyGroup
from groupsim.coordinator.topics import Topics

Label = Callable[[str], str]
Seen = dict[str, Any] | None


def seen(group: AnyGroup, topics: Topics, label: Label) -> Seen:
    """`seen` of a step: None if the group does not exist."""
    if isinstance(group, ClassicGroup):
        return {"type": "classic", **_classic(group, label)} if group.exists else None
    form = FORMS[type(group)]
    return {"type": form.kind, **form.described(group, topics, label)}


def listed(group: AnyGroup) -> Seen:
    """A group's row of ListGroups v5."""
    if isinstance(group, ClassicGroup):
        typed = group.protocol_type or ""
        return {"protocol_type": typed, "state": group.phase.value, "type": "classic"} if group.exists else None
    kind = FORMS[type(group)].kind
    return {"protocol_type": kind, "state": group.phase.value, "type": kind}


def _classic(group: ClassicGroup, label: Label) -> dict[str, Any]:
    """DescribeGroups: metadata only of a Stable group, assignments also the last ones."""
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
