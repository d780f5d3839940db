"""Streams groups: who runs which tasks, as the coordinator decides it (KIP-1071)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from groupsim.events import streams as facts
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.consumer import EmptyGroupDropped, StaticMemberAway, StaticMemberReplaced
from groupsim.events.group import CommitAccepted, GroupDeleted
from groupsim.events.types import MemberId, TopicPartition
from groupsim.invariants.base import Violation

AWAY_EPOCH = -2


@dataclass(slots=True)
class _Member:
    """`held`: every task it runs or has to give up, True for an active one; `pending`: those it has to give up."""

    process: str = ""
    epoch: int = 0
    held: dict[TopicPartition, bool] = field(default_factory=dict)
    pending: frozenset[TopicPartition] = frozenset()


class StreamsTasks:
    """A task has one active owner; a task that is given to a member has no copy in another member of its process.

    The epoch of a member never goes back, but when it joins anew. Who commits is a member, at its epoch or before.
    """

    name = "streams-tasks"
    note = ""
    begins = facts.StreamsGroupCreated
    reads: ClassVar[tuple[type[Event], ...]] = (
        facts.StreamsGroupCreated,
        facts.StreamsMemberUpdated,
        facts.StreamsMemberRemoved,
        facts.StreamsMemberReconciled,
        StaticMemberReplaced,
        StaticMemberAway,
        CommitAccepted,
        EmptyGroupDropped,
        GroupDeleted,
    )

    def __init__(self) -> None:
        self._groups: dict[str, dict[MemberId, _Member]] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Look at every step of a member, and at every commit, of the groups that are streams groups now."""
        name, event = group_of(fact.stream), fact.event
        if name is None:
            return
        if isinstance(event, facts.StreamsGroupCreated):
            self._groups[name] = {}
        elif isinstance(event, EmptyGroupDropped | GroupDeleted):
            self._groups.pop(name, None)
        elif name in self._groups:
            for sentence in _apply(self._groups[name], event):
                yield Violation(self.name, fact.at_ms, fact.seq, f"{sentence} in {name}")

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()


def _apply(group: dict[MemberId, _Member], event: Event) -> Iterator[str]:
    match event:
        case facts.StreamsMemberUpdated():
            group.setdefault(event.member, _Member()).process = event.process
        case facts.StreamsMemberRemoved():
            group.pop(event.member, None)
        case StaticMemberReplaced():
            group[event.member] = group.pop(event.old)
            group[event.member].epoch = 0
        case StaticMemberAway():
            member = group[event.member]
            member.epoch = AWAY_EPOCH
            member.held = {task: active for task, active in member.held.items() if task not in member.pending}
            member.pending = frozenset()
        case facts.StreamsMemberReconciled():
            yield from _step(group, event)
        case CommitAccepted() if event.member and group:
            at = group[event.member].epoch if event.member in group else None
            if at is None or event.generation > at:
                yield f"commit of {event.member} at epoch {event.generation} was accepted, but the member is at {at}"


def _step(group: dict[MemberId, _Member], event: facts.StreamsMemberReconciled) -> Iterator[str]:
    member = group[event.member]
    if event.epoch < member.epoch:
        yield f"the epoch of {event.member} went back from {member.epoch} to {event.epoch}"
    pending = {TopicPartition(part, number) for part, number, _ in event.pending_active} | {*event.pending_standby}
    held = dict.fromkeys((*event.standby, *event.pending_standby), False)
    held |= {TopicPartition(part, number): True for part, number, _ in (*event.active, *event.pending_active)}
    for other_id, other in group.items():
        if other_id == event.member:
            continue
        for task, active in held.items():
            if active and other.held.get(task):
                yield f"task {task} is active in {event.member} and in {other_id}"
            elif task in other.held and task not in member.held and member.process == other.process:
                yield f"task {task} is given to {event.member}, and {other_id} of the same process has it"
    member.epoch, member.held, member.pending = event.epoch, held, frozenset(pending)
