"""Intervals of time as `[from_ms, to_ms]` lists: union, difference, intersection, length."""

from __future__ import annotations

from collections.abc import Iterable

Interval = list[int]
Intervals = list[Interval]


def union(intervals: Iterable[Interval]) -> Intervals:
    """The time in any of them: sorted, adjacent ones joined, empty ones left out."""
    joined: Intervals = []
    for start, end in sorted(s for s in intervals if s[0] < s[1]):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def without(intervals: Iterable[Interval], taken: Iterable[Interval]) -> Intervals:
    """The time in `intervals` and not in `taken`."""
    left = union(intervals)
    for start, end in union(taken):
        left = [piece for a, b in left for piece in ([a, min(b, start)], [max(a, end), b]) if piece[0] < piece[1]]
    return left


def within(intervals: Iterable[Interval], window: Iterable[Interval]) -> Intervals:
    """The time in both."""
    intervals, window = union(intervals), union(window)
    return union([max(a, c), min(b, d)] for a, b in intervals for c, d in window)


def twice(intervals: Iterable[Interval]) -> Intervals:
    """The time in at least two of them."""
    edges = sorted((at, step) for start, end in intervals if start < end for at, step in ((start, 1), (end, -1)))
    doubled: Intervals = []
    depth, since = 0, 0
    for at, step in edges:
        if depth >= 2:
            doubled.append([since, at])
        depth, since = depth + step, at
    return union(doubled)


def length(intervals: Iterable[Interval]) -> int:
    """Milliseconds in all."""
    return sum(end - start for start, end in intervals)


def most_at_once(intervals: Iterable[Interval]) -> int:
    """How many of them overlap at most."""
    edges = sorted((at, step) for start, end in intervals if start < end for at, step in ((start, 1), (end, -1)))
    most = depth = 0
    for _, step in edges:
        depth += step
        most = max(most, depth)
    return most
