"""What a decision consists of: facts, replies, timers; and Kafka's error codes as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from groupsim.events.base import Event


class Error(Enum):
    """Kafka's error codes that a group coordinator answers (org.apache.kafka.common.protocol.Errors)."""

    NONE = 0
    UNKNOWN_SERVER_ERROR = -1
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    GROUP_ID_NOT_FOUND = 69
    MEMBER_ID_REQUIRED = 79
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to request number `request`."""

    request: int
    answer: object


@dataclass(frozen=True, slots=True)
class Arm:
    """Give `command` to the machine in `after_ms`, unless disarmed; arming a key again replaces it."""

    key: str
    after_ms: int
    command: object


@dataclass(frozen=True, slots=True)
class Disarm:
    """Forget the alarm of this key, if there is one."""

    key: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became true, who is answered, which alarms are set; in order."""

    events: tuple[Event, ...] = ()
    replies: tuple[Reply, ...] = ()
    timers: tuple[Arm | Disarm, ...] = ()
