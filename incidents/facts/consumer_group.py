"""A broker's rows about one KIP-848 group as facts of its coordinator: an epoch is written as a generation."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.causes import removal_cause
from groupsim.incidents.facts.coordinator import CoordinatorFacts
from groupsim.incidents.facts.detail import int_in, text_in
from groupsim.incidents.facts.index import Index


class ConsumerGroupFacts(CoordinatorFacts):
    """The facts of one consumer group's coordinator.

    A change of members begins a rebalance, the new target ends it: no join phase, no sync phase. How long the members
    took to follow the target is in their own logs.
    """

    def __init__(self, group: str, index: Index, builder: FactBuilder) -> None:
        super().__init__(group, index, builder)
        self._epoch = 0
        self._changing = False
        self._from_start = False
        self._targets_printed = False

    def finish(self) -> None:
        """Note what stayed unknown."""
        targets = (
            "the targets of its members are printed with topic ids, not names"
            if self._targets_printed
            else "no log shows the target of each member"
        )
        self._builder.note(
            "it uses the consumer protocol (KIP-848): its epochs are shown as generations, each from the change of"
            f" members to the new target; {targets}; what members held comes from their own logs",
            self.group,
        )
        super().finish()

    def _change(self, cause: str, reason: str, member: MemberId | None = None) -> None:
        if not self._changing:
            self._changing = True
            self._add(
                c.RebalanceStarted(
                    generation=self._epoch, cause=cause, reason=reason, initial=self._epoch == 0, member=member
                )
            )

    def _on_member_joined(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if not self._exists:
            self._create()
        self._add_member(member, text_in(detail.get("instance")))
        self._change("member-joined", "a member joined", member)

    def _on_member_state(self, member: MemberId | None, _: dict[str, object]) -> None:
        self._add_member(member, logged=False)

    def _on_member_failed(self, member: MemberId | None, detail: dict[str, object]) -> None:
        super()._on_member_failed(member, detail)
        reason = text_in(detail.get("reason")) or "fenced"
        self._member_gone(removal_cause(reason), reason, member)

    def _on_member_left(self, member: MemberId | None, detail: dict[str, object]) -> None:
        super()._on_member_left(member, detail)
        if detail.get("what") != "temporarily left":
            self._member_gone("member-left", text_in(detail.get("reason")) or "a member left", member)

    def _member_gone(self, cause: str, reason: str, member: MemberId | None) -> None:
        self._change(cause, reason, member)
        if not self._members and self._from_start:
            self._changing = False
            self._add(GroupEmptied(generation=self._epoch))

    def _on_group_epoch_bumped(self, _: MemberId | None, detail: dict[str, object]) -> None:
        epoch = int_in(detail.get("epoch")) or 0
        self._from_start = self._from_start or epoch == 1
        if not self._changing:
            self._epoch = max(self._epoch, epoch - 1)
            self._change("unknown", "the group epoch was bumped")

    def _on_target_assignment(self, _: MemberId | None, detail: dict[str, object]) -> None:
        epoch = int_in(detail.get("epoch")) or 0
        self._change("unknown", "a new target assignment was computed")
        self._changing, self._epoch = False, epoch
        members: tuple[MemberId, ...] | None = tuple(sorted(self._members)) if self._from_start else None
        targets = detail.get("targets")
        if isinstance(targets, dict):
            self._targets_printed = True
            for member in targets:
                self._add_member(str(member), logged=False)
            members = tuple(sorted(map(str, targets)))
        assignor = text_in(detail.get("assignor"))
        size = len(self._members) if members is None else len(members)
        self._add(c.JoinPhaseCompleted(generation=epoch, protocol=assignor, members=members, size=size))
        self._add(c.AssignmentStored(generation=epoch, protocol=assignor))
