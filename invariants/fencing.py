"""No commit is accepted from a member that is not in the group, or that names another generation or a late epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from groupsim.events import classic as c
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.consumer import EmptyGroupDropped
from groupsim.events.group import CommitAccepted, CoordinatorLoaded, GroupCreated, GroupDeleted, GroupEmptied
from groupsim.events.streams import StreamsGroupCreated
from groupsim.events.types import MemberId
from groupsim.invariants.base import Violation
from groupsim.invariants.member_epochs import READS, MemberEpochs


@dataclass(slots=True)
class _Members:
    """The members and the generation, and `written`: what a new coordinator would know of them."""

    generation: int | None = None
    members: set[MemberId] = field(default_factory=set)
    complete: bool = False
    written: tuple[int | None, frozenset[MemberId]] = (0, frozenset())

    def apply(self, event: Event) -> None:
        match event:
            case GroupCreated():
                self.complete, self.generation = True, self.generation or 0
            case c.MemberAdded():
                self.members.add(event.member)
            case c.MemberRemoved():
                self.members.discard(event.member)
            case c.MemberReplaced() if event.member is not None:
                self.members = self.members - {event.old} | {event.member}
                if event.request is None:
                    self._write()
            case c.JoinPhaseCompleted():
                self.generation = event.generation
                self.members -= set(event.dropped)
                if event.members is not None:
                    self.members, self.complete = set(event.members), True
            case c.AssignmentStored():
                self.generation = event.generation
                self._write()
            case GroupEmptied():
                self.generation, self.members, self.complete = event.generation, set(), True
                self._write()
            case CoordinatorLoaded():
                self.generation, self.members = self.written[0], set(self.written[1])

    def _write(self) -> None:
        self.written = self.generation, frozenset(self.members)


class FencedCommits:
    """Only a member commits, at the group's generation (Kafka: ClassicGroup.validateOffsetCommit).

    In a consumer group: at its own epoch, or one since which it holds the partitions (ConsumerGroup's). Streams groups
    have an invariant of their own (`StreamsTasks`).

    Commits outside group management (no member id), and those without a generation to an Empty group, are accepted.
    Commits of a recorded group are checked as soon as its log has shown all members.
    """

    name = "fenced-commits"
    note = ""
    reads: ClassVar[tuple[type[Event], ...]] = (
        GroupCreated,
        c.MemberAdded,
        c.MemberRemoved,
        c.MemberReplaced,
        c.JoinPhaseCompleted,
        c.AssignmentStored,
        GroupEmptied,
        CoordinatorLoaded,
        CommitAccepted,
        StreamsGroupCreated,
        *READS,
    )

    def __init__(self) -> None:
        self._groups: dict[str, _Members] = {}
        self._consumer_groups: dict[str, MemberEpochs] = {}
        self._streams_groups: set[str] = set()

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Keep the members; compare every accepted commit with them."""
        group = group_of(fact.stream)
        if group is None:
            return
        event = fact.event
        if isinstance(event, StreamsGroupCreated):
            self._streams_groups.add(group)
        if group in self._streams_groups:
            if isinstance(event, EmptyGroupDropped | GroupDeleted):
                self._streams_groups.discard(group)
                self._groups.pop(group, None)
            return
        if isinstance(event, READS):
            epochs = self._consumer_groups.setdefault(group, MemberEpochs())
            epochs.apply(event)
            if not epochs.exists:  # a classic group of this name shows its members anew
                self._groups.pop(group, None)
            return
        consumer = self._consumer_groups.get(group)
        if consumer is not None and consumer.exists:
            if isinstance(event, CommitAccepted) and (objection := consumer.objection(event)):
                who = f"commit of {event.member} at epoch {event.generation} was accepted by {group}, "
                yield Violation(self.name, fact.at_ms, fact.seq, who + objection)
            return
        if not isinstance(event, CommitAccepted):
            self._groups.setdefault(group, _Members()).apply(event)
            return
        known = self._groups.setdefault(group, _Members())
        free = not event.member or (event.generation < 0 and not known.members)
        if free or not known.complete:
            return
        who = f"commit of {event.member} at generation {event.generation} was accepted by {group}, "
        if event.member not in known.members:
            yield Violation(self.name, fact.at_ms, fact.seq, who + "but it is not a member")
        elif event.generation != known.generation:
            yield Violation(self.name, fact.at_ms, fact.seq, who + f"but the group is at {known.generation}")

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()
