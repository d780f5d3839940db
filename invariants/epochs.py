"""Generations only grow, except where a new coordinator takes over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.classic import AssignmentStored, JoinPhaseCompleted
from groupsim.events.group import CoordinatorLoaded, GroupEmptied
from groupsim.invariants.base import Violation


class GenerationsAdvance:
    """A group's generation never goes back; a join phase makes it grow (Kafka: ClassicGroup.initNextGeneration)."""

    name = "generations-advance"
    note = ""
    reads: ClassVar[tuple[type[Event], ...]] = (JoinPhaseCompleted, AssignmentStored, GroupEmptied, CoordinatorLoaded)

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Compare with the group's highest generation so far. The first one is accepted as it is."""
        event, group = fact.event, group_of(fact.stream)
        if group is None:
            return
        if isinstance(event, CoordinatorLoaded):
            self._highest.pop(group, None)  # what was never written is lost: a lower generation is right here
        elif isinstance(event, JoinPhaseCompleted | GroupEmptied | AssignmentStored):
            before = self._highest.get(group)
            new = event.generation
            self._highest[group] = new if before is None else max(before, new)
            if before is None:
                return
            if new < before:
                sentence = f"generation of {group} went back from {before} to {new} ({type(event).__name__})"
                yield Violation(self.name, fact.at_ms, fact.seq, sentence)
            elif new == before and isinstance(event, JoinPhaseCompleted):
                sentence = f"a join phase of {group} ended without a new generation: still {new}"
                yield Violation(self.name, fact.at_ms, fact.seq, sentence)

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()
