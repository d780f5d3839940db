"""Requests of the classic protocol in scripts of the consumer protocol: metadata and assignments are real ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.groups.topics import by_topic_name, partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.classic.commands import (
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
from groupsim.coordinator.commands import Request
from groupsim.coordinator.outcome import Answer, Error
from groupsim.events.types import Protocol, Subscription

PROTOCOL_TYPE_SINCE = {"join": 7, "sync": 5}
"""Below these versions the protocol type is not sent."""
Translate = Callable[[str], str]


def metadata(asked: dict[str, Any]) -> Subscription:
    """A recorded subscription."""
    if "bytes" in asked:
        return Subscription(topics=(), unreadable=asked["bytes"])
    return Subscription(
        topics=tuple(asked["topics"]),
        owned=partitions_of(asked["owned"]),
        generation=asked["generation"],
        rack=asked["rack"],
        version=asked["version"],
        user_data=asked["user_data"],
    )


def recorded_metadata(subscription: Subscription) -> dict[str, Any]:
    """A subscription in the form of a recording."""
    if subscription.unreadable is not None:
        return {"bytes": subscription.unreadable, "topics": []}
    return {
        "version": subscription.version,
        "topics": list(subscription.topics),
        "owned": by_topic_name(subscription.owned),
        "generation": subscription.generation,
        "rack": subscription.rack,
        "user_data": subscription.user_data,
    }


def _join(step: Step, new_member: str, resolve: Translate) -> Join:
    asked = step["request"]
    return Join(
        request=step["i"],
        member=resolve(asked["member_id"]),
        new_member=new_member,
        instance_id=asked["group_instance_id"],
        client_id=step["as"],
        session_timeout_ms=asked["session_timeout_ms"],
        rebalance_timeout_ms=asked["rebalance_timeout_ms"],
        protocol_type=asked["protocol_type"],
        protocols=tuple(Protocol(name, metadata(sent)) for name, sent in asked["protocols"]),
        version=step["v"],
    )


def _sync(step: Step, new_member: str, resolve: Translate) -> Sync:
    asked = step["request"]
    named = step["v"] >= PROTOCOL_TYPE_SINCE["sync"]
    return Sync(
        request=step["i"],
        member=resolve(asked["member_id"]),
        generation=asked["generation"],
        instance_id=asked["group_instance_id"],
        protocol_type=asked["protocol_type"] if named else None,
        protocol=asked["protocol_name"] if named else None,
        assignment=tuple((resolve(member), partitions_of(sent)) for member, sent in asked["assignments"]),
        user_data=tuple((resolve(member), sent) for member, sent in asked.get("user_data", ())),
        version=step["v"],
    )


def _heartbeat(step: Step, new_member: str, resolve: Translate) -> Heartbeat:
    asked = step["request"]
    return Heartbeat(
        request=step["i"],
        member=resolve(asked["member_id"]),
        generation=asked["generation"],
        instance_id=asked["group_instance_id"],
    )


def _leave(step: Step, new_member: str, resolve: Translate) -> Leave:
    entries = step["request"]["members"]
    return Leave(
        request=step["i"],
        members=tuple(Leaving(resolve(entry["member_id"]), entry["group_instance_id"]) for entry in entries),
    )


BUILD: dict[str, Callable[[Step, str, Translate], Request]] = {
    "join": _join,
    "sync": _sync,
    "heartbeat": _heartbeat,
    "leave": _leave,
}


def response(step: Step, answer: Answer, label: Translate) -> dict[str, Any]:
    """The simulated answer in the form of a recording. Raises TypeError for an answer of another operation."""
    ok = answer.error is Error.NONE
    typed = ok and step["v"] >= PROTOCOL_TYPE_SINCE.get(step["op"], 0)
    match answer:
        case JoinAnswer():
            listed = [
                {
                    "member_id": label(m.member),
                    "group_instance_id": m.instance_id,
                    "metadata": recorded_metadata(m.metadata),
                }
                for m in answer.members
            ]
            return {
                "error": answer.error.name,
                "generation": answer.generation,
                "protocol_type": answer.protocol_type if typed else None,
                "protocol": answer.protocol if ok else None,
                "leader": label(answer.leader),
                "skip_assignment": answer.skip_assignment,
                "member_id": label(answer.member),
                "members": sorted(listed, key=lambda m: str(m["member_id"])),
            }
        case SyncAnswer():
            return {
                "error": answer.error.name,
                "protocol_type": answer.protocol_type if typed else None,
                "protocol": answer.protocol if typed else None,
                "assignment": by_topic_name(answer.assignment) if ok else None,
            }
        case LeaveAnswer():
            members = [
                {"member_id": label(member), "group_instance_id": instance, "error": error.name}
                for member, instance, error in answer.members
            ]
            return {"error": answer.error.name, "members": members}
        case HeartbeatAnswer():
            return {"error": answer.error.name}
    raise TypeError(f"not an answer: {answer!r}")
