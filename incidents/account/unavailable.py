"""How many partitions of a group were unavailable when, at least and at most: the account as counts over time.

What is left out of the lower count: the time before a line names a partition, and before it is possibly available for
the first time: it may not have existed, and nobody may have wanted it. What the upper count adds: callbacks, and the time until an application knew
where to start reading, as far as lines show them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from groupsim.events.types import TopicPartition
from groupsim.incidents.account.evidence import shows_callback_over
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.incarnation import Incarnation
from groupsim.incidents.account.spans import INF, Span, Spans, both, union, without
from groupsim.incidents.logs.row_kinds import RowKind

_GIVES_UP = frozenset([RowKind.REVOKED, RowKind.LOST])
_CALLBACKS = _GIVES_UP | {RowKind.ASSIGNED}

Counts = Sequence[tuple[int, int]]
"""From each instant (UTC ms, ascending) on so many partitions; 0 before the first."""


class Unavailable(NamedTuple):
    """Of one group. `most`: None where there may be partitions that no line names."""

    least: Counts
    most: Counts | None


def unavailable(
    account: Account,
    within: Span,
    *,
    partitions: int = 0,
    are_all: bool = False,
    stands_for: Mapping[TopicPartition, int] | None = None,
    broker_ends: int = INF,
) -> Unavailable:
    """In a span of time (UTC ms).

    `partitions`: so many there are at least, and `are_all`: there are no more; else there are no more if the account is
    whole. `stands_for`: for how many partitions one of the account stands, if for several. `broker_ends`: when the
    broker's logs end; whether a process is still a member afterwards, only a later line of its own shows.
    """
    stands_for = stands_for or {}
    paused_in = {
        own.name: union(paused(own), [(max(broker_ends, own.last.lo), INF)] if account.broker else [])
        for own in account.incarnations
    }
    least, most = _Count(within), _Count(within)
    named = 0
    for partition in account.named:
        many = stands_for.get(partition, 1)
        named += many
        possibly = account.possibly_available(partition)
        if possibly:
            since = max(possibly[0][0], account.first_named.get(partition, INF))
            least.add(many, without([(since, INF)], possibly))
        most.add(many, without([within], surely_served(account, partition, paused_in)))
    if not (are_all or account.whole):
        return Unavailable(least.steps(), None)
    most.add(max(0, partitions - named), [within])
    return Unavailable(least.steps(), most.steps())


def surely_served(account: Account, partition: TopicPartition, paused_in: Mapping[str, Spans]) -> Spans:
    """When a process surely runs, holds the partition, is entitled to it, and is in no callback that lines show."""
    return union(
        *(without(served, paused_in[own.name]) for own, served in account.surely_by_process(partition) if served)
    )


def paused(own: Incarnation) -> Spans:
    """When a process was, or may have been, in a callback, or did not know yet where to start.

    A callback that gives partitions up ends before the next line that shows it over. One that takes them counts as over
    at once, unless a line on an offset follows: that is written after it.
    """
    found: list[Span] = []
    callback = None
    for said in own.said:
        kind = said.row.kind
        if callback is not None:
            over = shows_callback_over(said.row, callback.row)
            if callback.row.kind == RowKind.ASSIGNED:
                if kind in (RowKind.CLIENT_POSITION, RowKind.CLIENT_NO_OFFSET):
                    found.append((callback.when.lo, said.when.hi))
                    over = True
            elif over:
                found.append((callback.when.lo, said.when.hi))
            callback = None if over else callback
        if callback is None and kind in _CALLBACKS:
            callback = said
    if callback is not None and callback.row.kind in _GIVES_UP:
        found.append((callback.when.lo, INF))
    return union(found)


class _Count:
    """Adds up spans of partitions."""

    def __init__(self, within: Span) -> None:
        self._within: Spans = [within]
        self._steps: defaultdict[int, int] = defaultdict(int)

    def add(self, partitions: int, spans: Spans) -> None:
        for since, until in both(spans, self._within):
            self._steps[since] += partitions
            self._steps[until] -= partitions

    def steps(self) -> Counts:
        found: list[tuple[int, int]] = []
        count = 0
        for at, step in sorted(self._steps.items()):
            if step:
                count += step
                found.append((at, count))
        return found


def total(counts: Counts, since: int, until: int) -> int:
    """Partition-milliseconds between two instants."""
    place = max(0, bisect_right(counts, since, key=lambda step: step[0]) - 1)
    spans = pairwise([*counts[place:], (INF, 0)])
    return sum(count * max(0, min(until, end) - max(since, at)) for (at, count), (end, _) in spans)
