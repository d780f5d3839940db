"""A broker's rows about one classic group as facts of its coordinator."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events.base import Event, group_stream
from groupsim.events.classic import RemovalCause
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupEmptied
from groupsim.events.types import MemberId
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.causes import client_cause, leave_cause, rebalance_cause, removal_cause
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import client_id_in, int_in, text_in
from groupsim.wording.numbers import counted


class CoordinatorFacts:
    """The facts of one group's coordinator. A member whose joining has no line is added where it is first named."""

    def __init__(self, group: str, index: Index, builder: FactBuilder) -> None:
        self.group = group
        self._index = index
        self._builder = builder
        self._stream = group_stream(group)
        self._exists = False
        self._empty = False
        self._members: dict[MemberId, None] = {}
        self._dropped: list[MemberId] = []
        self._unlogged = 0
        self._assignment_unknown = False
        self._row: tuple[int, TimedRow] | None = None

    def take(self, position: int, timed: TimedRow) -> None:
        """Write the facts of one row."""
        self._row = position, timed
        row = timed.row
        handler = getattr(self, f"_on_{row.kind}", None)
        if handler is not None:
            handler(row.member, row.detail)

    def finish(self) -> None:
        """Note what stayed unknown."""
        if self._unlogged and not self._index.from_topic(self.group):
            self._builder.note(
                f"the log does not show when {counted(self._unlogged, 'member')} joined; each is added where the log"
                " first names it",
                self.group,
            )

    def _add(self, event: Event) -> None:
        assert self._row is not None
        self._builder.add(*self._row, self._stream, event)

    def _create(self) -> None:
        if not self._exists:
            self._add(GroupCreated())
            self._exists = True

    def _is_empty(self, generation: int) -> None:
        """A row shows that it has no members, and none that it had any: it is new, or has been empty since before."""
        if generation == 0:
            self._create()
        elif not self._empty:
            self._add(GroupEmptied(generation=generation))
            self._exists = self._empty = True

    def _add_member(self, member: MemberId | None, instance: str | None = None, *, logged: bool = True) -> None:
        if member is None or member in self._members:
            return
        self._unlogged += not logged
        self._members[member] = None
        session_ms, rebalance_ms = self._index.timeouts(self.group, member)
        self._add(
            c.MemberAdded(
                member=member,
                instance_id=instance,
                client_id=client_id_in(member),
                session_timeout_ms=session_ms,
                rebalance_timeout_ms=rebalance_ms,
            )
        )

    def _remove_member(
        self, member: MemberId | None, cause: str, reason: str | None, instance: str | None = None
    ) -> None:
        if member is None:
            return
        self._add_member(member, instance, logged=False)
        del self._members[member]
        self._add(
            c.MemberRemoved(
                member=member, cause=cause, instance_id=instance, reason=reason, leave_cause=leave_cause(reason)
            )
        )

    def _on_group_created(self, _: MemberId | None, detail: dict[str, object]) -> None:
        self._create()

    def _on_member_gone(self, member: MemberId | None, detail: dict[str, object]) -> None:
        """`__consumer_offsets` does not say whether it left or was removed."""
        self._remove_member(member, RemovalCause.UNKNOWN, None)

    def _on_member_id_created(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if detail.get("group_state") == "Empty" and not self._members:
            assert self._row is not None
            self._is_empty(self._index.generation_from(self.group, self._row[0]))
        if member is not None and detail.get("added"):
            self._add_member(member, text_in(detail.get("instance")))
        elif member is not None:
            self._add(c.MemberIdIssued(member=member, client_id=client_id_in(member)))

    def _on_pending_member_joins(self, member: MemberId | None, detail: dict[str, object]) -> None:
        self._add_member(member)

    def _on_rebalance_start(self, member: MemberId | None, detail: dict[str, object]) -> None:
        reason = text_in(detail.get("reason")) or ""
        generation = int_in(detail.get("old_generation")) or 0
        cause = text_in(detail.get("cause")) or rebalance_cause(reason)
        if generation == 0 and not self._members:
            self._create()
        named = self._named(reason, member)
        self._add_unlogged(generation + 1, named)
        if cause in ("member-joined", "member-rejoined", "leader-rejoined"):
            self._add_member(named, logged=cause == "member-joined")
        self._add(
            c.RebalanceStarted(
                generation=generation,
                cause=cause,
                reason=reason,
                initial=self._empty,
                member=named,
                client_cause=client_cause(reason),
            )
        )
        self._empty = False

    def _add_unlogged(self, generation: int, named: MemberId | None) -> None:
        """Add the members that have no line for their joining: the rebalance begins with them."""
        assert self._row is not None
        position, timed = self._row
        certain, entering = self._index.upcoming(self.group, position)
        plan = self._index.plan(self.group, generation, timed.at)
        for member in (*certain, *(plan.plan if plan is not None else ())):
            if member not in entering and member != named:
                self._add_member(member, logged=False)

    def _named(self, reason: str, member: MemberId | None) -> MemberId | None:
        """The member in the reason: a known id that is part of it (ids may have blanks), else what the reader found."""
        known = [m for m in self._members if m in reason]
        return max(known, key=len) if known else member

    def _on_stabilized(self, member: MemberId | None, detail: dict[str, object]) -> None:
        generation = int_in(detail.get("generation")) or 0
        assert self._row is not None
        known = self._index.plan(self.group, generation, self._row[1].at)
        size = int_in(detail.get("members"))
        members = None
        if known is not None and (size is None or size == len(known.plan)):
            members = tuple(known.plan)
            for member in members:
                self._add_member(member, logged=False)
            self._members = dict.fromkeys(members)
        elif size is not None and size == len(self._members):
            members = tuple(sorted(self._members))
        if size is None and members is None:
            size = len(self._members)
            self._builder.note(
                "this broker does not print how many members a generation has; the sizes count the members it named,"
                " a lower bound",
                self.group,
            )
        self._add(
            c.JoinPhaseCompleted(
                generation=generation,
                protocol=self._index.protocol(self.group, generation),
                members=members,
                size=len(members or ()) if size is None else size,
                dropped=tuple(sorted(self._dropped)),
            )
        )
        self._dropped = []

    def _on_assignment_received(self, _: MemberId | None, detail: dict[str, object]) -> None:
        generation = int_in(detail.get("generation")) or 0
        assert self._row is not None
        known = self._index.plan(self.group, generation, self._row[1].at)
        self._add(
            c.AssignmentStored(
                generation=generation,
                leader=text_in(detail.get("leader")),
                protocol=self._index.protocol(self.group, generation),
                assignment=None if known is None else known.plan,
                **self._index.of_workers(self.group, generation, self._row[1].at),
            )
        )
        if known is None and not self._assignment_unknown:
            self._assignment_unknown = True
            self._builder.note(
                "no log shows what the leader assigned in some generations; a broker does not print partitions, so"
                " their owners are unknown",
                self.group,
            )

    def _on_member_failed(self, member: MemberId | None, detail: dict[str, object]) -> None:
        reason = text_in(detail.get("reason"))
        self._remove_member(member, removal_cause(reason), reason)

    def _on_member_left(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if detail.get("what") != "temporarily left":
            self._remove_member(member, "left", text_in(detail.get("reason")), text_in(detail.get("instance")))

    def _on_broker_pending_expired(self, member: MemberId | None, _: dict[str, object]) -> None:
        if member is not None:
            self._add(c.PendingMemberRemoved(member=member, cause="expired"))

    def _on_broker_join_timeout(self, _: MemberId | None, detail: dict[str, object]) -> None:
        for member in self._listed(detail):
            self._remove_member(member, "join-timeout", None)
            self._dropped.append(member)

    def _on_broker_sync_timeout(self, _: MemberId | None, detail: dict[str, object]) -> None:
        for member in self._listed(detail):
            self._remove_member(member, "sync-timeout", None)

    @staticmethod
    def _listed(detail: dict[str, object]) -> list[str]:
        named = detail.get("members_named")
        return [str(member) for member in named] if isinstance(named, list) else []

    def _on_static_member_replaced(self, member: MemberId | None, detail: dict[str, object]) -> None:
        old, instance = text_in(detail.get("old_member")), text_in(detail.get("instance"))
        if old is None or instance is None:
            return
        assert self._row is not None
        self._add_member(old, instance, logged=False)
        new = member or self._index.member_of(self.group, instance, old, self._row[1].at)
        del self._members[old]
        if new is not None:
            self._members[new] = None
        else:
            self._builder.note(f"no log shows the new member id of static member {instance}", self.group)
        self._add(c.MemberReplaced(instance_id=instance, old=old, member=new))

    def _on_group_empty(self, _: MemberId | None, detail: dict[str, object]) -> None:
        self._add(GroupEmptied(generation=int_in(detail.get("generation")) or 0))
        self._members, self._empty = {}, True

    def _on_group_dead(self, _: MemberId | None, detail: dict[str, object]) -> None:
        generation = int_in(detail.get("generation"))
        if generation and not self._members:
            self._is_empty(generation)
        self._exists, self._members, self._empty = False, {}, True

    def _on_group_loaded(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if member is not None:
            return  # what the coordinator reads of an older generation, before it says that it has loaded the group
        self._exists = True
        self._add(CoordinatorLoaded())

    def _on_broker_unloaded(self, _: MemberId | None, detail: dict[str, object]) -> None:
        self._add(CoordinatorUnloaded())
