"""An empty group that its coordinator has forgotten without a record of it: defect `forgotten-group`.

Kafka: GroupMetadataManager.maybeDeleteEmptyConsumerGroup removes the group from memory before JoinGroup is refused.
Requests find no group. Whatever reads what is written, OffsetFetch and administrators, sees the group until another is
created under its name.
"""

from __future__ import annotations

from typing import Any

import msgspec

from groupsim.coordinator import classic
from groupsim.coordinator.commands import FetchOffsets, Load, Request, Unload
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.decision import RESOLUTION_TIMER, ConsumerDecision
from groupsim.coordinator.consumer.group_config import session_timeout_ms
from groupsim.coordinator.consumer.heartbeat import heartbeat
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.modern.loading import load, unload
from groupsim.coordinator.modern.offsets import fetch
from groupsim.coordinator.modern.state import absent
from groupsim.coordinator.outcome import Outcome


def decide_forgotten(group: ConsumerGroup, command: object) -> Outcome[Any]:
    """Decide one command to such a group."""
    match command:
        case FetchOffsets():
            return fetch(group, command)
        case Unload():
            return unload(ConsumerDecision(group), RESOLUTION_TIMER)
        case Load():
            return load(ConsumerDecision(group), session_timeout_ms(group.configs, command.context))
        case ConsumerHeartbeat():
            decided = heartbeat(absent(group), command)
        case Request():
            decided = classic.decide(absent(group), command)  # type: ignore[arg-type]
        case _:
            return Outcome(group)  # a timer that was not dropped
    unchanged = decided.state == absent(group)
    return msgspec.structs.replace(decided, state=group) if unchanged else decided
