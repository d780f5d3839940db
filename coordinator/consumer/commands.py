"""Requests to a consumer group, what is answered, and its timers."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self

import msgspec

from groupsim.coordinator.commands import Situated, base64_uuid
from groupsim.coordinator.modern.commands import NO_TIMEOUT, ModernHeartbeat, ModernHeartbeatAnswer
from groupsim.coordinator.outcome import Answer
from groupsim.coordinator.topics import Topics
from groupsim.events.types import MemberId, Partitions


class ConsumerHeartbeatAnswer(ModernHeartbeatAnswer, frozen=True, kw_only=True):
    """ConsumerGroupHeartbeat response; `assignment` is None where the member knows it already."""

    assignment: Partitions | None = None


class ConsumerHeartbeat(ModernHeartbeat, frozen=True, kw_only=True):
    """ConsumerGroupHeartbeat. A field that is None (-1 for the timeout) was not sent: nothing changes.

    `new_member` is the id to give if the member brings none (version 0); topics of `owned` are ids.
    """

    answer: ClassVar[type[Answer]] = ConsumerHeartbeatAnswer
    new_member: MemberId = ""
    topics: tuple[str, ...] | None = None
    expression: str | None = None
    assignor: str | None = None
    owned: Partitions | None = None
    version: int = 1

    def with_new_id(self, uuid: Callable[[], str]) -> Self:
        """The new id is a UUID."""
        return msgspec.structs.replace(self, new_member=base64_uuid(uuid()))

    @property
    def full(self) -> bool:
        """It has everything, as a first request (Kafka: isFullRequest)."""
        subscribed = self.topics is not None or self.expression is not None
        return self.rebalance_timeout_ms != NO_TIMEOUT and subscribed and self.owned is not None


class ClassicJoinTimedOut(Situated, frozen=True, kw_only=True):
    """A classic member that was asked to rejoin did not in time."""

    member: MemberId


class ClassicSyncTimedOut(Situated, frozen=True, kw_only=True):
    """A classic member that joined did not send its SyncGroup in time."""

    member: MemberId


class ResolveExpressions(Situated, frozen=True, kw_only=True):
    """Another thread has matched these expressions with the names of `topics`, those known when it was started."""

    expressions: tuple[str, ...]
    topics: Topics
    started_ms: int
