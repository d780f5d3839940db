"""Connectors of Kafka Connect that were created, got more tasks or were removed while the logs were written.

Every worker prints each change of the config topic when it reads it (Kafka: DistributedHerder.ConfigUpdateListener).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from groupsim.events.connect import connector_unit
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.growth import Growth
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import pairs, partitions_in, text_in
from groupsim.incidents.logs.client_libraries import CONNECT
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row
from groupsim.incidents.logs.times import instant, iso
from groupsim.storage.log_gaps import Doubt

_ASSIGNED = RowKind.WORKER_ASSIGNED


class Change(NamedTuple):
    """From `at` (UTC ms) on `topic`, which stands for a connector or its tasks, has so many partitions; 0: is gone."""

    at: int
    group: str
    topic: str
    size: int
    worker: str


def changes(evidence: Iterable[Row], corrections: Mapping[str, int], index: Index) -> list[Change]:
    """What workers print of their config topic, in order. `corrections`: of the clock of each file, in ms."""
    return sorted(
        Change(instant(row.at) + corrections.get(row.file, 0), row.group, topic, count, row.client or row.file)
        for row in evidence
        if row.kind == RowKind.CONNECTOR_CHANGED and row.at and row.group and index.workers.get(row.group) == CONNECT
        for topic, count in _said(row)
    )


def _said(row: Row) -> Iterator[tuple[str, int]]:
    connector, listed = text_in(row.detail.get("connector")), text_in(row.detail.get("tasks"))
    if connector is not None:
        removed = row.detail.get("what") == "removed"
        yield connector_unit(connector).topic, int(not removed)
        if removed:
            yield connector, 0
    counts: dict[str, int] = {}
    for topic, number in partitions_in(listed.split(", ")) if listed is not None else ():
        counts[topic] = max(counts.get(topic, 0), number + 1)
    yield from counts.items()


def unit_growths(said: Sequence[Change], rows: Sequence[TimedRow]) -> Iterator[Growth]:
    """What was created, or got more tasks, after a worker of its group was given something for the first time."""
    known = _Known(rows)
    for change in said:
        before = known.count(change.group, change.topic, change.at)
        if change.size > before and known.begun(change.group, change.at):
            known.add(change)
            yield Growth(
                change.group,
                change.topic,
                before,
                change.size,
                change.at,
                change.at,
                change.worker,
                created=not before,
            )


def removals(said: Sequence[Change], rows: Sequence[TimedRow], ended: int) -> Iterator[Doubt]:
    """Connectors that were removed: what stands for them counts on, and nobody can say what they would have done."""
    for change in said:
        back = next((c.at for c in said if c.at > change.at and c.topic == change.topic and c.size), ended)
        units = {
            unit
            for at, row in rows
            if at <= change.at and row.group == change.group and row.kind == _ASSIGNED
            for unit in partitions_in(row.detail.get("assigned"))
            if unit.topic == change.topic
        }
        if not change.size and units:
            why = f"connector {change.topic.rpartition(':')[2]} was removed at {iso(change.at)}"
            yield Doubt(change.group, change.at, back, pairs(tuple(sorted(units))), why, inexact=True)


class _Known:
    """How much of each topic assignments have named until an instant."""

    def __init__(self, rows: Sequence[TimedRow]) -> None:
        self._first: dict[str, int] = {}
        self._named: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for at, row in rows:
            if row.kind == _ASSIGNED and row.group is not None:
                self._first.setdefault(row.group, at)
                for topic, number in partitions_in(row.detail.get("assigned")):
                    self._name(row.group, topic, at, number + 1)

    def _name(self, group: str, topic: str, at: int, count: int) -> None:
        steps = self._named.setdefault((group, topic), [])
        if not steps or steps[-1][1] < count:
            steps.append((at, count))

    def add(self, change: Change) -> None:
        """It has so much from here on."""
        steps = self._named.setdefault((change.group, change.topic), [])
        steps.append((change.at, change.size))
        steps.sort()

    def count(self, group: str, topic: str, at: int) -> int:
        """The most that was named before an instant."""
        return max((count for when, count in self._named.get((group, topic), ()) if when < at), default=0)

    def begun(self, group: str, at: int) -> bool:
        """Whether a worker of the group was given something before."""
        return self._first.get(group, at) < at
