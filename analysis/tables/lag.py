"""How far a group's commits are behind the ends of its partitions, and when it had caught up after an outage.

Where a partition ends is given, or follows from a rate, or is estimated from the commits themselves: pure Python.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from groupsim.analysis.availability.labels import Interval
from groupsim.events.base import Recorded, group_of
from groupsim.events.group import CommitAccepted
from groupsim.events.types import TopicPartition
from groupsim.events.world import TopicCreated

BEHIND = {
    "at_ms": "int64",
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "committed": "Int64",
    "end": "Int64",
    "lag": "Int64",
    "end_is": "string",
}
"""One row a partition and instant, some six hundred instants. `committed`: the offset committed last; `end_offset`:
that of the next record; `end_offset_is`: `given`, by the topic's `rate`, or `estimated` from the commits, as it is of
recorded runs. `lag`: the one less the other."""
LAG_COLUMNS = tuple(BEHIND)
CATCH_UP_COLUMNS = (
    "group",
    "topic",
    "partition",
    "from_ms",
    "to_ms",
    "lag_before",
    "highest_lag",
    "caught_up_ms",
    "catch_up_ms",
    "catch_up_at_least_ms",
)
"""One row a time in which a partition was unavailable. `lag_before`: right after the last commit before it;
missing where no end of the partition is known, or one lower than the commit. `catch_up_ms`: from its end to the first
commit that leaves no more lag than that; missing if there is none. The commit before that was still behind,
`catch_up_at_least_ms` after its end: in between it caught up."""
Level = tuple[int, int]
"""An instant, milliseconds of the run, and an offset."""
Row = dict[str, Any]


class Ends(NamedTuple):
    """What is known of where partitions end: offsets at instants, and records per second by topic."""

    given: Mapping[TopicPartition, Sequence[Level]]
    rates: Mapping[str, float]


class PartitionLag:
    """Commits of one partition, and where it ended. `rate`: records per second, as given or the commits' mean."""

    def __init__(self, commits: Sequence[Level], given: Sequence[Level], rate: float | None, simulated: bool) -> None:
        self.commits = commits
        self._times = [at for at, _ in commits]
        slope = rate / 1_000 if rate is not None else _slope(commits)
        self.rate = slope * 1_000
        self.end_is = "given" if given else "estimated" if rate is None else "rate"
        self._end: Callable[[int], float] = _line(_start(commits, slope, simulated), slope)
        if given:
            self._end = _through(sorted(given), slope)

    @property
    def times(self) -> Sequence[int]:
        """When it was committed."""
        return self._times

    def end(self, at_ms: int) -> int:
        """The offset of the next record, rounded down; where nothing shows it (`ends_known`), that committed last."""
        return int(self._end(at_ms) + 1e-6)

    @property
    def ends_known(self) -> bool:
        """Whether ends are given, or there is a rate: given, or that of commits at several instants."""
        return self.end_is != "estimated" or self._times[0] < self._times[-1]

    def committed(self, at_ms: int) -> int | None:
        """The offset committed last up to an instant."""
        place = bisect_right(self._times, at_ms)
        return self.commits[place - 1][1] if place else None

    def lag(self, at_ms: int) -> int | None:
        """End less committed; None while nothing is committed, and where no end is known, or a given one is too low."""
        done = self.committed(at_ms)
        if done is None or not self.ends_known:
            return None
        behind = self.end(at_ms) - done
        return None if behind < 0 and self.end_is == "given" else max(0, behind)

    def caught_up(self, after_ms: int, lag: int) -> int | None:
        """The first commit after an instant that leaves no more lag than this."""
        later = self.commits[bisect_right(self._times, after_ms) :]
        return next((at for at, offset in later if self.end(at) - offset <= lag), None)

    def behind_at(self, after_ms: int, caught_ms: int | None) -> int:
        """The last commit after an instant that was still behind: before `caught_ms`; the instant if there is none."""
        place = len(self._times) if caught_ms is None else bisect_left(self._times, caught_ms)
        return max(after_ms, self._times[place - 1]) if place else after_ms

    def highest(self, from_ms: int, to_ms: int) -> int | None:
        """The highest lag in a period: it is highest just before a commit, or at the end."""
        inside = [at - 1 for at in self._times if from_ms < at <= to_ms]
        lags = [lag for at in (*inside, to_ms) if (lag := self.lag(at)) is not None]
        return max(lags, default=None)


def partition_lags(facts: Iterable[Recorded], ends: Ends) -> dict[tuple[str, TopicPartition], PartitionLag]:
    """The lag of each partition of each group that commits, sorted."""
    commits: dict[tuple[str, TopicPartition], list[Level]] = defaultdict(list)
    simulated: dict[str, float] = {}
    for fact in facts:
        if isinstance(fact.event, TopicCreated) and fact.event.rate:
            simulated[fact.event.topic] = fact.event.rate
        elif isinstance(fact.event, CommitAccepted) and (group := group_of(fact.stream)) is not None:
            for topic, partition, offset in fact.event.offsets:
                commits[group, TopicPartition(topic, partition)].append((fact.at_ms, offset))
    return {
        key: PartitionLag(
            commits[key],
            ends.given.get(key[1], ()),
            ends.rates.get(key[1].topic, simulated.get(key[1].topic)),
            key[1].topic in simulated and key[1].topic not in ends.rates,
        )
        for key in sorted(commits)
    }


