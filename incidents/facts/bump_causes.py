"""Why the epoch of a consumer group grew (KIP-848), by the broker's lines before it."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.events.consumer import BumpCause
from groupsim.events.types import MemberId
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.tolerances import REACTS_MS


class Change(NamedTuple):
    """A member came or went, and no line has said yet that the epoch grew by it."""

    position: int
    timed: TimedRow
    cause: BumpCause
    member: MemberId | None


class BumpCauses:
    """Fed with what one group's broker says; `metadata_hash`: that of the group's topics, 0 where no line prints it."""

    def __init__(self) -> None:
        self.metadata_hash = 0
        self._change: Change | None = None
        self._looked_ms: int | None = None

    def changed(self, change: Change) -> None:
        """A member came, went or changed; the first one since the epoch last grew counts."""
        self._change = self._change or change

    def looked(self, at_ms: int) -> None:
        """The broker has looked for the topics of the members' expressions."""
        self._looked_ms = at_ms

    def take_change(self) -> Change | None:
        """The change; from here on it counts as said."""
        change, self._change = self._change, None
        return change

    def bumped(self, at_ms: int, metadata_hash: int) -> tuple[BumpCause, MemberId | None]:
        """The epoch grew: why, and which member did it."""
        known, self.metadata_hash = self.metadata_hash, metadata_hash
        looked_ms, self._looked_ms = self._looked_ms, None
        change = self.take_change()
        if change is not None:
            return change.cause, change.member
        other = known != metadata_hash and bool(known)
        if looked_ms is not None and at_ms - looked_ms <= REACTS_MS and (other or not known):
            return BumpCause.EXPRESSION_RESOLVED, None
        return BumpCause.TOPICS_CHANGED if other and metadata_hash else BumpCause.UNKNOWN, None
