"""Which partitions an assignment moves to another member, and which it takes from their owner."""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.events import classic as c
from groupsim.events.types import MemberId, Partitions, TopicPartition


@dataclass(slots=True)
class PartitionMoves:
    """Compares each stored assignment of one group with the one before it.

    `last_owner`: the last owner of each partition, also where it is withheld now. `losers`: members that lost a
    partition in the last assignment which no other member got, so that a cooperative follow-up is due.
    `nothing_before`: the running rebalance is the group's first. `before`: the assignment until now; None where it is
    unknown.
    """

    last_owner: dict[TopicPartition, MemberId] = field(default_factory=dict)
    losers: set[MemberId] = field(default_factory=set)
    nothing_before: bool = False
    before: dict[MemberId, Partitions] | None = None

    def remember(self, state: ClassicGroupState) -> None:
        """Keep the assignment as it is before the next fact changes it."""
        self.before = dict(state.assignment) if state.assignment_known else None

    @property
    def assigned_before(self) -> int | None:
        """How many partitions were assigned before the last change; None where that is unknown."""
        return None if self.before is None else sum(map(len, self.before.values()))

    def replace(self, old: MemberId, new: MemberId) -> None:
        """A static member has another member id: nothing moves by that."""
        self.last_owner = {tp: new if member == old else member for tp, member in self.last_owner.items()}

    def is_follow_up(self, member: MemberId | None) -> bool:
        """A rebalance that `member` (None: unknown) asks for completes the last one."""
        return bool(self.losers) and (member is None or member in self.losers)

    def store(self, event: c.AssignmentStored, state: ClassicGroupState) -> tuple[int | None, int | None]:
        """How many partitions the new assignment moved and revoked; None where that is unknown. Call after `state`."""
        self.losers = set()
        if event.assignment is None:
            return None, None
        moved = revoked = None
        now = {tp: member for member, partitions in event.assignment.items() for tp in partitions}
        lost = [(tp, m) for m, tps in (self.before or {}).items() for tp in tps if now.get(tp) != m]
        if self.before is not None or self.nothing_before:
            moved = sum(self.last_owner.get(tp, member) != member for tp, member in now.items())
            revoked = len(lost)
        self.losers = {m for tp, m in lost if tp not in now and m in state.members}
        self.last_owner |= now
        return moved, revoked
