"""A group's start-up: what it waits for before it works for the first time, apart from what happens to it later.

A group first worked when each partition that it began with had been available once. Partitions that come later, by
growth of a topic or with another topic, are no start-up. The start-up of a group that never worked is what nothing but
its start explains: its time with the cause `start`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval


def first_worked_ms(intervals: Iterable[Interval]) -> dict[str, int]:
    """By group, when it first worked, ms of the run; groups that never did are left out."""
    begins: dict[str, dict[tuple[str, int], int]] = {}
    first: dict[str, dict[tuple[str, int], int]] = {}
    for i in intervals:
        partition = i.topic, i.partition
        counted = begins.setdefault(i.group, {})
        counted[partition] = min(i.from_ms, counted.get(partition, i.from_ms))
        if i.available:
            served = first.setdefault(i.group, {})
            served[partition] = min(i.from_ms, served.get(partition, i.from_ms))
    worked: dict[str, int] = {}
    for group, counted in begins.items():
        begin, served = min(counted.values()), first.get(group, {})
        founders = [partition for partition, from_ms in counted.items() if from_ms == begin]
        if all(partition in served for partition in founders):
            worked[group] = max(served[partition] for partition in founders)
    return worked


def after_start(intervals: Sequence[Interval]) -> Iterator[Interval]:
    """The intervals, and parts of intervals, that are no start-up, in order."""
    worked = first_worked_ms(intervals)
    for i in intervals:
        begin = worked.get(i.group)
        if begin is None:
            if i.cause != START:
                yield i
        elif i.from_ms >= begin:
            yield i
        elif i.to_ms > begin:
            yield msgspec.structs.replace(i, from_ms=begin)


def starting_ms(intervals: Sequence[Interval]) -> dict[str, int]:
    """By group that has worked: its unavailable partition-milliseconds before that."""
    worked = first_worked_ms(intervals)
    sums = dict.fromkeys(worked, 0)
    for i in intervals:
        if i.unavailable and i.group in worked and i.from_ms < worked[i.group]:
            sums[i.group] += min(i.to_ms, worked[i.group]) - i.from_ms
    return sums
