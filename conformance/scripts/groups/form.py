"""How the requests, answers, groups and records of one group protocol look in a recording: what a protocol adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.commands import Request
from groupsim.coordinator.outcome import Answer
from groupsim.coordinator.topics import Topics
from groupsim.events.base import Event

Translate = Callable[[str], str]
"""A label such as `m1#2` to the simulated id, or the id to its label."""
Build = Callable[[Step, str, Translate], Request]
"""(step, the id to give to a new member, label -> id) -> the request."""
Tell = Callable[[Any, Translate], dict[str, Any]]
"""(answer, id -> label) -> the answer in the form of a recording."""
Described = Callable[[Any, Topics, Translate], dict[str, Any]]
"""(group, the broker's topics, id -> label) -> what the protocol's describe request answers, without the error."""
Record = list[Any]
"""`[type, key, value]`; a value of None is a tombstone."""
Value = Callable[[Any], dict[str, Any]]
"""A member, or a group, as the value of a record."""


class Role(StrEnum):
    """What a fact of one protocol writes, in words that all protocols have in common."""

    MEMBER = "member"
    REMOVED = "removed"
    TARGET = "target"
    CURRENT = "current"
    EPOCH = "epoch"


def _nothing(group: Any) -> dict[str, Any]:
    return {}


def _none(group: Any, event: Event) -> Iterable[Record]:
    return ()


@dataclass(frozen=True)
class Form:
    """One protocol whose members have epochs.

    `build` by operation, `tell` by type of answer. Records: `prefix` of the names of their types; `roles` of the
    protocol's facts; values of a `member`, of the `target` of a group's member, of what it has now (`current`);
    `epoch` is what the group's own record has besides epoch and hash; `others` are the records of facts without a role;
    `last` are the tombstones that end a group, after those of members and targets.
    """

    kind: str
    prefix: str
    described: Described
    build: Mapping[str, Build]
    tell: Mapping[type[Answer], Tell]
    roles: Mapping[type[Event], Role]
    member: Value
    target: Callable[[Any, str], dict[str, Any]]
    current: Value
    last: Callable[[Any], Iterable[Record]]
    epoch: Value = field(default=_nothing)
    others: Callable[[Any, Event], Iterable[Record]] = field(default=_none)
