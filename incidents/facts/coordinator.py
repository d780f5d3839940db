"""A broker's rows about one group, told as the coordinator's facts (spec: 9.7)."""

from __future__ import annotations

import re

from groupsim.events import classic as c
from groupsim.events.base import Event, group_stream
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupEmptied
from groupsim.events.types import MemberId
from groupsim.incidents.facts.builder import FactBuilder, client_of, number, words
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.index import Index

_CAUSES = (
    (re.compile(r"[Aa]dding new member"), "member-joined"),
    (re.compile(r"on heartbeat expiration"), "session-expired"),
    (re.compile(r"LeaveGroup"), "member-left"),
    (re.compile(r"pending sync request expiration"), "sync-timeout"),
    (re.compile(r"static member", re.I), "static-replaced"),
    (re.compile(r"[Ll]eader .{1,600}? re-joining"), "leader-rejoined"),
    (re.compile(r"over capacity"), "over-capacity"),
    (re.compile(r"[Uu]pdating metadata|Member .{1,600}? joining group"), "member-rejoined"),
    (re.compile(r"[Rr]emoving member"), "member-left"),
)


def cause_of(reason: str) -> str:
    """One word for counting, from Kafka's sentence."""
    return next((cause for pattern, cause in _CAUSES if pattern.search(reason)), "unknown")


