"""Generations and epochs only grow, except where a new coordinator takes over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.classic import AssignmentStored, JoinPhaseCompleted
from groupsim.events.consumer import (
    ConsumerGroupCreated,
    EmptyGroupDropped,
    EmptyGroupForgotten,
    GroupDowngraded,
    GroupEpochBumped,
    TargetComputed,
)
from groupsim.events.group import CoordinatorLoaded, GroupDeleted, GroupEmptied
from groupsim.events.share import ShareGroupCreated, ShareTargetComputed
from groupsim.events.streams import StreamsGroupCreated, StreamsGroupEpochBumped, StreamsTargetComputed
from groupsim.invariants.base import Violation

_ANEW = (
    CoordinatorLoaded,
    ConsumerGroupCreated,
    ShareGroupCreated,
    StreamsGroupCreated,
    EmptyGroupDropped,
    EmptyGroupForgotten,
    GroupDeleted,
)
"""The numbers begin anew, or at what was written."""


class GenerationsAdvance:
    """A group's generation never goes back; a join phase makes it grow (Kafka: ClassicGroup.initNextGeneration).

    Nor does the epoch of a consumer, share or streams group; a conversion goes on with the number, or with the one
    before where the same request had let the epoch grow (`generation-zero` in `docs/model/consumer-groups.md`). A group
    that takes an empty one's place begins anew.
    """

    name = "generations-advance"
    note = ""
    reads: ClassVar[tuple[type[Event], ...]] = (
        JoinPhaseCompleted,
        AssignmentStored,
        GroupEmptied,
        *_ANEW,
        GroupDowngraded,
        GroupEpochBumped,
        TargetComputed,
        ShareTargetComputed,
        StreamsGroupEpochBumped,
        StreamsTargetComputed,
    )

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}
        self._grown_ms: dict[str, int] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Compare with the group's highest generation so far. The first one is accepted as it is."""
        event, group = fact.event, group_of(fact.stream)
        if group is None:
            return
        if isinstance(event, _ANEW):
            self._highest.pop(group, None)  # of a failover: what was never written is lost
        elif (new := _number(event)) is not None:
            before = self._highest.get(group)
            if isinstance(event, GroupEpochBumped):
                self._grown_ms[group] = fact.at_ms
            elif isinstance(event, GroupDowngraded) and self._grown_ms.get(group) == fact.at_ms and before == new + 1:
                before = self._highest[group] = new
            self._highest[group] = new if before is None else max(before, new)
            if before is None:
                return
            if new < before:
                sentence = f"generation of {group} went back from {before} to {new} ({type(event).__name__})"
                yield Violation(self.name, fact.at_ms, fact.seq, sentence)
            elif new == before and isinstance(event, JoinPhaseCompleted | GroupEpochBumped | StreamsGroupEpochBumped):
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
        case GroupEpochBumped() | TargetComputed() | ShareTargetComputed():
            return event.epoch
        case StreamsGroupEpochBumped() | StreamsTargetComputed():
            return event.epoch
    return None
