"""No commit is accepted from a member that is not in the group, or that speaks of another generation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from groupsim.events import classic as c
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CommitAccepted, CoordinatorLoaded, GroupCreated, GroupEmptied
from groupsim.events.types import MemberId
from groupsim.invariants.base import Violation


@dataclass(slots=True)
class _Roll:
    """Who is a member at which generation, and what of it a new coordinator would know."""

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
    """Kafka: ClassicGroup.validateOffsetCommit (spec: 4.1, C5 to C8).

    Commits outside group management (no member id), and those without a generation to an Empty group (C4), are free.
    A recorded group is judged only once its log has told who all its members are.
    """

    name = "fenced-commits"
    note = ""

    def __init__(self) -> None:
        self._rolls: dict[str, _Roll] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Keep the roll; judge every accepted commit by it."""
        group = group_of(fact.stream)
        if group is None:
            return
        event = fact.event
        if not isinstance(event, CommitAccepted):
            self._rolls.setdefault(group, _Roll()).apply(event)
            return
        roll = self._rolls.setdefault(group, _Roll())
        free = not event.member or (event.generation < 0 and not roll.members)
        if free or not roll.complete:
            return
        who = f"commit of {event.member} at generation {event.generation} was accepted by {group}, "
        if event.member not in roll.members:
            yield Violation(self.name, fact.at_ms, fact.seq, who + "of which it is not a member")
        elif event.generation != roll.generation:
            yield Violation(self.name, fact.at_ms, fact.seq, who + f"which is at {roll.generation}")

    def finish(self) -> Iterator[Violation]:
        """Nothing is left to say."""
        yield from ()
