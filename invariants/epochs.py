"""Generations only grow, except where a new coordinator takes over."""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.events.base import Recorded, group_of
from groupsim.events.classic import AssignmentStored, JoinPhaseCompleted
from groupsim.events.group import CoordinatorLoaded, GroupEmptied
from groupsim.invariants.base import Violation


class GenerationsAdvance:
    """A group's generation never goes back; a join phase makes it grow (spec: appendix D.1, T32)."""

    name = "generations-advance"
    note = ""

    def __init__(self) -> None:
        self._now: dict[str, int] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Compare with the group's highest generation so far. The first one seen is taken as it is."""
        event, group = fact.event, group_of(fact.stream)
        if group is None:
            return
        if isinstance(event, CoordinatorLoaded):
            self._now.pop(group, None)  # what was never written is forgotten: a lower one is right here
        elif isinstance(event, JoinPhaseCompleted | GroupEmptied | AssignmentStored):
            before = self._now.get(group)
            new = event.generation
            self._now[group] = new if before is None else max(before, new)
            if before is None:
                return
            if new < before:
                said = f"generation of {group} went back from {before} to {new} ({type(event).__name__})"
                yield Violation(self.name, fact.at_ms, fact.seq, said)
            elif new == before and isinstance(event, JoinPhaseCompleted):
                said = f"a join phase of {group} ended without a new generation: still {new}"
                yield Violation(self.name, fact.at_ms, fact.seq, said)

    def finish(self) -> Iterator[Violation]:
        """Nothing is left to say."""
        yield from ()
