"""Which groups files name, logs and `__consumer_offsets` alike: how often, from when to when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from groupsim.events.types import GroupId
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.rows import Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.census import MOST_GROUPS, Count


class GroupThere(NamedTuple):
    """Of one group: its records in the topic, the commits among them, the lines of logs, and the period (ISO 8601)."""

    group: GroupId
    records: int
    commits: int
    lines: int
    first: str | None
    last: str | None


class GroupsThere:
    """Counts groups; `add` takes the rows of a log one by one, `add_topic` what was counted in the topic."""

    def __init__(self) -> None:
        self._found: dict[GroupId, GroupThere] = {}

    def add(self, rows: Iterable[Row]) -> None:
        """Count the rows of one log. Raises LogError for too many groups."""
        for row in rows:
            if row.group is not None:
                self._count(GroupThere(row.group, 0, 0, 1, row.at, row.at))

    def add_topic(self, seen: Mapping[GroupId, Count]) -> None:
        """Take what a census of the topic has found."""
        for group, each in seen.items():
            self._count(GroupThere(group, each.records, each.commits, 0, iso(each.first_ms), iso(each.last_ms)))

    def _count(self, more: GroupThere) -> None:
        known = self._found.get(more.group)
        if known is None and len(self._found) >= MOST_GROUPS:
            raise LogError(f"more than {MOST_GROUPS:,} groups are named; are these files damaged?")
        self._found[more.group] = more if known is None else _sum(known, more)

    def most_first(self) -> list[GroupThere]:
        """All groups, those of which most is said first."""
        return sorted(self._found.values(), key=lambda each: (-each.records - each.lines, each.group))


def _sum(one: GroupThere, other: GroupThere) -> GroupThere:
    firsts = [at for at in (one.first, other.first) if at is not None]
    lasts = [at for at in (one.last, other.last) if at is not None]
    return GroupThere(
        one.group,
        one.records + other.records,
        one.commits + other.commits,
        one.lines + other.lines,
        min(firsts, default=None),
        max(lasts, default=None),
    )
