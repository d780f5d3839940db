"""One owner a partition, as the coordinator grants it: no stored assignment gives a partition twice."""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.events.base import Recorded, group_of
from groupsim.events.classic import AssignmentStored
from groupsim.events.types import MemberId, TopicPartition
from groupsim.invariants.base import Violation


class SingleOwner:
    """The coordinator never grants a partition to two members at once (spec: appendix D.5).

    What processes believe is another matter: a zombie lives in the gap, and `analysis.availability` calls it DOUBLE.
    """

    name = "single-owner"
    note = ""

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

    def finish(self) -> Iterator[Violation]:
        """Nothing is left to say."""
        yield from ()
