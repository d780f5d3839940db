"""Intervals of a recorded run, cut where its logs do not tell: what is in doubt has the label UNKNOWN then."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval, Label, SubLabel
from groupsim.storage.log_gaps import Doubt

_OWN_WORD = frozenset([Label.PAUSED_CALLBACK, Label.RESTORING, Label.PAUSED_APP])
"""Labels that a client's own log proves, whoever else is in the group."""


class DoubtedTime:
    """The doubtful time of each partition, overlaps merged, found by bisection."""

    def __init__(self, uncertain: Sequence[Doubt]) -> None:
        self._of_partition: dict[tuple[str, str, int], list[Doubt]] = defaultdict(list)
        self._of_group: dict[str, list[Doubt]] = defaultdict(list)
        self._merged: dict[tuple[str, str, int, bool], tuple[list[int], list[int]]] = {}
        for doubt in uncertain:
            if doubt.partitions is None:
                self._of_group[doubt.group].append(doubt)
            for topic, number in doubt.partitions or ():
                self._of_partition[doubt.group, topic, number].append(doubt)

    def spans(self, interval: Interval) -> Iterator[tuple[int, int]]:
        """The doubtful parts of an interval, in order."""
        starts, ends = self._of(interval)
        for place in range(max(0, bisect_right(starts, interval.from_ms) - 1), len(starts)):
            if starts[place] >= interval.to_ms:
                break
            begin, end = max(starts[place], interval.from_ms), min(ends[place], interval.to_ms)
            if begin < end:
                yield begin, end

    def within(self, interval: Interval) -> int:
        """How many milliseconds of an interval are doubtful."""
        return sum(end - begin for begin, end in self.spans(interval))

    def _of(self, interval: Interval) -> tuple[list[int], list[int]]:
        own_word = interval.label in _OWN_WORD
        key = (interval.group, interval.topic, interval.partition, own_word)
        if key not in self._merged:
            mine = [*self._of_partition.get(key[:3], ()), *self._of_group.get(interval.group, ())]
            starts: list[int] = []
            ends: list[int] = []
            for from_ms, to_ms in sorted((d.from_ms, d.to_ms) for d in mine if not (own_word and d.own_word)):
                if ends and from_ms <= ends[-1]:
                    ends[-1] = max(ends[-1], to_ms)
                else:
                    starts.append(from_ms)
                    ends.append(to_ms)
            self._merged[key] = starts, ends
        return self._merged[key]


class Doubted(NamedTuple):
    """What decides which time is in doubt: the logs' doubts, and which groups are new in them (None: not known)."""

    time: DoubtedTime
    new_groups: frozenset[str] | None


def cut(intervals: Sequence[Interval], doubted: Doubted) -> Iterator[Interval]:
    """The intervals with all that is in doubt as UNKNOWN, sub-label `in doubt`; all others as they are."""
    partly = {i.group for i in intervals if i.sub_label == SubLabel.COORDINATOR_ONLY}
    for interval in intervals:
        yield from _pieces(interval, doubted, partly)


def _pieces(interval: Interval, doubted: Doubted, partly: set[str]) -> Iterator[Interval]:
    if interval.label == Label.UNKNOWN:
        yield interval
        return
    at = interval.from_ms
    for begin, end in _doubtful(interval, doubted, partly):
        if at < begin:
            yield msgspec.structs.replace(interval, from_ms=at, to_ms=begin)
        yield msgspec.structs.replace(
            interval, label=Label.UNKNOWN, sub_label=SubLabel.IN_DOUBT, from_ms=begin, to_ms=end
        )
        at = end
    if at < interval.to_ms:
        yield interval if at == interval.from_ms else msgspec.structs.replace(interval, from_ms=at)


def _doubtful(interval: Interval, doubted: Doubted, partly: set[str]) -> Iterable[tuple[int, int]]:
    whole = [(interval.from_ms, interval.to_ms)]
    if interval.label == Label.ZOMBIE_ONLY and interval.group in partly:
        return whole  # a member without a log may serve it, too
    known = doubted.new_groups is not None and interval.group not in doubted.new_groups
    if interval.label == Label.UNOWNED and interval.cause == START and known:
        return whole  # whoever had it before the logs begin has written nothing yet
    return doubted.time.spans(interval)
