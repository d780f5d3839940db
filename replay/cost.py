"""What a record, its replay or a choice cost one group: the same measure for all, in one window.

The measure is `analysis.availability.held`: partition-milliseconds in which no running process held the partition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groupsim.analysis.availability.held import Unheld, unheld
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import SubLabel
from groupsim.events.base import Recorded
from groupsim.events.types import TopicPartition
from groupsim.replay.reconstruct.rebalances import Generation, generations_of


@dataclass(frozen=True, slots=True)
class Window:
    """What is compared, in ms of the record; `given`: by the user.

    Else it begins when the group first worked, in each run by itself, and what goes on at its end counts to its end.
    """

    from_ms: int
    to_ms: int
    given: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one run cost one group. `p95_partition_ms`: at most 5 % of its partitions were not held for longer.

    `unknown_ms` is what the logs leave open, part of nothing else. `founding_ms`: partition-milliseconds before the
    group first worked; they count in nothing else, either. `cut`: some partition was not held when the run ended.
    """

    rebalances: int
    unavailable_partition_ms: int
    p95_partition_ms: int
    max_partitions: int
    unsafe_ms: int
    unknown_ms: int = 0
    partitions: int = 0
    founding_ms: int = 0
    cut: bool = False


def default_window(
    facts: Sequence[Recorded], group: str, ends_ms: int, since_ms: Mapping[TopicPartition, int] = {}
) -> Window:
    """From when a recorded group first worked to the end of the record; from 0 if it never did."""
    return Window(unheld(facts, group, ends_ms, since_ms).first_worked_ms or 0, ends_ms)


def recorded_cost(
    facts: Sequence[Recorded],
    group: str,
    window: Window,
    generations: Sequence[Generation],
    since_ms: Mapping[TopicPartition, int] = {},
) -> Cost:
    """What the record shows. `since_ms`: from when partitions exist that came later."""
    end_ms = max(window.to_ms, facts[-1].at_ms if facts else 0)
    found = unheld(facts, group, end_ms, since_ms)
    return _cost(facts, group, found, generations, _begins(found, window, 0), min(window.to_ms, end_ms))


def replayed_cost(facts: Sequence[Recorded], group: str, window: Window, origin_ms: int, until_ms: int) -> Cost:
    """What a simulation cost. `origin_ms`: the record's time 0 in it; it counts until `until_ms` at most."""
    found = unheld(facts, group, until_ms)
    end_ms = min(origin_ms + window.to_ms, until_ms)
    if not window.given and found.survivors:  # a group whose members are all gone will not be served again
        end_ms = found.settled_ms(end_ms)
    return _cost(facts, group, found, generations_of(facts, group), _begins(found, window, origin_ms), end_ms)


def _begins(found: Unheld, window: Window, origin_ms: int) -> int:
    """Never before the group first worked; a group that did so before the record begins has no founding in it."""
    begins, worked = origin_ms + window.from_ms, found.first_worked_ms
    if worked is None or worked <= origin_ms:
        return begins
    return max(begins, worked) if window.given else worked


def _cost(
    facts: Sequence[Recorded],
    group: str,
    found: Unheld,
    generations: Sequence[Generation],
    from_ms: int,
    to_ms: int,
) -> Cost:
    by_partition = found.within(from_ms, to_ms)
    ranked = sorted(by_partition.values())
    return Cost(
        rebalances=sum(
            g.started_ms is not None and g.joined_ms > from_ms and g.started_ms <= to_ms for g in generations
        ),
        unavailable_partition_ms=sum(ranked),
        p95_partition_ms=ranked[math.ceil(0.95 * len(ranked)) - 1] if ranked else 0,
        max_partitions=found.most_at_once(from_ms, to_ms),
        unsafe_ms=_unsafe_ms(facts, group, from_ms, to_ms) if found.doubles else 0,
        unknown_ms=found.unknown_ms(from_ms, to_ms),
        partitions=len(by_partition),
        founding_ms=sum(found.within(0, found.first_worked_ms or 0).values()),
        cut=any(begin < to_ms <= end for gaps in found.gaps.values() for begin, end in gaps),
    )


def _unsafe_ms(facts: Sequence[Recorded], group: str, from_ms: int, to_ms: int) -> int:
    """Partition-milliseconds with two owners who may both commit: asked where two held a partition at once."""
    return sum(
        max(0, min(i.to_ms, to_ms) - max(i.from_ms, from_ms))
        for i in intervals(facts, to_ms)
        if i.group == group and i.sub_label == SubLabel.BOTH_ENTITLED
    )
