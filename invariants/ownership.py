"""One owner per partition, as the coordinator assigns it: nobody is given what another member has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.classic import AssignmentStored
from groupsim.events.consumer import MemberReconciled
from groupsim.events.types import MemberId, TopicPartition
from groupsim.invariants import member_epochs
from groupsim.invariants.base import Violation
from groupsim.invariants.member_epochs import MemberEpochs


class SingleOwner:
    """The coordinator never assigns a partition to two members at once.

    What processes hold can differ: `analysis.availability` labels a partition that a zombie still serves DOUBLE.
    """

    name = "single-owner"
    note = ""
    reads: ClassVar[tuple[type[Event], ...]] = (AssignmentStored, *member_epochs.READS)

    def __init__(self) -> None:
        self._consumer: dict[str, MemberEpochs] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Look at every stored assignment, and at every step of a member of a consumer group."""
        event, group = fact.event, group_of(fact.stream)
        if group is not None and isinstance(event, member_epochs.READS):
            state = self._consumer.setdefault(group, MemberEpochs())
            state.apply(event)
            if isinstance(event, MemberReconciled):
                yield from self._held(fact, event, state)
        if not isinstance(event, AssignmentStored) or event.assignment is None:
            return
        owner: dict[TopicPartition, MemberId] = {}
        for member, given in sorted(event.assignment.items()):
            for tp in given:
                other = owner.setdefault(tp, member)
                if other != member:
                    where = f"in generation {event.generation} of {group_of(fact.stream)}"
                    yield Violation(self.name, fact.at_ms, fact.seq, f"{tp} granted to {other} and {member} {where}")

    def _held(self, fact: Recorded, event: MemberReconciled, state: MemberEpochs) -> Iterator[Violation]:
        shared = [(m, tp) for tp in state.held.get(event.member, {}) for m in state.holders[tp] if m != event.member]
        for other, tp in sorted(shared):
            where = f"at epoch {event.epoch} of {group_of(fact.stream)}"
            yield Violation(self.name, fact.at_ms, fact.seq, f"{tp} held by {other} and {event.member} {where}")

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()
