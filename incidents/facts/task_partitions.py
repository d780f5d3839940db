"""Tasks of Kafka Streams as the partitions that they read: rows about task `0_3` get partition 3 of its topics.

A task is a partition of a subtopology (KIP-1071; Kafka: TaskId), and no line says which topics a subtopology reads.
With one subtopology they are all topics of the group. With several, a topic belongs to the only one of which every
instance ran the task of each partition that its consumer had.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.typed_fields import partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row, is_broker
from groupsim.wording.lists import listed, quoted

TASK_KINDS = frozenset([RowKind.TASK_CREATED, RowKind.TASK_RUNNING, RowKind.TASK_SUSPENDED, RowKind.TASK_CLOSED])
"""Kinds of rows that say what became of one task on one stream thread."""

STREAM_TASKS = "stream_tasks"
"""What rows call the tasks that a member of a streams group is given or gives up."""

_Client = tuple[str, str | None]
"""File and client id."""
_Task = tuple[str, int]
"""Subtopology and partition."""


@dataclass(slots=True)
class _Application:
    """What the logs of one group's instances name: topics, and by client the tasks and partitions that it had."""

    topics: set[str] = field(default_factory=set)
    tasks: dict[_Client, set[_Task]] = field(default_factory=lambda: defaultdict(set))
    held: dict[_Client, set[TopicPartition]] = field(default_factory=lambda: defaultdict(set))

    def topics_of(self) -> dict[str, set[str]]:
        """The topics of each subtopology, as far as they are known."""
        parts = sorted({part for tasks in self.tasks.values() for part, _ in tasks})
        found: dict[str, set[str]] = defaultdict(set)
        for topic in sorted(self.topics):
            may_read = [part for part in parts if len(parts) == 1 or self._fits(topic, part)]
            if len(may_read) == 1:
                found[may_read[0]].add(topic)
        return found

    def _fits(self, topic: str, part: str) -> bool:
        """Whether each instance that had a partition of the topic had the task of this subtopology that reads it."""
        had = [(key, tp.partition) for key, held in self.held.items() for tp in held if tp.topic == topic]
        return bool(had) and all((part, number) in self.tasks[key] for key, number in had)

    def last(self, topic: str) -> int | None:
        """The highest partition of a topic that a line names; None: no line names one."""
        return max((tp.partition for held in self.held.values() for tp in held if tp.topic == topic), default=None)


def with_partitions(rows: Sequence[TimedRow], builder: FactBuilder) -> list[TimedRow]:
    """The rows, those about tasks with their partitions; a doubt where it is not known what a task reads."""
    if not any(_names_tasks(timed.row) for timed in rows):
        return list(rows)
    groups = {(r.file, r.client): r.group for _, r in rows if r.group is not None and not is_broker(r)}
    seen = _applications(rows, groups)
    read = {group: _reads(application) for group, application in seen.items()}
    for group, application in seen.items():
        known = {topic for topics in read[group].values() for topic in topics}
        if open_topics := sorted(application.topics - known):
            builder.doubt(
                f'group "{group}": its logs do not show which tasks read {listed(quoted(open_topics))}; give the lines'
                " of all instances about partitions and tasks, from their start on"
            )
    return _filled(rows, groups, read)


def _reads(application: _Application) -> dict[str, dict[str, int | None]]:
    """By subtopology the topics that it reads, each with its last partition, if that is known."""
    parts = application.topics_of().items()
    return {part: {topic: application.last(topic) for topic in sorted(topics)} for part, topics in parts}


def _applications(rows: Sequence[TimedRow], groups: Mapping[_Client, str]) -> dict[str, _Application]:
    """What is known of each group that has tasks."""
    found: dict[str, _Application] = defaultdict(_Application)
    streams = {groups.get((row.file, row.client), "") for _, row in rows if _names_tasks(row)}
    for _, row in rows:
        key = row.file, row.client
        group = groups.get(key)
        if group is None or group not in streams:
            continue
        for task in _tasks(row.detail):
            found[group].tasks[key].add(task)
        topics = row.detail.get("topics")
        if row.kind == RowKind.CLIENT_SUBSCRIBED and isinstance(topics, list):
            found[group].topics |= set(map(str, topics))
        named = set(partitions_in(row.detail.get("partitions"))) | set(partitions_in([row.detail.get("partition")]))
        found[group].held[key] |= named
        found[group].topics |= {tp.topic for tp in named}
    return found


def _names_tasks(row: Row) -> bool:
    return (row.kind in TASK_KINDS and "task" in row.detail) or STREAM_TASKS in row.detail


def _tasks(detail: Mapping[str, object]) -> list[_Task]:
    """The tasks that a row names: one, or a list."""
    named = detail.get(STREAM_TASKS, [detail["task"]] if "task" in detail else [])
    parts = [str(task).partition("_") for task in named] if isinstance(named, list) else []
    return [(part, int(number)) for part, _, number in parts if number.isdigit()]


def _filled(
    rows: Sequence[TimedRow],
    groups: Mapping[_Client, str],
    read: Mapping[str, Mapping[str, Mapping[str, int | None]]],
) -> list[TimedRow]:
    """The rows with `partitions`; a target that names none has what the member was assigned then."""
    found = list(rows)
    targets: dict[_Client, int] = {}
    for place, timed in enumerate(rows):
        row = timed.row
        key = row.file, row.client
        if row.kind == RowKind.CLIENT_RECONCILING and "assigned" not in row.detail:
            targets[key] = place
        if not _names_tasks(row):
            continue
        topics = read.get(groups.get(key, ""), {})
        names = [f"{tp.topic}-{tp.partition}" for tp in _partitions(_tasks(row.detail), topics)]
        found[place] = _with(timed, "partitions", names)
        if row.kind == RowKind.ASSIGNED and key in targets:
            place = targets.pop(key)
            found[place] = _with(found[place], "assigned", names)
    return found


def _partitions(tasks: Sequence[_Task], read: Mapping[str, Mapping[str, int | None]]) -> list[TopicPartition]:
    """What these tasks read, sorted."""
    found: AbstractSet[TopicPartition] = {
        TopicPartition(topic, number)
        for part, number in tasks
        for topic, last in read.get(part, {}).items()
        if last is None or number <= last
    }
    return sorted(found)


def _with(timed: TimedRow, name: str, names: list[str]) -> TimedRow:
    row = msgspec.structs.replace(timed.row, detail={**timed.row.detail, name: names})
    return TimedRow(timed.at, row)
