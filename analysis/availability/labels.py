"""The labels of a partition, the interval that carries one, and what counts as available.

Source: `docs/model/availability.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec


class Label(StrEnum):
    """In the order in which reports list them; `analysis.availability.rules` has the order in which they are tried."""

    DOUBLE = "DOUBLE"
    OK = "OK"
    ZOMBIE_ONLY = "ZOMBIE_ONLY"
    PAUSED_CALLBACK = "PAUSED_CALLBACK"
    RESTORING = "RESTORING"
    PAUSED_APP = "PAUSED_APP"
    OWNER_STALLED = "OWNER_STALLED"
    OWNER_DEAD = "OWNER_DEAD"
    GRANT_IN_FLIGHT = "GRANT_IN_FLIGHT"
    WITHHELD = "WITHHELD"
    DELAYED = "DELAYED"
    UNOWNED = "UNOWNED"
    UNKNOWN = "UNKNOWN"


LABELS = tuple(Label)

MEANINGS = {
    Label.DOUBLE: "two processes serve it (available if one of them is entitled)",
    Label.OK: "its owner serves it",
    Label.ZOMBIE_ONLY: "only a process serves it that is not entitled or gave up its membership: work is repeated",
    Label.PAUSED_CALLBACK: "its owner is inside a rebalance callback, or commits before it revokes",
    Label.RESTORING: "its owner does not know where to start, or rebuilds state",
    Label.PAUSED_APP: "the application paused it",
    Label.OWNER_STALLED: "its owner's process is frozen, cut off from the data, or reaches no broker",
    Label.OWNER_DEAD: "its owner's process is gone, and the coordinator does not know yet",
    Label.GRANT_IN_FLIGHT: "its new owner has not received the assignment, or not applied it yet",
    Label.WITHHELD: "nobody has it, because a rebalance runs or has yet to begin",
    Label.DELAYED: "Connect keeps it for a worker that left, until its delay is over",
    Label.UNOWNED: "nobody can have it",
    Label.UNKNOWN: "a recorded log does not say; the sub-label says why",
}
"""Each label in a sentence."""


class SubLabel(StrEnum):
    """What tells partitions of one label apart; the values are those of the tables."""

    ZOMBIE_AND_OWNER = "zombie+owner"
    BOTH_ENTITLED = "both-entitled"
    NONE_ENTITLED = "none-entitled"
    POSITION = "position"
    DATA_CUT = "data-cut"
    NO_BROKER = "no-broker"
    COORDINATOR_ONLY = "by the books"
    CLIENT_ONLY = "client's word"
    ONLY_BROKER = "only the broker speaks"
    ONLY_CLIENTS = "only clients speak"
    NOTHING_YET = "nothing is told yet"
    NO_LOG = "no log of a member"
    IN_DOUBT = "in doubt"


class Verdict(NamedTuple):
    """What holds of one partition at one instant; intervals are maximal stretches of equal verdicts."""

    label: str
    sub_label: str | None = None
    member: str | None = None
    cause: str | None = None


Where = tuple[str, str, int]
"""Group, topic and partition."""


class Interval(msgspec.Struct, frozen=True):
    """One partition of one group in one condition, from `from_ms` up to, but not including, `to_ms`.

    `member` is the process concerned (its member id where no process is known), None where nobody is. `cause` names
    what led here (analysis.availability.causes), None while the label is OK.
    """

    group: str
    topic: str
    partition: int
    label: str
    sub_label: str | None
    member: str | None
    cause: str | None
    from_ms: int
    to_ms: int

    @property
    def where(self) -> Where:
        """Which partition of which group."""
        return self.group, self.topic, self.partition

    @property
    def duration_ms(self) -> int:
        """Length in milliseconds, never 0."""
        return self.to_ms - self.from_ms

    @property
    def available(self) -> bool:
        """Somebody serves the partition and may commit what it does."""
        return is_available(self.label, self.sub_label)

    @property
    def unavailable(self) -> bool:
        """Known to be not available: UNKNOWN is neither."""
        return self.label != Label.UNKNOWN and not self.available


def is_available(label: str, sub_label: str | None) -> bool:
    """OK, or DOUBLE with at least one entitled claimant."""
    return label == Label.OK or (label == Label.DOUBLE and sub_label != SubLabel.NONE_ENTITLED)


class Span(Protocol):
    """An interval, or a piece of one: a frozen struct of msgspec."""

    @property
    def from_ms(self) -> int:
        """Its first millisecond."""
        ...

    @property
    def to_ms(self) -> int:
        """The first one that is not in it."""
        ...


_Span = TypeVar("_Span", bound=Span)
cut_to: Callable[..., Any] = msgspec.structs.replace
"""A span with another `from_ms` or `to_ms`."""


def within(spans: Iterable[_Span], from_ms: int, to_ms: int) -> Iterator[_Span]:
    """The parts of intervals, or of their pieces, in a period."""
    for span in spans:
        begin, end = max(span.from_ms, from_ms), min(span.to_ms, to_ms)
        if begin < end:
            yield cut_to(span, from_ms=begin, to_ms=end)
