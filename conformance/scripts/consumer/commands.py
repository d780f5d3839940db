"""A step as a command of the simulated coordinator, and its answer in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.consumer.topics import by_topic_name, partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer

Translate = Callable[[str], str]
"""A label such as `m1#2` to the simulated id, or the id to its label."""
SUPPORTED = ("consumer_heartbeat",)
"""Operations that the simulated coordinator takes as commands so far."""


def command(step: Step, *, new_member: str, resolve: Translate) -> ConsumerHeartbeat:
    """A step's request as a command. Raises KeyError for a missing field, ValueError for an unknown operation."""
    match step["op"]:
        case "consumer_heartbeat":
            return _consumer_heartbeat(step, new_member, resolve)
    raise ValueError(f"unknown operation {step['op']!r}")


def _consumer_heartbeat(step: Step, new_member: str, resolve: Translate) -> ConsumerHeartbeat:
    asked = step["request"]
    names, owned = asked["subscribed_topic_names"], asked["topic_partitions"]
    return ConsumerHeartbeat(
        request=step["i"],
        member=resolve(asked["member_id"]),
        epoch=asked["member_epoch"],
        new_member=new_member,
        instance_id=asked["instance_id"],
        rack=asked["rack_id"],
        client_id=step["as"],
        rebalance_timeout_ms=asked["rebalance_timeout_ms"],
        topics=None if names is None else tuple(names),
        expression=asked.get("subscribed_topic_regex"),
        assignor=asked["server_assignor"],
        owned=None if owned is None else partitions_of(owned),
        version=step["v"],
    )


def response(answer: object, label: Translate) -> dict[str, Any]:
    """The simulated answer in the form of a recording."""
    match answer:
        case ConsumerHeartbeatAnswer():
            return {
                "error": answer.error.name,
                "member_id": None if answer.member is None else label(answer.member),
                "member_epoch": answer.epoch,
                "heartbeat_interval_ms": answer.heartbeat_interval_ms,
                "assignment": None if answer.assignment is None else by_topic_name(answer.assignment),
            }
    raise TypeError(f"not an answer: {answer!r}")
