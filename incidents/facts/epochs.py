"""A broker's rows about one KIP-848 group, told in the coordinator's facts: an epoch is a generation (spec: 6, 9.3)."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId
from groupsim.incidents.facts.builder import FactBuilder, number, words
from groupsim.incidents.facts.coordinator import BrokerStory
from groupsim.incidents.facts.index import Index


class EpochStory(BrokerStory):
    """One consumer group as its coordinator's log tells it.

    A change of members begins a rebalance, the new target ends it: no join phase, no sync phase. How long the members
    took to follow the target, their own logs tell.
    """

    def __init__(self, group: str, index: Index, draft: FactBuilder) -> None:
        super().__init__(group, index, draft)
        self._epoch = 0
        self._changing = False
        self._from_start = False

    def _change(self, cause: str, reason: str, member: MemberId | None = None) -> None:
        if not self._changing:
            self._changing = True
            self._tell(
                c.RebalanceStarted(
                    generation=self._epoch, cause=cause, reason=reason, initial=self._epoch == 0, member=member
                )
            )

    def _on_broker_consumer_joins(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if not self._exists:
            self._exist()
        self._enter(member, words(detail.get("instance")))
        self._change("member-joined", "a member joined", member)

    def _on_member_failed(self, member: MemberId | None, detail: dict[str, object]) -> None:
        super()._on_member_failed(member, detail)
        reason = words(detail.get("reason")) or "fenced"
        self._gone("session-expired" if "session" in reason else "sync-timeout", reason, member)

    def _on_member_left(self, member: MemberId | None, detail: dict[str, object]) -> None:
        super()._on_member_left(member, detail)
        if detail.get("what") != "temporarily left":
            self._gone("member-left", words(detail.get("reason")) or "a member left", member)

    def _gone(self, cause: str, reason: str, member: MemberId | None) -> None:
        self._change(cause, reason, member)
        if not self._members and self._from_start:
            self._changing = False
            self._tell(GroupEmptied(generation=self._epoch))

    def _on_broker_epoch(self, _: MemberId | None, detail: dict[str, object]) -> None:
        epoch = number(detail.get("epoch")) or 0
        self._from_start = self._from_start or epoch == 1
        if not self._changing:
            self._epoch = max(self._epoch, epoch - 1)
            self._change("unknown", "the group epoch was bumped")

    def _on_broker_target(self, _: MemberId | None, detail: dict[str, object]) -> None:
        epoch = number(detail.get("epoch")) or 0
        self._change("unknown", "a new target assignment was computed")
        self._changing, self._epoch = False, epoch
        members = tuple(sorted(self._members)) if self._from_start else None
        assignor = words(detail.get("assignor"))
        size = len(self._members)
        self._tell(c.JoinPhaseCompleted(generation=epoch, protocol=assignor, members=members, size=size))
        self._tell(c.AssignmentStored(generation=epoch, protocol=assignor))
