"""What a decision consists of: facts, replies, timers and the state they lead to; Kafka's error codes as values."""

from __future__ import annotations

from enum import Enum
from typing import Generic, Self, TypeVar

import msgspec

from groupsim.coordinator.config import Configs
from groupsim.events.base import Event

State_co = TypeVar("State_co", covariant=True)


class Error(Enum):
    """Kafka's error codes that a group coordinator answers (org.apache.kafka.common.protocol.Errors)."""

    NONE = 0
    UNKNOWN_SERVER_ERROR = -1
    UNKNOWN_TOPIC_OR_PARTITION = 3
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    UNSUPPORTED_VERSION = 35
    INVALID_CONFIG = 40
    INVALID_REQUEST = 42
    INVALID_PRODUCER_ID_MAPPING = 49
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    MEMBER_ID_REQUIRED = 79
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    GROUP_SUBSCRIBED_TO_TOPIC = 86
    UNKNOWN_TOPIC_ID = 100
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    UNSUPPORTED_ASSIGNOR = 112
    STALE_MEMBER_EPOCH = 113
    INVALID_REGULAR_EXPRESSION = 128
    STREAMS_INVALID_TOPOLOGY = 130


class Answer(msgspec.Struct, frozen=True):
    """A response. Each kind knows what is answered in its place while the coordinator can't decide."""

    error: Error = Error.NONE

    @classmethod
    def while_loading(cls, configs: Configs) -> Self:
        """The answer of a coordinator that still loads its groups: the client is to try again."""
        return cls(error=Error.COORDINATOR_LOAD_IN_PROGRESS)

    @classmethod
    def when_cancelled(cls) -> Self | None:
        """For an answer that rests on facts which may not be durable yet: what is answered if they are superseded.

        Such an answer waits until everything the group has written is durable. None: it rests on no such facts.
        """
        return None


class Reply(msgspec.Struct, frozen=True):
    """The answer to request number `request`."""

    request: int
    answer: Answer


class Arm(msgspec.Struct, frozen=True):
    """Give `command` to the machine in `after_ms`, unless disarmed.

    Arming a key again replaces its timer, or does nothing if `keeps` (Kafka: CoordinatorTimer.scheduleIfAbsent).
    """

    key: str
    after_ms: int
    command: object
    keeps: bool = False


class Disarm(msgspec.Struct, frozen=True):
    """Drop the timer of this key, if there is one."""

    key: str


class Outcome(msgspec.Struct, Generic[State_co], frozen=True):
    """What became true, who is answered, which timers are set, in order; `state` is the state after these facts.

    `cancels_undurable`: answers that still wait for the write of earlier facts are void, and those who wait get the
    answer's `when_cancelled` instead.
    """

    state: State_co
    events: tuple[Event, ...] = ()
    replies: tuple[Reply, ...] = ()
    timers: tuple[Arm | Disarm, ...] = ()
    cancels_undurable: bool = False
