"""Which groups files of `__consumer_offsets` have records of: how many, how many commits, from when to when."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from groupsim.events.types import GroupId
from groupsim.incidents.errors import LogError
from groupsim.incidents.offsets_topic.reader import Form, TopicFiles, TopicReader
from groupsim.incidents.offsets_topic.record import GroupRecord

MOST_GROUPS = 500_000
"""The most groups that are counted: damaged files may name any number."""
_MOST_HELD = 1_000_000
"""So many words of 64 offsets, some 150 bytes each: behind them records count as often as files have them."""


class Count(msgspec.Struct):
    """Of one group: its records, the commits among them, and the instants of the first and the last (ms since 1970)."""

    records: int = 0
    commits: int = 0
    first_ms: int = 0
    last_ms: int = 0


class Census(NamedTuple):
    """`groups` in the order of their first records; the rest is as in TopicReader."""

    groups: dict[GroupId, Count]
    damage: list[str]
    notes: list[str]
    without: dict[str, str]


def census(files: TopicFiles, progress: Callable[[int], None] | None = None) -> Census:
    """Count the records of each group, those that several files have once. Raises LogError for too many groups.

    In constant memory but for the groups, and, where records may be in several files, for their offsets.
    """
    found: dict[GroupId, Count] = {}
    reader, offsets = TopicReader(files, progress=progress), _Offsets(files)
    for record in reader:
        group = record.key.get("group", record.key.get("groupId"))
        if not isinstance(group, str) or offsets.had(group, record):
            continue
        seen = found.get(group)
        if seen is None:
            seen = found[group] = Count(first_ms=record.at_ms, last_ms=record.at_ms)
            if len(found) > MOST_GROUPS:
                raise LogError(f"{record.place}: more than {MOST_GROUPS:,} groups; is this file damaged?")
        seen.records += 1
        seen.commits += record.kind == "OffsetCommit"
        seen.first_ms, seen.last_ms = min(seen.first_ms, record.at_ms), max(seen.last_ms, record.at_ms)
    return Census(found, reader.damage, reader.notes() + offsets.notes(), reader.without)


class _Offsets:
    """The offsets of each group's records: all of a group are in one partition. Formatters print none."""

    def __init__(self, files: TopicFiles) -> None:
        forms = [form for _, form in files if form is not Form.FORMATTED]
        alone = Form.SEGMENT in forms  # segments are one source: their reader gives what copies have alike once
        self._several = len([form for form in forms if form is not Form.SEGMENT]) + alone > 1
        self._formatted = {str(path) for path, form in files if form is Form.FORMATTED}
        self._words: dict[GroupId, dict[int, int]] = {}
        self._held = 0

    def had(self, group: GroupId, record: GroupRecord) -> bool:
        """Whether another file had the record; it is kept in mind."""
        if not self._several or record.place.rpartition(":")[0] in self._formatted:
            return False
        words, place, bit = self._words.setdefault(group, {}), record.offset >> 6, 1 << (record.offset & 63)
        before = words.get(place, 0)
        if before & bit:
            return True
        if before or self._held < _MOST_HELD:
            self._held += not before
            words[place] = before | bit
        return False

    def notes(self) -> list[str]:
        """That some records may have been counted twice, if there were too many to keep in mind."""
        if self._held < _MOST_HELD:
            return []
        return ["there are so many records that those which several of the files have may count more than once"]
