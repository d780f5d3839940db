"""The record that Kafka writes of a classic group, in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from groupsim.coordinator import classic
from groupsim.coordinator.classic.state import ClassicGroup, Member
from groupsim.events.base import Event
from groupsim.events.consumer import ClassicMetadata
from groupsim.events.group import CommitAccepted, GroupCreated, GroupDeleted, OffsetsDeleted
from groupsim.events.types import Partitions, Subscription

OTHER_RECORDS = (CommitAccepted, OffsetsDeleted, GroupDeleted)
"""Durable facts that write no GroupMetadata with a value."""


def writes(event: Event, decided: Sequence[Event]) -> bool:
    """Whether the fact, one of those `decided` together, writes the group's record.

    A group that a JoinGroup creates is written empty at once; one that a commit creates has records of offsets only.
    """
    if isinstance(event, GroupCreated):
        return not any(isinstance(other, CommitAccepted) for other in decided)
    return classic.survives(event) and not isinstance(event, OTHER_RECORDS)


def record(group: ClassicGroup, label: Callable[[str], str]) -> list[Any]:
    """GroupMetadata with what the group is now."""
    members = [_member(group, member, label) for member in group.members.values()]
    value = {
        "protocolType": group.protocol_type or "",
        "generation": group.generation,
        "protocol": group.protocol,
        "leader": None if group.leader is None else label(group.leader),
        "members": sorted(members, key=lambda row: str(row["memberId"])),
    }
    return ["GroupMetadata", {}, value]


def subscription(sent: Subscription) -> dict[str, Any] | str:
    """A subscription as the record has it; what its version does not have is left out."""
    if sent.unreadable is not None:
        return sent.unreadable
    since = {
        "Topics": (0, list(sent.topics)),
        "UserData": (0, None if sent.user_data is None else sent.user_data.encode().hex()),
        "OwnedPartitions": (1, partitions(sent.owned)),
        "GenerationId": (2, sent.generation),
        "RackId": (3, sent.rack),
    }
    return {name: value for name, (version, value) in since.items() if sent.version >= version}


def metadata(said: ClassicMetadata) -> dict[str, Any]:
    """What a classic member of a consumer group said, as the record has it."""
    protocols = [{"Name": protocol.name, "Metadata": subscription(protocol.metadata)} for protocol in said.protocols]
    return {"SessionTimeoutMs": said.session_timeout_ms, "SupportedProtocols": protocols}


def partitions(listed: Partitions) -> list[dict[str, Any]]:
    """Partitions as the record has them."""
    rows: dict[str, list[int]] = {}
    for topic, number in listed:
        rows.setdefault(topic, []).append(number)
    return [{"Topic": topic, "Partitions": numbers} for topic, numbers in rows.items()]


def _member(group: ClassicGroup, member: Member, label: Callable[[str], str]) -> dict[str, Any]:
    user_data = None if member.user_data is None else member.user_data.encode().hex()
    return {
        "memberId": label(member.id),
        "groupInstanceId": member.instance_id,
        "clientId": member.client_id,
        "rebalanceTimeout": member.rebalance_timeout_ms,
        "sessionTimeout": member.session_timeout_ms,
        "subscription": subscription(member.metadata(group.protocol)),
        "assignment": {"AssignedPartitions": partitions(member.assignment), "UserData": user_data},
    }