class BrokerStory:
    """One group as its coordinator's log tells it; members it never let in are added where they are first named."""

    def __init__(self, group: str, index: Index, draft: FactBuilder) -> None:
        self.group = group
        self._index = index
        self._draft = draft
        self._stream = group_stream(group)
        self._exists = False
        self._empty = False
        self._members: dict[MemberId, None] = {}
        self._dropped: list[MemberId] = []
        self._unlogged = 0
        self._untold = False
        self._at: tuple[int, TimedRow] | None = None

    def take(self, place: int, placed: TimedRow) -> None:
        """Tell what one row means."""
        self._at = place, placed
        row = placed.row
        handler = getattr(self, f"_on_{row.kind}", None)
        if handler is not None:
            handler(row.member, row.detail)

    def finish(self) -> None:
        """Say what stayed open."""
        if self.group in self._index.consumer_groups:
            self._draft.note(
                "it uses the consumer protocol (KIP-848): its epochs are told as generations, each from the change of"
                " members to the new target; what the target gives to whom no log tells, and what members held is told"
                " by their own logs",
                self.group,
            )
        if self._unlogged:
            self._draft.note(
                f"the log does not tell when {self._unlogged} of its members came in; each is added where the log first"
                " tells of it",
                self.group,
            )

    def _tell(self, event: Event) -> None:
        assert self._at is not None
        self._draft.tell(*self._at, self._stream, event)

    def _exist(self) -> None:
        if not self._exists:
            self._tell(GroupCreated())
            self._exists = True

    def _enter(self, member: MemberId | None, instance: str | None = None, *, logged: bool = True) -> None:
        if member is None or member in self._members:
            return
        self._unlogged += not logged
        self._members[member] = None
        self._tell(c.MemberAdded(member=member, instance_id=instance, client_id=client_of(member)))

    def _leave(self, member: MemberId | None, cause: str, reason: str | None, instance: str | None = None) -> None:
        if member is None:
            return
        self._enter(member, instance, logged=False)
        del self._members[member]
        self._tell(c.MemberRemoved(member=member, cause=cause, instance_id=instance, reason=reason))

    def _on_member_id_created(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if detail.get("group_state") == "Empty" and not self._members:
            self._exist()
        if member is not None and detail.get("added"):
            self._enter(member, words(detail.get("instance")))
        elif member is not None:
            self._tell(c.MemberIdIssued(member=member, client_id=client_of(member)))

    def _on_pending_member_joins(self, member: MemberId | None, detail: dict[str, object]) -> None:
        self._enter(member)

    def _on_rebalance_start(self, member: MemberId | None, detail: dict[str, object]) -> None:
        reason = words(detail.get("reason")) or ""
        generation = number(detail.get("old_generation")) or 0
        cause = cause_of(reason)
        if generation == 0 and not self._members:
            self._exist()
        named = self._named(reason, member)
        self._let_in_unlogged(generation + 1, named)
        if cause in ("member-joined", "member-rejoined", "leader-rejoined"):
            self._enter(named, logged=cause == "member-joined")
        self._tell(
            c.RebalanceStarted(generation=generation, cause=cause, reason=reason, initial=self._empty, member=named)
        )
        self._empty = False

    def _let_in_unlogged(self, generation: int, named: MemberId | None) -> None:
        """Members that no line lets in are there when the rebalance begins: nobody can say which of them came last."""
        assert self._at is not None
        where, placed = self._at
        certain, entering = self._index.upcoming(self.group, where)
        plan = self._index.plan(self.group, generation, placed.at)
        for member in (*certain, *(plan.plan if plan is not None else ())):
            if member not in entering and member != named:
                self._enter(member, logged=False)

    def _named(self, reason: str, member: MemberId | None) -> MemberId | None:
        """The member the reason names: the reader finds it, but ids may hold blanks, so known ones go first."""
        known = [m for m in self._members if m in reason]
        return max(known, key=len) if known else member

    def _on_stabilized(self, _: MemberId | None, detail: dict[str, object]) -> None:
        generation = number(detail.get("generation")) or 0
        assert self._at is not None
        known = self._index.plan(self.group, generation, self._at[1].at)
        size = number(detail.get("members"))
        members = None
        if known is not None and (size is None or size == len(known.plan)):
            members = tuple(known.plan)
            for member in members:
                self._enter(member, logged=False)
            self._members = dict.fromkeys(members)
        elif size is not None and size == len(self._members):
            members = tuple(sorted(self._members))
        if size is None and members is None:
            size = len(self._members)
            self._draft.note(
                "this broker does not print how many members a generation has; the sizes are those of the members it"
                " named, which is a lower bound",
                self.group,
            )
        self._tell(
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
        generation = number(detail.get("generation")) or 0
        assert self._at is not None
        known = self._index.plan(self.group, generation, self._at[1].at)
        self._tell(
            c.AssignmentStored(
                generation=generation,
                leader=words(detail.get("leader")),
                protocol=self._index.protocol(self.group, generation),
                assignment=None if known is None else known.plan,
            )
        )
        if known is None and not self._untold:
            self._untold = True
            self._draft.note(
                "no log here holds what the leader assigned in some generations; a broker does not print partitions, so"
                " who owned them is unknown",
                self.group,
            )

    def _on_member_failed(self, member: MemberId | None, detail: dict[str, object]) -> None:
        reason = words(detail.get("reason"))
        self._leave(member, "session-expired" if reason is None or "session" in reason else "sync-timeout", reason)

    def _on_member_left(self, member: MemberId | None, detail: dict[str, object]) -> None:
        if detail.get("what") != "temporarily left":
            self._leave(member, "left", words(detail.get("reason")), words(detail.get("instance")))

    def _on_broker_pending_expired(self, member: MemberId | None, _: dict[str, object]) -> None:
        if member is not None:
            self._tell(c.PendingMemberRemoved(member=member, cause="expired"))

    def _on_broker_join_timeout(self, _: MemberId | None, detail: dict[str, object]) -> None:
        for member in self._listed(detail):
            self._leave(member, "join-timeout", None)
            self._dropped.append(member)

    def _on_broker_sync_timeout(self, _: MemberId | None, detail: dict[str, object]) -> None:
        for member in self._listed(detail):
            self._leave(member, "sync-timeout", None)

    @staticmethod
    def _listed(detail: dict[str, object]) -> list[str]:
        named = detail.get("members_named")
        return [str(member) for member in named] if isinstance(named, list) else []

    def _on_static_member_replaced(self, member: MemberId | None, detail: dict[str, object]) -> None:
        old, instance = words(detail.get("old_member")), words(detail.get("instance"))
        if old is None or instance is None:
            return
        assert self._at is not None
        self._enter(old, instance, logged=False)
        new = member or self._index.member_of(self.group, instance, self._at[1].at)
        del self._members[old]
        if new is not None:
            self._members[new] = None
        else:
            self._draft.note(f"no log here tells the new member id of static member {instance}", self.group)
        self._tell(c.MemberReplaced(instance_id=instance, old=old, member=new))

    def _on_group_empty(self, _: MemberId | None, detail: dict[str, object]) -> None:
        self._tell(GroupEmptied(generation=number(detail.get("generation")) or 0))
        self._members, self._empty = {}, True

    def _on_group_dead(self, _: MemberId | None, detail: dict[str, object]) -> None:
        self._exists, self._members, self._empty = False, {}, True

    def _on_group_loaded(self, _: MemberId | None, detail: dict[str, object]) -> None:
        self._exists = True
        self._tell(CoordinatorLoaded())

    def _on_broker_unloaded(self, _: MemberId | None, detail: dict[str, object]) -> None:
        self._tell(CoordinatorUnloaded())
