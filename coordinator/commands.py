"""Commands that every group takes, whatever its protocol: offsets, deletion, and the coordinator's coming and going.

A command is a request of a client, a timer that fires, or the broker's own (`Load`, `Unload`). Requests and answers of
one protocol stand with its machine (`coordinator.classic.commands`).
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import ClassVar, Self

import msgspec

from groupsim.coordinator.context import NOWHERE, Context
from groupsim.coordinator.outcome import Answer, Error
from groupsim.events.types import NO_GENERATION, MemberId, Offsets, Partitions


def base64_uuid(text: str) -> str:
    """A UUID as Kafka's own class writes it: 22 characters, none of them a `-` at the beginning (Kafka: Uuid)."""
    written = urlsafe_b64encode(bytes.fromhex(text.replace("-", ""))).decode().rstrip("=")
    return f"_{written[1:]}" if written.startswith("-") else written


class Situated(msgspec.Struct, frozen=True, kw_only=True):
    """A command whose decision looks at the time, at topics or at the group's own settings; its host fills them in."""

    context: Context = NOWHERE

    def at(self, context: Context) -> Self:
        """The command as it is decided now."""
        return msgspec.structs.replace(self, context=context)


class Request(Situated, frozen=True, kw_only=True):
    """A client's request. `request` numbers it within its group; its Reply carries the same number."""

    answer: ClassVar[type[Answer]] = Answer
    request: int

    def with_new_id(self, uuid: Callable[[], str]) -> Self:
        """The request with an id that its sender gets if it needs a new one: a machine draws nothing itself."""
        return self


class CommitAnswer(Answer, frozen=True):
    """OffsetCommit and TxnOffsetCommit response."""


class Commit(Request, frozen=True, kw_only=True):
    """OffsetCommit, or TxnOffsetCommit if `transactional`. `generation` is the member epoch in a consumer group."""

    answer: ClassVar[type[Answer]] = CommitAnswer
    offsets: Offsets
    member: MemberId = ""
    generation: int = NO_GENERATION
    instance_id: str | None = None
    transactional: bool = False
    version: int = 9


class FetchOffsetsAnswer(Answer, frozen=True):
    """OffsetFetch response; a partition without a committed offset is left out."""

    offsets: Offsets = ()


class FetchOffsets(Request, frozen=True, kw_only=True):
    """OffsetFetch; topics by name. `member` is None where the request has none (below version 9, administrators)."""

    answer: ClassVar[type[Answer]] = FetchOffsetsAnswer
    partitions: Partitions
    member: MemberId | None = None
    epoch: int = NO_GENERATION


class DeleteOffsetsAnswer(Answer, frozen=True):
    """OffsetDelete response: a top-level error, or one result per partition, sorted."""

    partitions: tuple[tuple[str, int, Error], ...] = ()


class DeleteOffsets(Request, frozen=True, kw_only=True):
    """OffsetDelete; topics by name."""

    answer: ClassVar[type[Answer]] = DeleteOffsetsAnswer
    partitions: Partitions


class DeleteGroupAnswer(Answer, frozen=True):
    """DeleteGroups response for one group."""


class DeleteGroup(Request, frozen=True, kw_only=True):
    """DeleteGroups, for one group."""

    answer: ClassVar[type[Answer]] = DeleteGroupAnswer


class TopicDeleted(Situated, frozen=True, kw_only=True):
    """The broker has heard that a topic is gone: offsets of its partitions go, too."""

    topic: str


class Unload(msgspec.Struct, frozen=True):
    """The broker gives this group's offsets partition up."""


class Load(Situated, frozen=True):
    """A broker takes this group's offsets partition over."""
