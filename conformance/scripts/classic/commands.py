"""A step of a script as a command of the simulated coordinator, and the answer in the form of a recording.

Recorded metadata and assignments are opaque tags, ours are structured. A tag becomes the only topic of a
subscription, or the topic of the only partition of an assignment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.coordinator.classic.commands import (
    Command,
    Heartbeat,
    HeartbeatAnswer,
    Join,
    JoinAnswer,
    Leave,
    LeaveAnswer,
    Leaving,
    Sync,
    SyncAnswer,
)
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.commands import Commit, CommitAnswer
from groupsim.coordinator.outcome import Error
from groupsim.events.types import Partitions, Protocol, Subscription, TopicPartition

INSTANCE_ID_SINCE = {"join": 5, "sync": 3, "heartbeat": 3, "leave": 3, "commit": 7, "txn_commit": 3}
PROTOCOL_SINCE = {"join": 7, "sync": 5}
SKIP_ASSIGNMENT_SINCE = 9
Translate = Callable[[str], str]
"""A label such as `m1#2` to the simulated id, or the id to its label."""


def metadata(tag: str) -> Subscription:
    """An opaque tag as a subscription."""
    return Subscription(topics=(tag,) if tag else ())


def assignment(tag: str) -> Partitions:
    """An opaque tag as an assignment."""
    return (TopicPartition(tag, 0),) if tag else ()


def tag_of(value: Subscription | Partitions) -> str:
    """The tag again."""
    if isinstance(value, Subscription):
        return value.topics[0] if value.topics else ""
    return value[0].topic if value else ""


def command(step: dict[str, Any], *, new_member: str, resolve: Translate) -> Command:
    """A step's request as a command. Raises KeyError for a missing field, ValueError for an unknown operation."""
    op, version, asked = step["op"], step["v"], step["request"]
    instance = asked.get("group_instance_id") if version >= INSTANCE_ID_SINCE.get(op, 0) else None
    member = resolve(asked.get("member_id") or "")
    match op:
        case "join":
            session = asked["session_timeout_ms"]
            return Join(
                request=step["i"],
                member=member,
                new_member=new_member,
                instance_id=instance,
                client_id=step["as"],
                session_timeout_ms=session,
                rebalance_timeout_ms=asked["rebalance_timeout_ms"] if version >= 1 else session,
                protocol_type=asked["protocol_type"],
                protocols=tuple(Protocol(name, metadata(tag)) for name, tag in asked["protocols"]),
                version=version,
            )
        case "sync":
            named = version >= PROTOCOL_SINCE[op]
            return Sync(
                request=step["i"],
                member=member,
                generation=asked["generation"],
                instance_id=instance,
                protocol_type=asked["protocol_type"] if named else None,
                protocol=asked["protocol_name"] if named else None,
                assignment=tuple((resolve(m), assignment(tag)) for m, tag in asked["assignments"]),
                version=version,
            )
        case "heartbeat":
            return Heartbeat(request=step["i"], member=member, generation=asked["generation"], instance_id=instance)
        case "leave":
            return _leave(step, resolve)
        case "commit" | "txn_commit":
            return Commit(
                request=step["i"],
                member=member,
                generation=asked["generation"],
                instance_id=instance,
                offsets=(("t", asked.get("partition", 0), asked.get("offset", 0)),),
                transactional=op == "txn_commit",
                version=version,
            )
    raise ValueError(f"unknown operation {op!r}")


def _leave(step: dict[str, Any], resolve: Translate) -> Leave:
    static = step["v"] >= INSTANCE_ID_SINCE["leave"]
    entries = step["request"]["members"]
    return Leave(
        request=step["i"],
        members=tuple(
            Leaving(resolve(e["member_id"] or ""), e["group_instance_id"] if static else None) for e in entries
        ),
    )


def response(step: dict[str, Any], answer: object, label: Translate) -> dict[str, Any]:
    """The simulated answer in the form of a recording."""
    version = step["v"]
    match answer:
        case JoinAnswer():
            return _join_response(version, answer, label)
        case SyncAnswer():
            return _sync_response(version, answer)
        case LeaveAnswer():
            return _leave_response(version, answer, label)
        case HeartbeatAnswer() | CommitAnswer():
            return {"error": answer.error.name}
    raise TypeError(f"not an answer: {answer!r}")


def _sync_response(version: int, answer: SyncAnswer) -> dict[str, Any]:
    ok = answer.error is Error.NONE
    named = {"protocol_type": answer.protocol_type if ok else None, "protocol": answer.protocol if ok else None}
    return {
        "error": answer.error.name,
        **(named if version >= PROTOCOL_SINCE["sync"] else {}),
        "assignment": tag_of(answer.assignment),
    }


def _join_response(version: int, answer: JoinAnswer, label: Translate) -> dict[str, Any]:
    ok = answer.error is Error.NONE
    typed = version >= PROTOCOL_SINCE["join"]
    listed = [
        {
            "member_id": label(m.member),
            "group_instance_id": m.instance_id if version >= INSTANCE_ID_SINCE["join"] else None,
            "metadata": tag_of(m.metadata),
        }
        for m in answer.members
    ]
    return {
        "error": answer.error.name,
        "generation": answer.generation,
        **({"protocol_type": answer.protocol_type if ok else None} if typed else {}),
        "protocol": answer.protocol if ok else (None if typed else ""),
        "leader": label(answer.leader),
        **({"skip_assignment": answer.skip_assignment} if version >= SKIP_ASSIGNMENT_SINCE else {}),
        "member_id": label(answer.member),
        "members": sorted(listed, key=lambda m: str(m["member_id"])),
    }


def _leave_response(version: int, answer: LeaveAnswer, label: Translate) -> dict[str, Any]:
    if version < INSTANCE_ID_SINCE["leave"]:
        error = answer.members[0][2] if answer.members else answer.error
        return {"error": error.name, "members": []}
    return {
        "error": answer.error.name,
        "members": [
            {"member_id": label(member), "group_instance_id": instance, "error": error.name}
            for member, instance, error in answer.members
        ],
    }


def describe(group: ClassicGroup, label: Translate) -> dict[str, Any]:
    """DescribeGroups v5 (Kafka: ClassicGroup.describe): protocol and metadata only of a Stable group."""
    stable = group.phase is Phase.STABLE
    return {
        "error": "NONE",
        "state": group.phase.value if group.exists else Phase.DEAD.value,
        "protocol_type": group.protocol_type or "",
        "protocol": (group.protocol or "") if stable else "",
        "members": sorted(
            (
                {
                    "member_id": label(m.id),
                    "group_instance_id": m.instance_id,
                    "client_id": m.client_id,
                    "metadata": tag_of(m.metadata(group.protocol)) if stable else "",
                    "assignment": tag_of(m.assignment),
                }
                for m in group.members.values()
            ),
            key=lambda m: str(m["member_id"]),
        ),
    }
