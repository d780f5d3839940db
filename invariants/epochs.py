"""Generations and epochs only grow, except where a new coordinator takes over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.classic import AssignmentStored, JoinPhaseCompleted
from groupsim.events.consumer import EmptyGroupDropped, GroupDowngraded, GroupEpochBumped, TargetComputed
from groupsim.events.group import CoordinatorLoaded, GroupDeleted, GroupEmptied
from groupsim.invariants.base import Violation


class GenerationsAdvance:
    """A group's generation never goes back; a join phase makes it grow (Kafka: ClassicGroup.initNextGeneration).

    Nor does the epoch of a consumer group; a conversion goes on with the number.
    """

    name = "generations-advance"
    note = ""
    reads: ClassVar[tuple[type[Event], ...]] = (
        JoinPhaseCompleted,
        AssignmentStored,
        GroupEmptied,
        CoordinatorLoaded,
        EmptyGroupDropped,
        GroupDeleted,
        GroupDowngraded,
        GroupEpochBumped,
        TargetComputed,
    )

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Compare with the group's highest generation so far. The first one is accepted as it is."""
        event, group = fact.event, group_of(fact.stream)
        if group is None:
            return
        if isinstance(event, CoordinatorLoaded | EmptyGroupDropped | GroupDeleted):
            self._highest.pop(group, None)  # what was never written is lost: a lower generation is right here
        elif (new := _number(event)) is not None:
            before = self._highest.get(group)
            self._highest[group] = new if before is None else max(before, new)
            if before is None:
                return
            if new < before:
                sentence = f"generation of {group} went back from {before} to {new} ({type(event).__name__})"
                yield Violation(self.name, fact.at_ms, fact.seq, sentence)
            elif new == before and isinstance(event, JoinPhaseCompleted | GroupEpochBumped):
                joined = isinstance(event, JoinPhaseCompleted)
                sentence = f"a join phase of {group} ended without a new generation: still {new}"
                if not joined:
                    sentence = f"the epoch of {group} was bumped and is still {new}"
                yield Violation(self.name, fact.at_ms, fact.seq, sentence)

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()


def _number(event: Event) -> int | None:
    match event:
        case JoinPhaseCompleted() | GroupEmptied() | AssignmentStored() | GroupDowngraded():
            return event.generation
        case GroupEpochBumped() | TargetComputed():
            return event.epoch
    return None
