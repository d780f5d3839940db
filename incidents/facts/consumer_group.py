"""A broker's rows about one KIP-848 group as facts of its coordinator, with what its members' logs say of targets.

Why its epoch grew, the broker's lines before it say. Of a streams group (KIP-1071) the facts are the same: its members
have epochs and targets, too, of the partitions that their tasks read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from groupsim.events import consumer as k
from groupsim.events.consumer import BumpCause
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId, Partitions
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.causes import loss_cause
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.coordinator import CoordinatorFacts
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.member_steps import MemberSteps, Step, reconciled
from groupsim.incidents.facts.typed_fields import client_id_in, int_in, partitions_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import is_broker
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


_DOWNGRADE = "Downgrade group"
_NATIVE = frozenset(
    [RowKind.MEMBER_JOINED, RowKind.GROUP_EPOCH_BUMPED, RowKind.TARGET_ASSIGNMENT, RowKind.MEMBER_STATE]
)
"""Rows that only a group of the consumer protocol has."""


class ConsumerGroupFacts(CoordinatorFacts):
    """The facts of one group's coordinator while the group uses the consumer protocol; classic ones before and after.

    Brokers print epochs, members that come and go, and that a target was computed. What the target gives a member that
    has a log, and when it has followed, is in the member's log; of a member without one it stays unknown.
    """

    def __init__(self, group: str, index: Index, builder: FactBuilder, rows: Sequence[TimedRow]) -> None:
        super().__init__(group, index, builder)
        self._ends = [p for p, timed in enumerate(rows) if timed.row.group == group and _ends_target(timed)]
        self._steps = MemberSteps(builder.facts(), group)
        self._native = False
        self._epoch = 0
        self._generation = 0
        self._reached: dict[MemberId, int] = {}
        self._away: set[MemberId] = set()
        self._causes = BumpCauses()
        self._targets_printed = False
        self._recorded = index.from_topic(group)

    def take(self, position: int, timed: TimedRow) -> None:
        """Write the facts of one row."""
        self._row = position, timed
        if timed.row.kind in _NATIVE and not self._native:
            self._begin()
        super().take(position, timed)

    def finish(self) -> None:
        """Note what stayed unknown."""
        targets = (
            "the targets of its members are printed with topic ids, not names"
            if self._targets_printed
            else "no broker's log shows the target of each member"
        )
        if not self._recorded:
            self._builder.note(
                f"it uses the {self._index.protocol_of(self.group)}: epochs and members are the broker's; "
                f"{targets}; what members were given and held comes from their own logs, and an epoch that brought a"
                " member nothing new counts as reached at once",
                self.group,
            )
        super().finish()

    def _begin(self) -> None:
        """The group uses the consumer protocol from here on; members of a classic group stay."""
        if self._members:
            self._upgrade()
            return
        self._native = self._exists = True
        self._add(k.ConsumerGroupCreated(replaces_classic=False))

    def _upgrade(self) -> None:
        self._native = True
        held = self._held()
        self._add(k.GroupUpgraded(generation=self._generation, metadata_hash=0, assignment=held))
        for member in self._members:
            self._write_member(member, None, classic=True)
        self._epoch = self._generation

    def _on_group_converted(self, _: MemberId | None, detail: dict[str, object]) -> None:
        if detail.get("to") == "consumer" and not self._native:
            self._begin()
        elif detail.get("to") == "classic" and self._native and self._members:
            self._downgrade(int_in(detail.get("generation")) or self._epoch)

    def _held(self) -> dict[MemberId, Partitions]:
        """What each member has when the group is converted: by the topic, else by its own log."""
        assert self._row is not None
        position, timed = self._row
        named = timed.row.detail.get("held")
        known = named if isinstance(named, dict) else {}
        return {
            member: partitions_in(known[member]) if member in known else self._steps.held(member, position)
            for member in sorted(self._members)
        }

    def _on_member_gone(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if not self._native:
            super()._on_member_gone(member, detail)
        elif member is not None:
            self._gone(member, k.LossCause.UNKNOWN)

    def _on_member_reconciled(self, member: MemberId | None, detail: dict[str, object]) -> None:
        """`__consumer_offsets` has each step of a member."""
        if member is None:
            return
        self._add_member(member, logged=False)
        epoch, before = int_in(detail.get("epoch")) or 0, int_in(detail.get("previous")) or 0
        assigned, pending = partitions_in(detail.get("assigned")), partitions_in(detail.get("pending"))
        state = k.MemberState(str(detail.get("state")))
        self._add(reconciled(member, epoch, before, state, assigned, pending))

    def _on_stabilized(self, member: MemberId | None, detail: dict[str, object]) -> None:
        super()._on_stabilized(member, detail)
        self._generation = int_in(detail.get("generation")) or 0

    def _on_rebalance_start(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if self._native:
            self._downgrade(int_in(detail.get("old_generation")) or self._epoch)
        super()._on_rebalance_start(member, detail)

    def _downgrade(self, generation: int) -> None:
        """The last native member is gone: a classic group of those who stay, with what they hold."""
        self._native, self._generation = False, generation
        self._causes.take_change()
        held = self._held()
        leader = next(iter(held), "")
        self._add(k.GroupDowngraded(generation=generation, protocol=None, leader=leader, assignment=held))
        self._reached.clear()

    def _add_member(self, member: MemberId | None, instance: str | None = None, *, logged: bool = True) -> None:
        if not self._native:
            super()._add_member(member, instance, logged=logged)
        elif member is not None and member not in self._members:
            self._unlogged += not logged
            self._members[member] = None
            self._write_member(member, instance)

    def _write_member(self, member: MemberId, instance: str | None, *, classic: bool = False) -> None:
        topics = self._steps.topics.get(member) or tuple(sorted(self._index.topics[self.group]))
        session_ms, rebalance_ms = self._index.timeouts(self.group, member)
        metadata = k.ClassicMetadata(session_timeout_ms=session_ms or -1) if classic else None
        self._add(
            k.ConsumerMemberUpdated(
                member=member,
                instance_id=instance,
                client_id=client_id_in(member) or "",
                topics=topics,
                rebalance_timeout_ms=rebalance_ms or -1,
                classic=metadata,
            )
        )

    def _on_member_joined(self, member: MemberId | None, detail: dict[str, object]) -> None:
        self._away.discard(member or "")
        if member is not None and member not in self._members:
            self._members[member] = None
            self._write_member(member, text_in(detail.get("instance")), classic=detail.get("protocol") == "classic")
            self._changed(k.BumpCause.SUBSCRIPTION_CHANGED, member)

    def _on_member_state(self, member: MemberId | None, _: dict[str, object]) -> None:
        self._add_member(member, logged=False)

    def _on_subscription_changed(self, member: MemberId | None, _: dict[str, object]) -> None:
        self._changed(k.BumpCause.SUBSCRIPTION_CHANGED, member)

    def _on_member_failed(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if not self._native:
            super()._on_member_failed(member, detail)
        elif member is not None:
            self._gone(member, loss_cause(text_in(detail.get("reason"))))

    def _on_member_left(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if not self._native:
            super()._on_member_left(member, detail)
        elif member is not None and detail.get("what") == "temporarily left":
            self._add_member(member, text_in(detail.get("instance")), logged=False)
            self._away.add(member)
            self._add(k.StaticMemberAway(member=member))
        elif member is not None:
            self._gone(member, k.LossCause.LEFT)

    def _gone(self, member: MemberId, cause: k.LossCause) -> None:
        self._add_member(member, logged=False)
        del self._members[member]
        self._away.discard(member)
        self._reached.pop(member, None)
        self._add(k.ConsumerMemberRemoved(member=member, cause=cause))
        self._changed(k.BumpCause.MEMBER_REMOVED, member)
        if not self._members:
            self._add(GroupEmptied(generation=self._epoch))

    def _on_static_member_replaced(self, member: MemberId | None, detail: dict[str, object]) -> None:
        old, instance = text_in(detail.get("old_member")), text_in(detail.get("instance"))
        if not self._native or old is None or instance is None or member is None:
            super()._on_static_member_replaced(member, detail)
            return
        self._add_member(old, instance, logged=False)
        del self._members[old]
        self._away.discard(old)
        self._members[member] = None
        self._add(k.StaticMemberReplaced(instance_id=instance, old=old, member=member))
        self._follow(member, self._epoch, self._row[0] if self._row else 0)

    def _changed(self, cause: k.BumpCause, member: MemberId | None) -> None:
        assert self._row is not None
        self._causes.changed(Change(*self._row, cause, member))

    def _on_expressions_resolved(self, _: MemberId | None, __: dict[str, object]) -> None:
        assert self._row is not None
        self._causes.looked(self._row[1].at)

    def _on_group_epoch_bumped(self, _: MemberId | None, detail: dict[str, object]) -> None:
        assert self._row is not None
        epoch, found = int_in(detail.get("epoch")) or 0, int_in(detail.get("metadata_hash")) or 0
        cause, member = self._causes.bumped(self._row[1].at, found)
        self._epoch = epoch
        self._add(k.GroupEpochBumped(epoch=epoch, metadata_hash=found, cause=cause, member=member))

    def _on_target_assignment(self, _: MemberId | None, detail: dict[str, object]) -> None:
        assert self._row is not None
        epoch = int_in(detail.get("epoch")) or 0
        if epoch > self._epoch:  # brokers before 4.1 do not print that it grew when a member goes
            unknown = Change(*self._row, k.BumpCause.UNKNOWN, None)
            position, timed, cause, member = self._causes.take_change() or unknown
            bump = k.GroupEpochBumped(epoch=epoch, metadata_hash=0, cause=cause, member=member)
            self._builder.add(position, timed, self._stream, bump)
            self._epoch = epoch
        targets = detail.get("targets")
        position = self._row[0]
        if isinstance(targets, dict):
            self._targets_printed = True
            for named in targets:
                self._add_member(str(named), logged=False)
        if isinstance(targets, dict) and self._recorded:
            given: dict[MemberId, Partitions | None] = {str(m): partitions_in(targets[m]) for m in sorted(targets)}
        else:
            given = {m: self._given(m, position) for m in sorted(self._members)}
        changed = {m: partitions for m, partitions in given.items() if partitions is not None}
        assignor = text_in(detail.get("assignor")) or ""
        self._add(k.TargetComputed(epoch=epoch, assignor=assignor, changed=changed, at_ms=0))
        for member in sorted(self._members):
            self._follow(member, epoch, position)

    def _until(self, position: int) -> int | None:
        """The position of the next target, or of the group's conversion; None: there is none."""
        return next((end for end in self._ends if end > position), None)

    def _given(self, member: MemberId, position: int) -> Partitions | None:
        """Its target, by its own log; None: it was given nothing."""
        steps = self._steps.between(member, position, self._until(position))
        return steps[-1].partitions if steps else None

    def _follow(self, member: MemberId, epoch: int, position: int) -> None:
        """How it followed the target of `epoch`, by its own log: nothing new to it counts as reached at once.

        Not one that left for a time: it hears of no target.
        """
        if self._recorded or not self._steps.logged(member):
            return
        steps = self._steps.between(member, position, self._until(position))
        if member in self._away and not steps:
            return
        before = self._reached.get(member, 0)
        self._reached[member] = epoch
        if not steps:
            self._add(reconciled(member, epoch, before, k.MemberState.STABLE, self._steps.held(member, position)))
        for number, step in enumerate(steps):
            self._step(member, epoch, before, step, last=not any(later.given for later in steps[number + 1 :]))

    def _step(self, member: MemberId, epoch: int, before: int, step: Step, *, last: bool) -> None:
        if step.given and step.revokes:
            kept = tuple(tp for tp in step.partitions if tp in self._steps.held(member, step.fact.position))
            fact = reconciled(member, before, before, k.MemberState.UNREVOKED_PARTITIONS, kept, step.revokes)
        else:
            state = k.MemberState.STABLE if last else k.MemberState.UNRELEASED_PARTITIONS
            fact = reconciled(member, epoch, before, state, step.partitions)
        self._builder.infer(step.fact, self._stream, fact)


def _ends_target(timed: TimedRow) -> bool:
    """Whether a broker's row is a new target, or the group's conversion to a classic one."""
    row = timed.row
    down = row.kind == RowKind.REBALANCE_START and str(row.detail.get("reason")).startswith(_DOWNGRADE)
    down = down or (row.kind == RowKind.GROUP_CONVERTED and row.detail.get("to") == "classic")
    return is_broker(row) and (row.kind == RowKind.TARGET_ASSIGNMENT or down)
