"""Members that were gone at some time, of which no log shows since when: how much of the doubt is theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from groupsim.analysis.availability.labels import Interval, SubLabel
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.wording.names import shown
from groupsim.wording.numbers import counted, partition_seconds
from groupsim.wording.times import moment

NAMED = 3
"""Of so many members it is said how much is in doubt because of them; the rest are counted."""


class Gone(NamedTuple):
    """A member that was removed at `at_ms`; its partitions may have been unavailable for up to `at_most_ms` before."""

    group: str
    member: str
    at_ms: int
    since_ms: int
    partitions: int
    at_most_ms: int

    def sentence(self, origin: str | None) -> str:
        """What is known of it, and what is not; `origin`: when the run began."""
        return (
            f"{shown(self.member, 60)} was gone at {moment(self.at_ms, origin)} with"
            f" {counted(self.partitions, 'partition')}, and nothing shows when it stopped since"
            f" {moment(self.since_ms, origin)}: up to"
            f" {partition_seconds(self.at_most_ms)} are in doubt because of it"
        )


def gone_in_doubt(intervals: Iterable[Interval], timelines: Mapping[str, GroupTimeline]) -> list[Gone]:
    """The members whose partitions are in doubt until they are known to be gone, those with the most first."""
    ends: dict[tuple[str, str, int], list[Interval]] = {}
    for interval in intervals:
        if interval.sub_label != SubLabel.IN_DOUBT or interval.member is None:
            continue
        timeline = timelines.get(interval.group)
        removals = timeline.removals.get(interval.member, ()) if timeline is not None else ()
        if any(removal.at_ms == interval.to_ms for removal in removals):
            ends.setdefault((interval.group, interval.member, interval.to_ms), []).append(interval)
    gone = [
        Gone(*key, min(i.from_ms for i in mine), len(mine), sum(i.duration_ms for i in mine))
        for key, mine in ends.items()
    ]
    return sorted(gone, key=lambda death: (-death.at_most_ms, death))


def sentences_of(gone: Sequence[Gone], origin: str | None) -> list[str]:
    """What is known of the first members, one sentence each, and how many more there are."""
    rest = gone[NAMED:]
    more = (
        f"{counted(len(rest), 'more member')} {'was' if len(rest) == 1 else 'were'} gone in the same way: up to"
        f" {partition_seconds(sum(death.at_most_ms for death in rest))} are in doubt because of them"
    )
    return [*(death.sentence(origin) for death in gone[:NAMED]), *([more] if rest else [])]
