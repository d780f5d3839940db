"""A group no broker log speaks of: its generations as its clients' logs tell them, as the coordinator's facts."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events import classic as c
from groupsim.events.base import Event, group_stream
from groupsim.events.types import NO_GENERATION, MemberId
from groupsim.incidents.facts.builder import FactBuilder, client_of, number, words
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.index import Index

_STARTS = frozenset(["rejoin_requested", "joining", "heartbeat_says_rebalancing"])
_ENDS = frozenset(["synced", "assigned"])


class InferredStory:
    """Rebalances as clients saw them: the first that must join starts one, the first that is told its part ends it."""

    def __init__(self, group: str, index: Index, draft: FactBuilder) -> None:
        self.group = group
        self._index = index
        self._draft = draft
        self._stream = group_stream(group)
        self._members: dict[MemberId, None] = {}
        self._generation = NO_GENERATION
        self._preparing = False
        self._completing = False

    def tell(self, placed: Sequence[TimedRow]) -> None:
        """Go through the group's rows."""
        if self.group in self._index.consumer_groups:
            self._draft.note(
                "it uses the consumer protocol (KIP-848) and no broker log is given: what its members did and held is"
                " told, its epochs and target assignments are not",
                self.group,
            )
            return
        for place, each in enumerate(placed):
            if each.row.group == self.group:
                self._take(place, each)
        self._draft.note(
            "no broker log is given; its generations are inferred from its clients' logs, and members whose logs are"
            " missing are known only where a leader's plan names them",
            self.group,
        )

    def _take(self, place: int, placed: TimedRow) -> None:
        row, detail = placed.row, placed.row.detail
        reason = words(detail.get("reason")) or ""
        if row.kind in _STARTS and not self._preparing and "pro-actively leaving" not in reason:
            self._start(place, placed, reason)
        elif row.kind == "joined":
            self._joined(place, placed, number(detail.get("generation")))
        elif row.kind in _ENDS and self._completing:
            self._stored(place, placed)
        elif row.kind == "leave_sent":
            member = row.member
            if member in self._members:
                del self._members[member]
                self._tell(place, placed, c.MemberRemoved(member=member, cause="left", reason=reason or None))

    def _start(self, place: int, placed: TimedRow, reason: str) -> None:
        if self._completing:
            return  # the others of the same generation are still joining it
        nearest = self._index.next_generation(self.group, placed.at)
        known = self._generation
        if known == NO_GENERATION and nearest is not None:
            known = nearest - 1
        elif nearest == known:
            return
        self._preparing = True
        self._tell(place, placed, c.RebalanceStarted(generation=known, cause="unknown", reason=reason or "not told"))

    def _joined(self, place: int, placed: TimedRow, generation: int | None) -> None:
        member = placed.row.member
        if generation is None or generation == self._generation:
            self._enter(place, placed, member)
            return
        if not self._preparing:
            self._tell(place, placed, c.RebalanceStarted(generation=generation - 1, cause="unknown", reason="not told"))
        plan = self._index.plan(self.group, generation, placed.at)
        members = None if plan is None else tuple(plan.plan)
        for each in members or (member,):
            self._enter(place, placed, each)
        if members is not None:
            self._members = dict.fromkeys(members)
        else:
            self._draft.note(
                "sizes of generations without a leader's plan count only clients whose logs are given",
                self.group,
            )
        self._generation, self._preparing, self._completing = generation, False, True
        protocol = self._index.protocol(self.group, generation)
        self._tell(
            place,
            placed,
            c.JoinPhaseCompleted(
                generation=generation, protocol=protocol, members=members, size=len(members or self._members)
            ),
        )

    def _stored(self, place: int, placed: TimedRow) -> None:
        plan = self._index.plan(self.group, self._generation, placed.at)
        self._completing = False
        self._tell(
            place,
            placed,
            c.AssignmentStored(
                generation=self._generation,
                protocol=self._index.protocol(self.group, self._generation),
                assignment=None if plan is None else plan.plan,
            ),
        )

    def _enter(self, place: int, placed: TimedRow, member: MemberId | None) -> None:
        if member is not None and member not in self._members:
            self._members[member] = None
            self._tell(place, placed, c.MemberAdded(member=member, client_id=client_of(member)))

    def _tell(self, place: int, placed: TimedRow, event: Event) -> None:
        self._draft.tell(place, placed, self._stream, event)
