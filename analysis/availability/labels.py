"""The labels of an unavailable partition (spec: 8.2), the interval that carries one, and what counts as available."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

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
UNOWNED = "UNOWNED"
UNKNOWN = "UNKNOWN"

LABELS = (
    DOUBLE,
    OK,
    ZOMBIE_ONLY,
    PAUSED_CALLBACK,
    RESTORING,
    PAUSED_APP,
    OWNER_STALLED,
    OWNER_DEAD,
    GRANT_IN_FLIGHT,
    WITHHELD,
    UNOWNED,
    UNKNOWN,
)
"""In the order in which they are tried; UNKNOWN is ours: a recorded log does not tell (the sub-label says why)."""

MEANINGS = {
    DOUBLE: "two processes serve it (available if one of them is entitled)",
    OK: "its owner serves it",
    ZOMBIE_ONLY: "only a process serves it that is not entitled, or has given up its membership: work is done again",
    PAUSED_CALLBACK: "its owner is inside a rebalance callback, or commits before giving it up",
    RESTORING: "its owner does not know where to start, or rebuilds state",
    PAUSED_APP: "the application paused it",
    OWNER_STALLED: "its owner's process stands still",
    OWNER_DEAD: "its owner's process is gone, and the coordinator does not know yet",
    GRANT_IN_FLIGHT: "its new owner has not heard of it, or not acted on it yet",
    WITHHELD: "nobody has it, because a rebalance is under way or has yet to begin",
    UNOWNED: "nobody can have it",
    UNKNOWN: "a recorded log does not tell",
}
"""Each label in a sentence."""

ZOMBIE_AND_OWNER = "zombie+owner"
BOTH_ENTITLED = "both-entitled"
NONE_ENTITLED = "none-entitled"
POSITION = "position"
DATA_CUT = "data-cut"
BY_THE_BOOKS = "by the books"
CLIENTS_WORD = "client's word"


class Verdict(NamedTuple):
    """What holds of one partition at one instant; intervals are maximal stretches of equal verdicts."""

    label: str
    sub_label: str | None = None
    member: str | None = None
    cause: str | None = None


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
    def duration_ms(self) -> int:
        """Length in milliseconds, never 0."""
        return self.to_ms - self.from_ms

    @property
    def available(self) -> bool:
        """Somebody serves the partition and may commit what it does (spec: 8.1)."""
        return is_available(self.label, self.sub_label)

    @property
    def unavailable(self) -> bool:
        """Known to be not available: UNKNOWN is neither."""
        return self.label != UNKNOWN and not self.available


def is_available(label: str, sub_label: str | None) -> bool:
    """OK, or DOUBLE with at least one entitled claimant."""
    return label == OK or (label == DOUBLE and sub_label != NONE_ENTITLED)
