"""Why a consumer group's epoch grew: the word of a classic group where it is the same, and the member behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.events import consumer as c
from groupsim.events.base import Event
from groupsim.events.classic import RebalanceCause
from groupsim.events.consumer import BumpCause, LossCause
from groupsim.events.types import MemberId

REMOVALS = {
    LossCause.LEFT: "member-left",
    LossCause.SESSION_EXPIRED: "session-expired",
    LossCause.REBALANCE_TIMEOUT: "rebalance-timeout",
    LossCause.JOIN_TIMEOUT: "join-timeout",
    LossCause.SYNC_TIMEOUT: "sync-timeout",
    LossCause.REMOVED: "member-removed",
    LossCause.UNKNOWN: RebalanceCause.MEMBER_GONE,
}
"""Why a member of a consumer group is gone."""
JOINED = "member-joined"
_BY_MEMBER = (BumpCause.SUBSCRIPTION_CHANGED, BumpCause.EXPRESSION_CHANGED)
"""Causes that a new member has, too: it brings its topics, or its expression."""


class EpochCause(NamedTuple):
    """`member`: who joined, left or changed; None where it was nobody's doing. `removed`: it is gone."""

    word: str
    member: MemberId | None
    removed: bool


@dataclass(slots=True)
class EpochCauses:
    """Fed with the facts of a group's coordinator. `lost`: who was removed since the epoch last grew, and why."""

    members: set[MemberId] = field(default_factory=set)
    new: set[MemberId] = field(default_factory=set)
    lost: tuple[MemberId, LossCause] | None = None

    def apply(self, event: Event) -> EpochCause | None:
        """Fold one fact; the cause, if the epoch grew by it."""
        match event:
            case c.GroupUpgraded():
                self.members = set(event.assignment)
            case c.ConsumerMemberUpdated() if event.member not in self.members:
                self.members.add(event.member)
                self.new.add(event.member)
            case c.ConsumerMemberRemoved():
                self.members.discard(event.member)
                self.lost = event.member, event.cause
            case c.StaticMemberReplaced():
                self.members.discard(event.old)
                self.members.add(event.member)
            case c.GroupEpochBumped():
                return self._cause(event)
        return None

    def _cause(self, event: c.GroupEpochBumped) -> EpochCause:
        lost, self.lost = self.lost, None
        new, self.new = self.new, set()
        if lost is not None:
            return EpochCause(REMOVALS[lost[1]], lost[0], True)
        if event.cause in _BY_MEMBER and event.member in new:
            return EpochCause(JOINED, event.member, False)
        return EpochCause(event.cause.value, event.member, False)
