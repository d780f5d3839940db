"""Which member owned which partition when: as the coordinator assigned it, and as the processes believe."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.analysis.group_state import AnyGroupState, converted
from groupsim.analysis.log_coverage import CLIENT, CONSUMER, COORDINATOR
from groupsim.analysis.process_state import Processes
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of
from groupsim.events.types import TopicPartition

OWNERSHIP = {
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "perspective": "string",
    "member": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
}
"""One row an interval in which one member owned one partition, by group, topic, partition, time. `perspective`:
`granted` (the coordinator has assigned it to the member) or `believed` (it is in the process's own view). `member`: the
process, or the member id where no process is known. Intervals of different members overlap where both believe that they
own it. A recorded log often has only one of the two."""


class Perspective(StrEnum):
    """Whose knowledge a row is: the coordinator's, or the process's own."""

    GRANTED = "granted"
    BELIEVED = "believed"


Holding = set[tuple[TopicPartition, str]]
"""Pairs of a partition and a member."""


class Owned(msgspec.Struct, frozen=True):
    """A row of `OWNERSHIP`."""

    group: str
    topic: str
    partition: int
    from_ms: int
    perspective: Perspective
    member: str
    to_ms: int

    @property
    def duration_ms(self) -> int:
        """Length in milliseconds, never 0."""
        return self.to_ms - self.from_ms


def ownership(facts: Iterable[Recorded], end_ms: int) -> list[Owned]:
    """Rows of `OWNERSHIP`; what lasts goes on to `end_ms`."""
    groups: dict[str, _Owners] = {}
    for fact in facts:
        group, kind = group_of(fact.stream), type(fact.event)
        if group is not None and (kind in COORDINATOR or kind in CONSUMER or kind in CLIENT):
            groups.setdefault(group, _Owners(group)).apply(fact)
    for owners in groups.values():
        for perspective, open_ in owners.open.items():
            owners.change(perspective, set(open_), set(), end_ms)
    rows = [row for owners in groups.values() for row in owners.rows]
    return sorted(rows, key=msgspec.structs.astuple)


class _Owners:
    """One group's owners: what is open, and the rows that are closed."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.group_state: AnyGroupState = ClassicGroupState()
        self.processes = Processes()
        self.rows: list[Owned] = []
        self.open: dict[Perspective, dict[tuple[TopicPartition, str], int]] = {
            perspective: {} for perspective in Perspective
        }

    def apply(self, fact: Recorded) -> None:
        """Fold one fact."""
        event = fact.event
        if isinstance(event, p.ClientEvent):
            known = self.processes.all.get(event.process)
            before = set(known.view) if known is not None and known.alive else set()
            member = getattr(event, "member", "")
            nameless = self.processes.of(member) is None
            x = self.processes.apply(event)
            if x is not None:
                now = x.view if x.alive else set()
                removed, added = {(tp, x.id) for tp in before - now}, {(tp, x.id) for tp in now - before}
                self.change(Perspective.BELIEVED, removed, added, fact.at_ms)
                if nameless and self.processes.of(member) is not None:
                    self._rename(member, fact.at_ms)
        else:
            self.processes.register(event)
            self.group_state = converted(self.group_state, event)
            if self.group_state.apply(event):
                granted = self._granted()
                open_ = set(self.open[Perspective.GRANTED])
                self.change(Perspective.GRANTED, open_ - granted, granted - open_, fact.at_ms)

    def _granted(self) -> Holding:
        return {
            (tp, self._name(member))
            for tp in self.group_state.owners
            if (member := self.group_state.owner(tp)) is not None
        }

    def _rename(self, member: str, at_ms: int) -> None:
        """A process has shown just now that it has this id."""
        unnamed = {key for key in self.open[Perspective.GRANTED] if key[1] == member}
        self.change(Perspective.GRANTED, unnamed, {(tp, self._name(member)) for tp, _ in unnamed}, at_ms)

    def _name(self, member: str) -> str:
        process = self.processes.of(member)
        return process.id if process is not None else member

    def change(self, perspective: Perspective, removed: Holding, added: Holding, at_ms: int) -> None:
        """At `at_ms` some pairs end, and others begin."""
        open_ = self.open[perspective]
        for key in sorted(removed & set(open_)):
            tp, member = key
            began = open_.pop(key)
            if at_ms > began:
                self.rows.append(Owned(self.group, tp.topic, tp.partition, began, perspective, member, at_ms))
        for key in added:
            open_.setdefault(key, at_ms)
