"""The coordinator's facts of a group without a broker log, inferred from the rows of its clients."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events import classic as c
from groupsim.events.base import Event, group_stream
from groupsim.events.types import NO_GENERATION, MemberId
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.causes import announces_leave, leave_cause
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import client_id_in, int_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind

_STARTS = frozenset([RowKind.REJOIN_REQUESTED, RowKind.JOINING, RowKind.HEARTBEAT_SAYS_REBALANCING])
_ENDS = frozenset([RowKind.SYNCED, RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED])


class ClientsOnlyFacts:
    """Rebalances as clients saw them: the first member that must join starts one, the first assignment ends it."""

    def __init__(self, group: str, index: Index, builder: FactBuilder) -> None:
        self.group = group
        self._index = index
        self._builder = builder
        self._stream = group_stream(group)
        self._members: dict[MemberId, None] = {}
        self._instances: dict[str, MemberId] = {}
        self._generation = NO_GENERATION
        self._preparing = False
        self._completing = False

    def write(self, rows: Sequence[TimedRow]) -> None:
        """Write the facts of the group's rows."""
        if self.group in self._index.consumer_groups:
            self._builder.note(
                f"it uses the {self._index.protocol_of(self.group)} and no broker log is given: what its members did"
                " and held is known, its epochs and target assignments are not",
                self.group,
            )
            return
        for position, each in enumerate(rows):
            if each.row.group == self.group:
                self._take(position, each)
        self._builder.note(
            "no broker log is given; its generations are inferred from the logs of its clients, and members without a"
            " log are known only if a leader's assignment names them",
            self.group,
        )

    def _take(self, position: int, timed: TimedRow) -> None:
        row, detail = timed.row, timed.row.detail
        reason = text_in(detail.get("reason")) or ""
        instance = text_in(detail.get("instance"))
        if row.kind == RowKind.SYNCED and instance is not None and row.member is not None:
            self._instances[instance] = row.member  # its log may begin here
        if row.kind in _STARTS and not self._preparing and not announces_leave(reason):
            self._start(position, timed, reason)
        elif row.kind == RowKind.JOINED:
            self._joined(position, timed, int_in(detail.get("generation")))
        elif row.kind in _ENDS and self._completing:
            self._stored(position, timed)
        elif row.kind == RowKind.LEAVE_SENT:
            member = row.member
            if member in self._members:
                del self._members[member]
                self._add(
                    position,
                    timed,
                    c.MemberRemoved(
                        member=member, cause="left", reason=reason or None, leave_cause=leave_cause(reason)
                    ),
                )

    def _start(self, position: int, timed: TimedRow, reason: str) -> None:
        if self._completing:
            return  # the others of the same generation are still joining it
        nearest = self._index.next_generation(self.group, timed.at)
        known = self._generation
        if known == NO_GENERATION and nearest is not None:
            known = nearest - 1
        elif nearest == known:
            return
        self._preparing = True
        self._add(position, timed, c.RebalanceStarted(generation=known, cause="unknown", reason=reason or "unknown"))

    def _joined(self, position: int, timed: TimedRow, generation: int | None) -> None:
        member = timed.row.member
        if generation is None or generation == self._generation:
            self._replace_or_add(position, timed, member)
            return
        if not self._preparing:
            self._add(position, timed, c.RebalanceStarted(generation=generation - 1, cause="unknown", reason="unknown"))
        plan = self._index.plan(self.group, generation, timed.at)
        joiners = self._index.joiners(self.group, generation, timed.at)
        members = joiners if plan is None else tuple(plan.plan)
        for each in members or (member,):
            self._add_member(position, timed, each)
        self._members = dict.fromkeys(members)
        if plan is None:
            self._builder.note(
                "generations without a leader's assignment count only the clients whose logs are given",
                self.group,
            )
        self._generation, self._preparing, self._completing = generation, False, True
        protocol = self._index.protocol(self.group, generation)
        self._add(
            position,
            timed,
            c.JoinPhaseCompleted(generation=generation, protocol=protocol, members=members, size=len(members)),
        )

    def _replace_or_add(self, position: int, timed: TimedRow, member: MemberId | None) -> None:
        """A static member that comes back to a generation takes the place of its former self."""
        instance = text_in(timed.row.detail.get("instance"))
        old = self._instances.get(instance) if instance is not None else None
        if member is not None and instance is not None and old in self._members and old != member:
            del self._members[old]
            self._members[member], self._instances[instance] = None, member
            self._add(position, timed, c.MemberReplaced(instance_id=instance, old=old, member=member))
        else:
            self._add_member(position, timed, member)

    def _stored(self, position: int, timed: TimedRow) -> None:
        plan = self._index.plan(self.group, self._generation, timed.at)
        self._completing = False
        self._add(
            position,
            timed,
            c.AssignmentStored(
                generation=self._generation,
                protocol=self._index.protocol(self.group, self._generation),
                assignment=None if plan is None else plan.plan,
                **self._index.of_workers(self.group, self._generation, timed.at),
            ),
        )

    def _add_member(self, position: int, timed: TimedRow, member: MemberId | None) -> None:
        instance = text_in(timed.row.detail.get("instance"))
        if instance is not None and member is not None and member == timed.row.member:
            self._instances[instance] = member
        if member is not None and member not in self._members:
            self._members[member] = None
            self._add(position, timed, c.MemberAdded(member=member, client_id=client_id_in(member)))

    def _add(self, position: int, timed: TimedRow, event: Event) -> None:
        self._builder.add(position, timed, self._stream, event)
