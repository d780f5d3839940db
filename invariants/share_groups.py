"""Share groups: who is given what, as the coordinator decides it. A partition may have several members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from groupsim.events import share as facts
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import GroupDeleted
from groupsim.events.types import MemberId, Partitions, TopicPartition
from groupsim.invariants.base import Violation


@dataclass(slots=True)
class _Group:
    """`ready`: partitions whose share state is initialised. By member: names, epoch, part of the target."""

    ready: set[TopicPartition] = field(default_factory=set)
    names: dict[MemberId, tuple[str, ...]] = field(default_factory=dict)
    epochs: dict[MemberId, int] = field(default_factory=dict)
    targets: dict[MemberId, Partitions] = field(default_factory=dict)
    target_epoch: int = 0

    def forget(self, member: MemberId) -> None:
        for known in (self.names, self.epochs, self.targets):
            known.pop(member, None)

    def drop(self, topics: tuple[str, ...]) -> None:
        self.ready = {p for p in self.ready if p.topic not in topics}


class ShareAssignments:
    """Nobody is given a partition that is not initialised or that it does not name, nor one at an older epoch.

    A new target leaves no initialised partition of a named topic to nobody. (A topic's id begins with its name.)
    """

    name = "share-assignments"
    note = ""
    begins = facts.ShareGroupCreated
    reads: ClassVar[tuple[type[Event], ...]] = (
        facts.ShareGroupCreated,
        facts.ShareMemberUpdated,
        facts.ShareMemberRemoved,
        facts.ShareTargetComputed,
        facts.ShareMemberAssigned,
        facts.ShareStateInitialized,
        facts.ShareStateDeleting,
        facts.ShareTopicsDeleted,
        GroupDeleted,
    )

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Look at every target, and at what members are given of it."""
        name, event = group_of(fact.stream), fact.event
        if name is None:
            return
        group = self._groups.setdefault(name, _Group())
        match event:
            case facts.ShareGroupCreated() | GroupDeleted():
                self._groups[name] = _Group()
            case facts.ShareMemberUpdated():
                group.names[event.member] = event.topics
            case facts.ShareMemberRemoved():
                group.forget(event.member)
            case facts.ShareStateInitialized():
                group.ready.update(event.partitions)
            case facts.ShareStateDeleting() | facts.ShareTopicsDeleted():
                group.drop(event.topics)
            case facts.ShareTargetComputed():
                group.targets |= event.changed
                group.target_epoch = event.epoch
                for sentence in _left(group):
                    yield Violation(self.name, fact.at_ms, fact.seq, f"{sentence} at epoch {event.epoch} of {name}")
            case facts.ShareMemberAssigned():
                for sentence in _wrong(group, event):
                    yield Violation(self.name, fact.at_ms, fact.seq, f"{sentence} at epoch {event.epoch} of {name}")
                group.epochs[event.member] = event.epoch

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()


def _left(group: _Group) -> Iterator[str]:
    named = {name for names in group.names.values() for name in names}
    given = {p for target in group.targets.values() for p in target}
    for partition in sorted(group.ready - given):
        if partition.topic.partition("#")[0] in named:
            yield f"{partition} is in nobody's target"


def _wrong(group: _Group, event: facts.ShareMemberAssigned) -> Iterator[str]:
    for partition in event.assigned:
        if partition not in group.ready:
            yield f"{event.member} was given {partition}, which is not initialised,"
        elif partition.topic.partition("#")[0] not in group.names.get(event.member, ()):
            yield f"{event.member} was given {partition}, which it does not name,"
    before = group.epochs.get(event.member, 0)
    if not before <= event.epoch <= group.target_epoch:
        yield f"{event.member} came from epoch {before} to one that is no target's"
