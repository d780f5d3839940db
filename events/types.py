"""Words and units used everywhere: ids, partitions, plans, subscriptions.

Times are `int` milliseconds since the run's start (`*_ms`); generations are Kafka's, -1 meaning "none".
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

MemberId = str
"""The id the coordinator gave: `clientId-UUID`, or `instanceId-UUID` for a static member."""
ProcessId = str
"""One incarnation of one client program, `label.incarnation`: a restarted `m1.0` is `m1.1`."""
GroupId = str
RunId = str

NO_GENERATION = -1


TopicId = str
"""A topic's identity: its name, or `name#2` for the second topic of that name (no name of Kafka's has a `#`)."""


MOST_PARTITIONS = 2_000_000
"""No topic of a run has more: a number that is read from a file must not take all memory."""


class TopicPartition(NamedTuple):
    """One partition of one topic; sorts by topic, then by partition number."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


Partitions = tuple[TopicPartition, ...]
"""Always sorted when it stands in a fact."""
Plan = dict[MemberId, Partitions]
"""Who gets what; keys sorted when it stands in a fact."""
Offsets = tuple[tuple[str, int, int], ...]
"""`(topic, partition, offset)`, sorted: the next offset to read, as Kafka commits it."""

Held = tuple[tuple[TopicId, int, int], ...]
"""`(topic id, partition, assignment epoch)`, sorted: what a member of a consumer group holds, and since which epoch."""


class Subscription(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a member tells the leader's assignor (Kafka: ConsumerPartitionAssignor.Subscription).

    `owned` is the member's view at the time it asked to join; eager members own nothing then, and the sticky
    assignor carries what they had in its own user data: `user_owned` with `user_generation`. `version` is that of the
    encoding; `user_data` another assignor's, as text. `unreadable`: bytes that are no
    subscription, in hexadecimal digits.
    """

    topics: tuple[str, ...]
    owned: Partitions = ()
    generation: int = NO_GENERATION
    rack: str | None = None
    user_owned: Partitions = ()
    user_generation: int = NO_GENERATION
    version: int = 3
    user_data: str | None = None
    unreadable: str | None = None


class Protocol(msgspec.Struct, frozen=True, array_like=True):
    """One assignor a member offers, with the metadata it sends for it."""

    name: str
    metadata: Subscription


def moved(before: Plan, after: Plan) -> Partitions:
    """The partitions of `after` that had another owner in `before`, sorted."""
    owner = {p: m for m, ps in before.items() for p in ps}
    return tuple(sorted(p for m, ps in after.items() for p in ps if owner.get(p, m) != m))


class RejoinCause(StrEnum):
    """Why a client joins again (Kafka: AbstractCoordinator.requestRejoin)."""

    GROUP_REBALANCING = "group-rebalancing"
    SUBSCRIPTION_CHANGED = "subscription-changed"
    METADATA_CHANGED = "metadata-changed"
    PARTITIONS_REVOKED = "partitions-revoked"
    MEMBER_ID_REQUIRED = "member-id-required"
    ERROR = "error"


class LeaveCause(StrEnum):
    """Why a client leaves (Kafka: AbstractCoordinator.maybeLeaveGroup)."""

    POLL_TIMEOUT = "poll-timeout"
    CLOSED = "closed"
    UNSUBSCRIBED = "unsubscribed"
