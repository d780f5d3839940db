"""Connectors and tasks of Kafka Connect as the partitions that stand for them (`events.connect`).

A worker's log says all that it is given in each generation, and names no worker in lines about one connector or task.
The consumers of a worker's own topics have its group.id and are no members (Kafka: KafkaBasedLog).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from groupsim.events.connect import connector_unit
from groupsim.events.types import Partitions
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.task_partitions import TASK_KINDS
from groupsim.incidents.facts.typed_fields import int_in, partitions_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Reading, Row, is_broker
from groupsim.incidents.tolerances import ONE_STEP_MS

OF_ONE_UNIT = TASK_KINDS | {RowKind.TASKS_RUNNING, RowKind.TASKS_STOPPED}
"""Kinds of rows that say what became of connectors and tasks on a worker."""
_OF_MEMBERS = frozenset([RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED, RowKind.WORKER_STARTED])
_OF_A_ROUND = frozenset([RowKind.STABILIZED, RowKind.WORKER_ASSIGNED])
_STREAMS = ("task", "stream_tasks")


class _Worker(NamedTuple):
    """Whose a line is: the file and client id of a worker, and its group."""

    file: str
    client: str | None
    group: str


class _Workers:
    """The workers of all logs, by file, and what each of them was given last."""

    def __init__(self, rows: Sequence[TimedRow]) -> None:
        self.groups = {row.group for _, row in rows if row.kind == RowKind.WORKER_ASSIGNED and row.group}
        self._of_file: dict[str, list[_Worker]] = defaultdict(list)
        self._joined: dict[_Worker, Row] = {}
        self._given: dict[_Worker, set[str]] = defaultdict(set)
        for _, row in rows:
            if row.kind in _OF_MEMBERS and row.group in self.groups and not is_broker(row):
                worker = _Worker(row.file, row.client, row.group or "")
                if worker not in self._of_file[row.file]:
                    self._of_file[row.file].append(worker)

    def of(self, row: Row) -> _Worker | None:
        """The worker that wrote a row: named by it, the only one of its file, or the one that has what it is about."""
        there = self._of_file.get(row.file, [])
        named = [w for w in there if row.client in (w.client, None) and row.group in (w.group, None)]
        if len(named) == 1:
            return named[0]
        units = set(map(str, listed)) if isinstance(listed := row.detail.get("partitions"), list) else set()
        return next((w for w in named if units and units <= self._given[w]), None)

    def follow(self, worker: _Worker, row: Row) -> Row:
        """Go on behind a row of a worker, and give an assignment the member's id and the partitions."""
        if row.kind == RowKind.JOINED:
            self._joined[worker] = row
        if row.kind != RowKind.WORKER_ASSIGNED or "tasks" not in row.detail:
            return row
        units = assigned_units(row)
        self._given[worker] = set(units)
        joined = self._joined.get(worker)
        detail = ({} if joined is None else {"generation": joined.detail.get("generation")}) | row.detail
        member = row.member if row.member is not None or joined is None else joined.member
        return msgspec.structs.replace(row, member=member, detail={**detail, "assigned": units})


def with_failed_tasks(reading: Reading) -> Reading:
    """A task that failed has ended (Kafka: WorkerTask.doRun); its line is evidence of a cause, and says that, too."""
    ended = [
        msgspec.structs.replace(
            row, kind=RowKind.TASK_CLOSED, group=None, client=None, detail={"partitions": [row.detail["task"]]}
        )
        for row in reading.evidence
        if row.kind == RowKind.TASK_FAILED and row.detail.get("killed") and "task" in row.detail
    ]
    return msgspec.structs.replace(reading, context=[*reading.context, *ended]) if ended else reading


def assigned_units(row: Row) -> list[str]:
    """What an assignment names, each as `topic-n`."""
    connectors, tasks = (row.detail.get(key) for key in ("connectors", "tasks"))
    units = [connector_unit(str(name)) for name in connectors] if isinstance(connectors, list) else []
    return [f"{unit.topic}-{unit.partition}" for unit in (*units, *partitions_in(tasks))]


def with_units(rows: Sequence[TimedRow]) -> list[TimedRow]:
    """The rows, those of Connect's workers with their worker and what they are about; without what is of no worker."""
    workers = _Workers(rows)
    return list(_of_workers(rows, workers)) if workers.groups else [t for t in rows if not _about_units(t.row)]


def _of_workers(rows: Sequence[TimedRow], workers: _Workers) -> Iterator[TimedRow]:
    for at, row in rows:
        if is_broker(row) or (row.group not in workers.groups and not _about_units(row)):
            yield TimedRow(at, row)
        elif (worker := workers.of(row)) is not None:
            own = msgspec.structs.replace(row, client=worker.client, group=worker.group)
            yield TimedRow(at, workers.follow(worker, own))


def _about_units(row: Row) -> bool:
    """Whether it is about connectors or tasks of Connect; those of Kafka Streams are named otherwise."""
    if row.kind in TASK_KINDS:
        return not any(name in row.detail for name in _STREAMS)
    return row.kind in OF_ONE_UNIT and text_in(row.detail.get("from")) is None


@dataclass(slots=True)
class Round:
    """One generation of a group of workers, as these say: what each was given, and after which delay they rejoin.

    `at`: the first line of it, UTC ms. `size`: how many members it has, by a broker.
    """

    group: str
    generation: int
    at: int
    given: dict[str, tuple[Row, Partitions]] = field(default_factory=dict)
    size: int | None = None
    leader: str | None = None
    delay_ms: int = 0

    @property
    def whole(self) -> bool:
        """Whether it is known what every worker was given: no worker says how many there are, only a broker does."""
        return len(self.given) == self.size

    def take(self, row: Row) -> None:
        """A row of this generation."""
        if row.kind == RowKind.STABILIZED:
            self.size = int_in(row.detail.get("members"))
        elif row.kind == RowKind.WORKER_ASSIGNED and row.member is not None:
            self.given[row.member] = row, partitions_in(row.detail.get("assigned"))
            self.leader = text_in(row.detail.get("leader"))
            self.delay_ms = max(self.delay_ms, int_in(row.detail.get("delay_ms")) or 0)


def rounds_of(rows: Iterable[TimedRow], groups: Container[str]) -> list[Round]:
    """The generations of these groups, in order; numbers may start over."""
    found: list[Round] = []
    last: dict[tuple[str, int], Round] = {}
    for at, row in rows:
        generation = int_in(row.detail.get("generation"))
        if row.group is None or row.group not in groups or generation is None or row.kind not in _OF_A_ROUND:
            continue
        this = last.get((row.group, generation))
        if this is None or at - this.at > ONE_STEP_MS:
            this = last[row.group, generation] = Round(row.group, generation, at)
            found.append(this)
        this.take(row)
    return found
