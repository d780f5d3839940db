"""Stretches of time as `[from_ms, to_ms]` lists: union, difference, intersection, length."""

from __future__ import annotations

from collections.abc import Iterable

Span = list[int]
Spans = list[Span]


def union(spans: Iterable[Span]) -> Spans:
    """The time in any of them: sorted, without gaps of nothing, without empty ones."""
    joined: Spans = []
    for start, end in sorted(s for s in spans if s[0] < s[1]):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def without(spans: Iterable[Span], taken: Iterable[Span]) -> Spans:
    """The time in `spans` and not in `taken`."""
    left = union(spans)
    for start, end in union(taken):
        left = [piece for a, b in left for piece in ([a, min(b, start)], [max(a, end), b]) if piece[0] < piece[1]]
    return left


def within(spans: Iterable[Span], window: Iterable[Span]) -> Spans:
    """The time in both."""
    spans, window = union(spans), union(window)
    return union([max(a, c), min(b, d)] for a, b in spans for c, d in window)


def twice(spans: Iterable[Span]) -> Spans:
    """The time in at least two of them."""
    edges = sorted((at, step) for start, end in spans if start < end for at, step in ((start, 1), (end, -1)))
    found: Spans = []
    depth, since = 0, 0
    for at, step in edges:
        if depth >= 2:
            found.append([since, at])
        depth, since = depth + step, at
    return union(found)


def length(spans: Iterable[Span]) -> int:
    """Milliseconds in all."""
    return sum(end - start for start, end in spans)


def most_at_once(spans: Iterable[Span]) -> int:
    """How many of them overlap at most."""
    edges = sorted((at, step) for start, end in spans if start < end for at, step in ((start, 1), (end, -1)))
    most = depth = 0
    for _, step in edges:
        depth += step
        most = max(most, depth)
    return most
