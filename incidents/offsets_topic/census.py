"""Which groups files of `__consumer_offsets` have records of: how many, how many commits, from when to when."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from groupsim.events.types import GroupId
from groupsim.incidents.errors import LogError
from groupsim.incidents.offsets_topic.reader import TopicFiles, TopicReader

MOST_GROUPS = 500_000
"""The most groups that are counted: damaged files may name any number."""


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
    """Count the records of each group, in constant memory but for the groups. Raises LogError for too many of them."""
    found: dict[GroupId, Count] = {}
    reader = TopicReader(files, progress=progress)
    for record in reader:
        group = record.key.get("group", record.key.get("groupId"))
        if not isinstance(group, str):
            continue
        seen = found.get(group)
        if seen is None:
            seen = found[group] = Count(first_ms=record.at_ms, last_ms=record.at_ms)
            if len(found) > MOST_GROUPS:
                raise LogError(f"{record.place}: more than {MOST_GROUPS:,} groups; is this file damaged?")
        seen.records += 1
        seen.commits += record.kind == "OffsetCommit"
        seen.first_ms, seen.last_ms = min(seen.first_ms, record.at_ms), max(seen.last_ms, record.at_ms)
    return Census(found, reader.damage, reader.notes(), reader.without)
