"""A step as a command of the simulated coordinator, and its answer in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.consumer import classic_requests, offsets
from groupsim.conformance.scripts.consumer.topics import by_topic_name, partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.commands import Request
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.outcome import Answer

Translate = Callable[[str], str]
"""A label such as `m1#2` to the simulated id, or the id to its label."""


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


Build = Callable[[Step, str, Translate], Request]
"""(step, the id to give to a new member, label -> id) -> the request."""
BUILD: dict[str, Build] = {
    "consumer_heartbeat": _consumer_heartbeat,
    **offsets.BUILD,
    **classic_requests.BUILD,
}
"""Operation -> the command it is; an operation that is not here is no request to a group, or is not simulated yet."""


def response(step: Step, answer: Answer, label: Translate) -> dict[str, Any]:
    """The simulated answer in the form of a recording. Raises TypeError for an answer that no operation has."""
    if isinstance(answer, ConsumerHeartbeatAnswer):
        return {
            "error": answer.error.name,
            "member_id": None if answer.member is None else label(answer.member),
            "member_epoch": answer.epoch,
            "heartbeat_interval_ms": answer.heartbeat_interval_ms,
            "assignment": None if answer.assignment is None else by_topic_name(answer.assignment),
        }
    return offsets.response(step, answer) or classic_requests.response(step, answer, label)