def lag_rows(lags: Mapping[tuple[str, TopicPartition], PartitionLag], every_ms: int, end_ms: int) -> Iterator[Row]:
    """Rows of LAG_COLUMNS, one a partition every `every_ms` milliseconds of the run."""
    for at_ms in range(0, end_ms + 1, every_ms):
        for (group, partition), lag in lags.items():
            end = lag.end(at_ms) if lag.ends_known else None
            values = (lag.committed(at_ms), end, lag.lag(at_ms), lag.end_is)
            yield dict(zip(LAG_COLUMNS, (at_ms, group, *partition, *values), strict=True))


def catch_up_rows(
    lags: Mapping[tuple[str, TopicPartition], PartitionLag], intervals: Iterable[Interval]
) -> Iterator[Row]:
    """Rows of CATCH_UP_COLUMNS, of the partitions that have commits before and after."""
    for group, partition, from_ms, to_ms in _outages(intervals):
        lag = lags.get((group, partition))
        last = None if lag is None else lag.committed(from_ms)
        if lag is None or last is None:
            continue
        before_ms = max(at for at, _ in lag.commits if at <= from_ms)
        before = lag.lag(before_ms)
        caught = None if before is None else lag.caught_up(to_ms, before)
        until = to_ms if caught is None else caught
        took = None if caught is None else caught - to_ms
        least = None if before is None else lag.behind_at(to_ms, caught) - to_ms
        values = (from_ms, to_ms, before, lag.highest(before_ms, until), caught, took, least)
        yield dict(zip(CATCH_UP_COLUMNS, (group, *partition, *values), strict=True))


def _outages(intervals: Iterable[Interval]) -> Iterator[tuple[str, TopicPartition, int, int]]:
    """The times in which each partition was unavailable; causes that follow each other are one time."""
    last: tuple[str, TopicPartition, int, int] | None = None
    for interval in intervals:
        if not interval.unavailable:
            continue
        where = (interval.group, TopicPartition(interval.topic, interval.partition))
        if last is not None and last[:2] == where and last[3] == interval.from_ms:
            last = (*where, last[2], interval.to_ms)
            continue
        if last is not None:
            yield last
        last = (*where, interval.from_ms, interval.to_ms)
    if last is not None:
        yield last


def _slope(commits: Sequence[Level]) -> float:
    """Offsets per millisecond from the first commit to the last; 0 if there is no time between."""
    (begin, first), (end, last) = commits[0], commits[-1]
    return max(0.0, (last - first) / (end - begin)) if end > begin else 0.0


def _start(commits: Sequence[Level], slope: float, simulated: bool) -> Level:
    """A point of the end's line: the commit that was least behind; a simulated topic begins with offset 0."""
    return (0, 0) if simulated else max(commits, key=lambda level: level[1] - slope * level[0])


def _line(point: Level, slope: float) -> Callable[[int], float]:
    return lambda at_ms: point[1] + slope * (at_ms - point[0])


def _through(given: Sequence[Level], slope: float) -> Callable[[int], float]:
    """Straight between the given offsets; before and behind them by the slope."""
    times = [at for at, _ in given]

    def end(at_ms: int) -> float:
        place = bisect_right(times, at_ms)
        if not 0 < place < len(given):
            return _line(given[max(0, place - 1)], slope)(at_ms)
        (begin, low), (later, high) = given[place - 1], given[place]
        return low + (high - low) * (at_ms - begin) / (later - begin)

    return end


_NAMED = 3
Lags = Mapping[tuple[str, TopicPartition], PartitionLag]


def resolution_note(lags: Lags) -> str:
    """How exactly commits show when a partition had caught up."""
    gaps = [later - earlier for lag in lags.values() for earlier, later in pairwise(lag.times) if later > earlier]
    apart = f"; here they are {median(gaps):,.0f} ms apart (median)" if gaps else ""
    return (
        "only commits show how far a member was, so when it had caught up is known in bounds: not before"
        f" catch_up_at_least_ms, and at the latest after catch_up_ms{apart}"
    )


def end_notes(lags: Lags, given: Mapping[TopicPartition, Sequence[Level]], file: str | None) -> list[str]:
    """Sentences on ends that are estimated, that are lower than what was committed, and that belong to no partition."""
    estimated = [str(partition) for (_, partition), lag in lags.items() if lag.end_is == "estimated"]
    notes = []
    if estimated and file is None:
        notes.append("ends are estimated from the commits; --ends FILE or --rate TOPIC=NUMBER makes them known")
    elif estimated:
        notes.append(
            f"{file} has no end of {len(estimated)} of {len(lags)} partitions ({_named(estimated)}); theirs are"
            " estimated from the commits"
        )
    low = [
        f"{partition} ends at {offset:,} at {at_ms:,} ms, and {done:,} was committed by then"
        for (_, partition), lag in lags.items()
        for at_ms, offset in given.get(partition, ())
        if (done := lag.committed(at_ms)) is not None and done > offset
    ]
    if low:
        notes.append(
            f"{len(low)} of the ends given {'is' if len(low) == 1 else 'are'} lower than what was committed, which"
            f" can't be, and the lag is not known there: {_named(low)}; are they of this cluster, and of these times?"
        )
    committed = {partition for _, partition in lags}
    if strange := [str(partition) for partition in sorted(given) if partition not in committed]:
        notes.append(
            f"{file} has ends of partitions without a commit, {len(strange)} of them, not used: {_named(strange)}"
        )
    return notes


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
