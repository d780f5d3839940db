"""Stretches of time as sorted pairs (from, to), `to` not included: union, intersection, difference, length."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter

Span = tuple[int, int]
Spans = Sequence[Span]
"""Sorted, not empty, and apart: UTC milliseconds, or places in one file where it has no times."""

INF = 1 << 60
"""Later than everything; `-INF` is earlier."""
EVER: Spans = ((-INF, INF),)


def union(*many: Iterable[Span]) -> list[Span]:
    """What is in any of them; the input need not be sorted."""
    found: list[Span] = []
    for begin, end in sorted(span for spans in many for span in spans if span[0] < span[1]):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


def both(one: Spans, other: Spans) -> list[Span]:
    """What is in both."""
    found: list[Span] = []
    i = j = 0
    while i < len(one) and j < len(other):
        begin, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if begin < end:
            found.append((begin, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return found


def touching(spans: Spans, begin: int, end: int) -> Spans:
    """Those that have a part of a period."""
    return spans[bisect_right(spans, begin, key=itemgetter(1)) : bisect_left(spans, end, key=itemgetter(0))]


def without(spans: Spans, taken: Spans) -> list[Span]:
    """What is in the first and not in the second."""
    if not taken:
        return list(spans)
    edges = [-INF, *(edge for span in taken for edge in span), INF]
    gaps = [(edges[i], edges[i + 1]) for i in range(0, len(edges), 2) if edges[i] < edges[i + 1]]
    return both(spans, gaps)


def length(spans: Spans, begin: int, end: int) -> int:
    """How long they are inside a period."""
    return sum(max(0, min(to, end) - max(since, begin)) for since, to in spans)
