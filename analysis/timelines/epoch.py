"""One epoch of a consumer group on its way: which members were informed, have given up, have reached it (KIP-848)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from groupsim.analysis.timelines.rebalance import Phase, PhaseEnd, PhaseName, Rebalance
from groupsim.events.types import MemberId, ProcessId


@dataclass(slots=True)
class Epoch:
    """Members by id, instants in ms of the run.

    `waiting`: members that have not come to this epoch or a later one; who joins later is not waited for. `gave_up_ms`:
    when one that had to revoke sent word of it, `acknowledged_ms` when that arrived. `removed`: members that never
    reached it.
    """

    epoch: int
    row: Rebalance
    waiting: set[MemberId]
    computed_ms: int | None = None
    informed_ms: dict[MemberId, int] = field(default_factory=dict)
    gave_up_ms: dict[MemberId, int] = field(default_factory=dict)
    acknowledged_ms: dict[MemberId, int] = field(default_factory=dict)
    reached_ms: dict[MemberId, int] = field(default_factory=dict)
    removed: set[MemberId] = field(default_factory=set)

    @property
    def done(self) -> bool:
        """It has a target, or a later one has, and all have reached it."""
        return self.computed_ms is not None and not self.waiting

    def informed(self, member: MemberId, at_ms: int) -> None:
        """The member's heartbeat was answered with the target."""
        if member in self.waiting:
            self.informed_ms.setdefault(member, at_ms)

    def revokes(self, member: MemberId) -> None:
        """The member has to give something up first."""
        if member in self.waiting:
            self.gave_up_ms.setdefault(member, -1)

    def acknowledged(self, member: MemberId, sent_ms: int | None, at_ms: int) -> None:
        """The coordinator knows that the member has given up what it had to; `sent_ms`: when it said so."""
        if member in self.waiting and member in self.gave_up_ms and member not in self.acknowledged_ms:
            known = sent_ms is not None and self.informed_ms.get(member, at_ms) <= sent_ms <= at_ms
            self.gave_up_ms[member] = sent_ms if known and sent_ms is not None else at_ms
            self.acknowledged_ms[member] = at_ms

    def reached(self, member: MemberId, at_ms: int) -> None:
        """The member has all that it is to have."""
        if member in self.waiting:
            self.waiting.discard(member)
            self.informed_ms.setdefault(member, at_ms)
            self.reached_ms[member] = at_ms

    def lost(self, member: MemberId, at_ms: int) -> None:
        """The member is gone, and nobody waits for it any more."""
        if member in self.waiting:
            if member in self.gave_up_ms:
                self.acknowledged(member, None, at_ms)
            self.reached(member, at_ms)
            self.removed.add(member)

    def renamed(self, old: MemberId, new: MemberId) -> None:
        """A static member has another id."""
        for known in (self.informed_ms, self.gave_up_ms, self.acknowledged_ms):
            known.pop(old, None)  # the new process begins anew
        if old in self.waiting:
            self.waiting.discard(old)
            self.waiting.add(new)

    def finish(self, at_ms: int | None) -> None:
        """The rebalance's phases; `at_ms` is None where it has not ended."""
        row = self.row
        row.phases = list(self._phases(row.started_ms, at_ms))
        row.joined = len(self.reached_ms) - len(self.removed)
        row.stored = at_ms is not None and not self.waiting and bool(row.joined)
        row.arrived_ms = dict(self.reached_ms)
        row.slowest_member = None if self.waiting and at_ms is None else _last(self.reached_ms)

    def name(self, names: Mapping[MemberId, ProcessId]) -> None:
        """Name the members in the row by their processes."""
        row = self.row
        row.expected = tuple(sorted({names.get(x, x) for x in row.expected}))
        row.initiator, row.slowest_member = (names.get(x, x) if x else x for x in (row.initiator, row.slowest_member))
        row.assignment = {tp: names.get(x, x) for tp, x in row.assignment.items()}
        row.arrived_ms = {names.get(x, x): at for x, at in row.arrived_ms.items()}
        for phase in row.phases:
            phase.waited_for = names.get(phase.waited_for or "", phase.waited_for)

    def _phases(self, from_ms: int, at_ms: int | None) -> Iterator[Phase]:
        """Neighbours touch; what took no time is left out. The last one that began is open where it has not ended."""
        ends = [
            (PhaseName.ASSIGNING, self.computed_ms, None),
            (PhaseName.TOLD, *self._all(self.informed_ms, self.waiting - self.informed_ms.keys())),
            (PhaseName.REVOKING, *self._all(self._sent(), self.gave_up_ms.keys() - self._sent().keys())),
            (PhaseName.ACKNOWLEDGING, *self._all(self.acknowledged_ms, self.gave_up_ms.keys() - self._sent().keys())),
            (PhaseName.GRANTING, at_ms, _last(self.reached_ms)),
        ]
        begun = from_ms
        for name, to_ms, member in ends:
            last = name is PhaseName.GRANTING
            to_ms = at_ms if to_ms is None else to_ms if at_ms is None else min(to_ms, at_ms)
            if to_ms is None or to_ms > begun or (last and begun == from_ms):
                yield Phase(name, begun, to_ms, self._ended_by(to_ms, member), member)
            if to_ms is None:
                return
            begun = max(begun, to_ms)

    def _ended_by(self, to_ms: int | None, member: MemberId | None) -> PhaseEnd | None:
        if to_ms is None:
            return None
        return PhaseEnd.REMOVAL if member in self.removed and self.reached_ms.get(member) == to_ms else PhaseEnd.REACHED

    def _sent(self) -> dict[MemberId, int]:
        return {member: at for member, at in self.gave_up_ms.items() if at >= 0}

    @staticmethod
    def _all(done_ms: dict[MemberId, int], missing: set[MemberId]) -> tuple[int | None, MemberId | None]:
        """When the last of all was done, and who that was; None while one is missing, and 0 if it was nobody."""
        if missing:
            return None, min(missing)
        return max(done_ms.values(), default=0), _last(done_ms)


def _last(done_ms: dict[MemberId, int]) -> MemberId | None:
    return max(sorted(done_ms), key=lambda member: done_ms[member], default=None)
