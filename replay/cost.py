"""What a record, its replay or a choice cost one group: the same measure for all, in one window.

The measure is `analysis.availability.without_holder`: partition-milliseconds in which no running process held the
partition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import SubLabel
from groupsim.analysis.availability.without_holder import STUCK_MS, Unheld, unheld
from groupsim.events.base import Recorded
from groupsim.events.types import TopicPartition
from groupsim.replay.reconstruct.rebalances import Generation, generations_of
from groupsim.replay.window import Window, rebalanced_ms
from groupsim.storage.log_gaps import EXACT, Precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one run cost one group. `p95_partition_ms`: at most 5 % of its partitions were not held for longer.

    `unknown_ms` is what the logs leave open, part of nothing else. `founding_ms`: partition-milliseconds of start-up,
    before the group first worked; they count in nothing else, either. `cut`: some partition was not held at the end.
    `unfinished`: a simulation ended before all were held again, though members ran: what it cost is a lower bound.
    `bounds_ms`: the least and the most that a record may have cost, where it shows a death only in bounds, or its times
    are not exact (`precision`).
    `unpolled_partition_ms`: held, but only by processes that were stuck in a batch; part of nothing else.
    `worst_partition_ms`: of the partition with most. `outage_ms`: how long at least one was not held;
    `longest_partition_ms`: one without a break. `span_ms`: what was compared, in the run's time.
    """

    rebalances: int
    unavailable_partition_ms: int
    p95_partition_ms: int
    max_partitions: int
    unsafe_ms: int
    unknown_ms: int = 0
    bounds_ms: tuple[int, int] | None = None
    precision: Precision = EXACT
    unpolled_partition_ms: int = 0
    partitions: int = 0
    founding_ms: int = 0
    cut: bool = False
    unfinished: bool = False
    worst_partition_ms: int = 0
    outage_ms: int = 0
    longest_partition_ms: int = 0
    span_ms: tuple[int, int] = (0, 0)

    @property
    def range_ms(self) -> tuple[int, int]:
        """Between what its partition-milliseconds lie, as far as the times of deaths are known."""
        return self.bounds_ms or (self.unavailable_partition_ms, self.unavailable_partition_ms)


def default_window(
    facts: Sequence[Recorded],
    group: str,
    ends_ms: int,
    interval_ms: int,
    since_ms: Mapping[TopicPartition, int] = {},
    worked_ms: int | None = None,
) -> Window:
    """From when a recorded group first worked to the end of the record; from 0 if it never did.

    `worked_ms`: when it was first available (`analysis.availability.start_up`); None: from when it was first held.
    """
    if worked_ms is None:
        worked_ms = unheld(facts, group, ends_ms, since_ms).first_worked_ms or 0
    return Window(min(worked_ms, ends_ms), ends_ms, interval_ms=interval_ms)


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
    worked_ms = found.first_worked_ms if window.given else window.from_ms
    return _cost(facts, group, found, generations, window, 0, end_ms, worked_ms)


def replayed_cost(
    facts: Sequence[Recorded], group: str, window: Window, origin_ms: int, until_ms: int, stuck_ms: int = STUCK_MS
) -> Cost:
    """What a simulation cost. `origin_ms`: the record's time 0 in it; it counts until `until_ms` at most.

    `stuck_ms`: a process is stuck in a batch that takes longer.
    """
    found = unheld(facts, group, until_ms, stuck_ms=stuck_ms)
    worked_ms = found.first_worked_ms
    if worked_ms is not None and worked_ms <= origin_ms:
        worked_ms = None  # before the record begins
    return _cost(facts, group, found, generations_of(facts, group), window, origin_ms, until_ms, worked_ms)


def _ends(found: Unheld, generations: Sequence[Generation], window: Window, origin_ms: int, until_ms: int) -> int:
    """What began in the record counts until all partitions are held again; a group that is gone will not be."""
    end_ms = min(origin_ms + window.to_ms, until_ms)
    if not (window.to_the_end and found.survivors):
        return end_ms
    return min(found.settled_ms(rebalanced_ms(generations, end_ms, window.interval_ms)), until_ms)


def _cost(
    facts: Sequence[Recorded],
    group: str,
    found: Unheld,
    generations: Sequence[Generation],
    window: Window,
    origin_ms: int,
    until_ms: int,
    worked_ms: int | None,
) -> Cost:
    from_ms = origin_ms + window.from_ms
    if worked_ms is not None:
        from_ms = max(from_ms, worked_ms) if window.given or window.no_earlier else worked_ms
    to_ms = max(from_ms, _ends(found, generations, window, origin_ms, until_ms))
    by_partition = found.within(from_ms, to_ms)
    ranked = sorted(by_partition.values())
    outage = found.outage(from_ms, to_ms)
    cut = any(begin < to_ms <= end for gaps in found.gaps.values() for begin, end in gaps)
    return Cost(
        rebalances=sum(
            g.started_ms is not None and g.joined_ms > from_ms and g.started_ms <= to_ms for g in generations
        ),
        unavailable_partition_ms=sum(ranked),
        p95_partition_ms=ranked[math.ceil(0.95 * len(ranked)) - 1] if ranked else 0,
        max_partitions=found.most_at_once(from_ms, to_ms),
        unsafe_ms=_unsafe_ms(facts, group, from_ms, to_ms) if found.doubles else 0,
        unknown_ms=found.unknown_ms(from_ms, to_ms),
        unpolled_partition_ms=found.unpolled_ms(from_ms, to_ms),
        partitions=len(by_partition),
        founding_ms=sum(found.within(0, worked_ms or 0).values()),
        cut=cut,
        unfinished=cut and window.to_the_end and found.survivors and to_ms >= until_ms,
        worst_partition_ms=ranked[-1] if ranked else 0,
        outage_ms=outage.outage_ms,
        longest_partition_ms=outage.longest_partition_ms,
        span_ms=(from_ms, to_ms),
    )


def _unsafe_ms(facts: Sequence[Recorded], group: str, from_ms: int, to_ms: int) -> int:
    """Partition-milliseconds with two owners who may both commit: asked where two held a partition at once."""
    return sum(
        max(0, min(i.to_ms, to_ms) - max(i.from_ms, from_ms))
        for i in intervals(facts, to_ms)
        if i.group == group and i.sub_label == SubLabel.BOTH_ENTITLED
    )
