"""Commands that every group takes, whatever its protocol: offset commits, and the coordinator's coming and going.

A command is a request of a client, a timer that fires, or the broker's own (`Load`, `Unload`). Requests and answers of
one protocol stand with its machine (`coordinator.classic.commands`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self

import msgspec

from groupsim.coordinator.context import Context
from groupsim.coordinator.outcome import Answer
from groupsim.events.types import NO_GENERATION, MemberId, Offsets


class Situated(msgspec.Struct, frozen=True, kw_only=True):
    """A command whose decision looks at the time, at topics or at the group's own settings; its host fills them in."""

    context: Context = msgspec.field(default_factory=Context)

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


class Unload(msgspec.Struct, frozen=True):
    """The broker gives this group's offsets partition up."""


class Load(Situated, frozen=True):
    """A broker takes this group's offsets partition over."""
