"""Intervals joined, parts of a time chosen, and sums over rows. Pure Python; milliseconds and partitions."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.periods import Period
from groupsim.analysis.tables.columns import value_of
from groupsim.analysis.timelines.rebalance import Rebalance

_Row = TypeVar("_Row")
SUMS = ("partition_ms", "intervals", "partitions", "longest_ms")


def joined(intervals: Iterable[Interval], *names: str) -> Iterator[Interval]:
    """A partition's intervals that touch and agree in these fields are one."""
    same = attrgetter("group", "topic", "partition", *names)
    last: Interval | None = None
    for interval in intervals:
        if last is not None and last.to_ms == interval.from_ms and same(last) == same(interval):
            last = msgspec.structs.replace(last, to_ms=interval.to_ms)
            continue
        if last is not None:
            yield last
        last = interval
    if last is not None:
        yield last


def unavailable(intervals: Iterable[Interval]) -> Iterator[Interval]:
    """The rows of `UNAVAILABLE`: neighbours that differ in sub-label or member only are one."""
    return joined((each for each in intervals if each.unavailable), "label", "cause")


def at_some_time(rows: Iterable[_Row], period: Period | None, begin: str, end: str | None = None) -> Iterator[_Row]:
    """The rows that lie in a period at some time, whole. `begin`, `end`: their columns of times; without `end` they are
    moments. What has no beginning was there before, what has no end goes on."""
    for row in rows:
        if period is None or _touches(row, period, begin, end):
            yield row


def _touches(row: object, period: Period, begin: str, end: str | None) -> bool:
    began = value_of(row, begin)
    if began is not None and began >= period[1]:
        return False
    if began is not None and began >= period[0]:
        return True
    ended = began if end is None else value_of(row, end)
    return ended is None or ended > period[0]


def sums(rows: Iterable[Mapping[str, Any]], *columns: str) -> list[dict[str, Any]]:
    """Unavailable time per value of these columns: with `SUMS`.

    Largest first; equals in the order of the columns' values, what is missing last.
    """
    parts = defaultdict[tuple[Any, ...], list[Mapping[str, Any]]](list)
    for row in rows:
        parts[tuple(row[name] for name in columns)].append(row)
    found = []
    for key, part in parts.items():
        lengths, places = [row["duration_ms"] for row in part], {(row["topic"], row["partition"]) for row in part}
        values = (sum(lengths), len(part), len(places), max(lengths))
        found.append(dict(zip((*columns, *SUMS), (*key, *values), strict=True)))
    return sorted(found, key=lambda row: (-row["partition_ms"], *((row[c] is None, row[c]) for c in columns)))


def with_rebalance(rows: Iterable[Mapping[str, Any]], rebalances: Sequence[Rebalance]) -> Iterator[dict[str, Any]]:
    """Each row with the `generation` and `started_ms` of the last rebalance of its group begun by its end.

    So the time of a dead owner counts with the rebalance that ended it. None where no rebalance had begun.
    """
    begun = defaultdict[str, list[Rebalance]](list)
    for rebalance in sorted(rebalances, key=attrgetter("started_ms")):
        begun[rebalance.group].append(rebalance)
    for row in rows:
        place = bisect_right(begun[row["group"]], row["to_ms"], key=attrgetter("started_ms"))
        last = begun[row["group"]][place - 1] if place else None
        yield {**row, "generation": last and last.generation, "started_ms": last and last.started_ms}
