"""One owner per partition, as the coordinator assigns it: no stored assignment has a partition twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.classic import AssignmentStored
from groupsim.events.types import MemberId, TopicPartition
from groupsim.invariants.base import Violation


class SingleOwner:
    """The coordinator never assigns a partition to two members at once.

    What processes hold can differ: `analysis.availability` labels a partition that a zombie still serves DOUBLE.
    """

    name = "single-owner"
    note = ""
    reads: ClassVar[tuple[type[Event], ...]] = (AssignmentStored,)

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Look at every stored assignment."""
        event = fact.event
        if not isinstance(event, AssignmentStored) or event.assignment is None:
            return
        owner: dict[TopicPartition, MemberId] = {}
        for member, given in sorted(event.assignment.items()):
            for tp in given:
                other = owner.setdefault(tp, member)
                if other != member:
                    where = f"in generation {event.generation} of {group_of(fact.stream)}"
                    yield Violation(self.name, fact.at_ms, fact.seq, f"{tp} granted to {other} and {member} {where}")

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()
