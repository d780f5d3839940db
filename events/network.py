"""What the network did. One stream, `network`."""

from __future__ import annotations

from typing import ClassVar

from groupsim.events.base import Event


class MessageDelivered(Event, frozen=True, kw_only=True):
    """A request or a response arrived; it was sent at `sent_ms`. `number` joins a response to its request."""

    noise: ClassVar[bool] = True
    source: str
    target: str
    api: str
    number: int
    sent_ms: int
    response: bool = False


class MessageDropped(Event, frozen=True, kw_only=True):
    """A request or a response was lost to a rule of the network."""

    noise: ClassVar[bool] = True
    source: str
    target: str
    api: str
    number: int
    response: bool = False


class LinkCut(Event, frozen=True, kw_only=True):
    """Nothing passes between `a` and `b`, either way, until LinkHealed."""

    a: str
    b: str


class LinkHealed(Event, frozen=True, kw_only=True):
    """The cut between `a` and `b` is over."""

    a: str
    b: str


class LinkSlowed(Event, frozen=True, kw_only=True):
    """Messages between `a` and `b` take `extra_ms` longer, either way; 0 ends it."""

    a: str
    b: str
    extra_ms: int
