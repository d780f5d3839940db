"""Who had which partition when, through both pairs of eyes: the coordinator's books and the process itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.analysis.group_state import GroupState
from groupsim.analysis.log_coverage import CLIENT, COORDINATOR
from groupsim.analysis.process_state import Processes
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of
from groupsim.events.types import TopicPartition

OWNERSHIP = {
    "group": "category",
    "topic": "category",
    "partition": "int64",
    "eyes": "string",
    "member": "category",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
}
"""One row a stretch in which one member had one partition, by group, topic, partition, time. `eyes`: `granted` (the
coordinator's books give it to the member) or `believed` (it is in the process's own view). `member`: the process, or
the member id where no process is known. Stretches of different members overlap where both believe to have it. A
recorded log often tells only one of the two."""

GRANTED, BELIEVED = "granted", "believed"
Holding = set[tuple[TopicPartition, str]]


def ownership(facts: Iterable[Recorded], end_ms: int) -> list[dict[str, Any]]:
    """Rows of `OWNERSHIP`; what lasts goes on to `end_ms`."""
    groups: dict[str, _Owners] = {}
    for fact in facts:
        group, kind = group_of(fact.stream), type(fact.event)
        if group is not None and (kind in COORDINATOR or kind in CLIENT):
            groups.setdefault(group, _Owners(group)).apply(fact)
    for owners in groups.values():
        for eyes, open_ in owners.open.items():
            owners.turn(eyes, set(open_), set(), end_ms)
    rows = [row for owners in groups.values() for row in owners.rows]
    return sorted(rows, key=lambda r: (r["group"], r["topic"], r["partition"], r["from_ms"], r["eyes"], r["member"]))


class _Owners:
    """One group's owners: what is open, and the rows that are closed."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.books = GroupState()
        self.processes = Processes()
        self.rows: list[dict[str, Any]] = []
        self.open: dict[str, dict[tuple[TopicPartition, str], int]] = {GRANTED: {}, BELIEVED: {}}

    def apply(self, fact: Recorded) -> None:
        """Fold one fact."""
        event = fact.event
        if isinstance(event, p.ClientEvent):
            known = self.processes.all.get(event.process)
            before = set(known.view) if known is not None and known.alive else set()
            x = self.processes.apply(event)
            if x is not None:
                now = x.view if x.alive else set()
                gone, come = {(tp, x.id) for tp in before - now}, {(tp, x.id) for tp in now - before}
                self.turn(BELIEVED, gone, come, fact.at_ms)
        else:
            self.processes.register(event)
            if self.books.apply(event):
                granted = self._granted()
                held = set(self.open[GRANTED])
                self.turn(GRANTED, held - granted, granted - held, fact.at_ms)

    def _granted(self) -> Holding:
        return {(tp, self._name(member)) for tp in self.books.owners if (member := self.books.owner(tp)) is not None}

    def _name(self, member: str) -> str:
        process = self.processes.of(member)
        return process.id if process is not None else member

    def turn(self, eyes: str, gone: Holding, come: Holding, at_ms: int) -> None:
        """At `at_ms` some pairs cease to hold, and others begin."""
        open_ = self.open[eyes]
        for key in sorted(gone & set(open_)):
            tp, member = key
            began = open_.pop(key)
            if at_ms > began:
                where = {"group": self.group, "topic": tp.topic, "partition": tp.partition, "eyes": eyes}
                times = {"from_ms": began, "to_ms": at_ms, "duration_ms": at_ms - began}
                self.rows.append({**where, "member": member, **times})
        for key in come:
            open_.setdefault(key, at_ms)
