"""Files of `__consumer_offsets` into what each group's records say, and into rows as a broker's log would have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from groupsim.events.types import GroupId
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.rows import Program, Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.census import census
from groupsim.incidents.offsets_topic.collected import Collected
from groupsim.incidents.offsets_topic.history import GroupHistory, ledger_of
from groupsim.incidents.offsets_topic.reader import TopicFiles, TopicReader
from groupsim.wording.lists import listed
from groupsim.wording.numbers import counted

_NAMED = 10
Progress = Callable[[int], None] | None


class TopicRead(NamedTuple):
    """`groups` has what each chosen group's records say; `notes` and `damage` are sentences on the files.

    `without`: what files hold that have no record, said of the file.
    """

    groups: dict[GroupId, GroupHistory]
    records: int
    notes: list[str]
    damage: list[str]
    without: dict[str, str]


def read_topic(
    files: TopicFiles, chosen: frozenset[GroupId], until_ms: int | None = None, progress: Progress = None
) -> TopicRead:
    """What the files say of the groups chosen (all, if none is). Raises LogError for a file that can't be read."""
    collected = Collected(chosen, until_ms)
    reader = TopicReader(files, groups=chosen, progress=progress)
    for record in reader:
        collected.add(record)
    groups = {
        group: GroupHistory(
            ledger_of(log.records.values(), collected.topic_names),
            [log.commits[offset] for offset in sorted(log.commits)],
            collected.last_ms or 0,
        )
        for group, log in sorted(collected.groups.items())
    }
    return TopicRead(groups, reader.records.total(), reader.notes(), reader.damage, reader.without)


def only_group(files: TopicFiles) -> frozenset[GroupId]:
    """The group that all records are of. Raises LogError if there are several, with those of most records."""
    seen = census(files).groups
    if len(seen) > 1:
        most = sorted(seen.items(), key=lambda counted_group: -counted_group[1].records)
        names = [f"{name} ({counted(count.records, 'record')})" for name, count in most]
        raise LogError(
            f"{listed([str(path) for path, _ in files])}: the topic has {len(seen)} groups; choose with --group:"
            f" {listed(names, _NAMED)}; `groupsim read --groups` with the same files lists all"
        )
    return frozenset(seen)


def topic_rows(group: GroupId, history: GroupHistory) -> list[Row]:
    """What a broker's log would have said of one group, in order of time."""
    said = sorted(history.ledger.said, key=lambda step: step.at_ms)
    rows = []
    for order, step in enumerate(said):
        file, _, line = step.place.rpartition(":")
        rows.append(
            Row(
                file=file,
                line=int(line) if line.isdecimal() else 0,
                at=iso(step.at_ms),
                kind=step.kind,
                group=group,
                member=step.member,
                client=None,
                detail={key: value for key, value in step.detail.items() if value is not None},
                program=Program.OFFSETS_TOPIC,
                order=order,
            )
        )
    return rows


def placed(groups: Iterable[tuple[GroupId, GroupHistory]]) -> list[Row]:
    """The rows of all groups in order of time, each with its place in it."""
    rows = sorted(
        (row for group, history in groups for row in topic_rows(group, history)), key=lambda row: row.at or ""
    )
    return [msgspec.structs.replace(row, order=order) for order, row in enumerate(rows)]
