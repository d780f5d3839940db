"""The measures of one simulated run by which choices are compared. Smaller is better in all of them. Pure Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label, Where
from groupsim.analysis.tables.lag import Ends, catch_up_rows, partition_lags
from groupsim.analysis.tables.summary import summarise
from groupsim.events.base import Recorded, group_of
from groupsim.events.client import PositionReady
from groupsim.events.group import CommitAccepted
from groupsim.events.world import TopicCreated

AFTER_START = "after_start_ms"
MEASURES = {
    "partition_ms": "unavailable partition-milliseconds",
    AFTER_START: "the same after the group first worked",
    "worst_partition_ms": "unavailable milliseconds of the partition with most of them",
    "outage_ms": "time with at least one partition unavailable",
    "longest_partition_ms": "longest time that one partition was unavailable without a break",
    "max_partitions": "most partitions unavailable at once",
    "after_start_outage_ms": "time with at least one partition unavailable, after the group first worked",
    "after_start_longest_partition_ms": "longest time of one partition, after the group first worked",
    "after_start_max_partitions": "most partitions unavailable at once, after the group first worked",
    "detection_ms": "longest time that a partition's owner was dead (not frozen) and still in the group",
    "rebalances": "rebalances of all groups",
    "reprocessed_records": "records read twice",
    "commits_refused": "refused commits",
    "unsafe_ms": "partition-milliseconds with two owners that both may commit",
    "lag_peak": "most records that the commits of a group were behind at one instant, all partitions together",
    "lag_end": "records that all commits were behind at the end of the run",
    "drain_ms": "longest time from the end of an outage to a commit that leaves a partition no further behind than "
    "before it; to the end of the run if there is none",
}
"""By name: what it is. Lag follows from the rates of the topics and from commits, as monitoring shows it, and counts
from the first position of a partition on. A run without rates has no lag measures."""
_OUTAGES = ("outage_ms", "longest_partition_ms", "max_partitions")
LAG_MEASURES = ("lag_peak", "lag_end", "drain_ms")
PARTITION_TIMES = ("partition_ms", AFTER_START, "unsafe_ms", "rework_ms", "founding_ms", "unpolled_ms")
"""Measures, of recorded incidents too, that add up over partitions; other times are those of a clock."""


def measured(
    facts: Sequence[Recorded], run_intervals: Sequence[Interval] | None = None, numbers: dict[str, Any] | None = None
) -> dict[str, float]:
    """Every measure of a simulated run that has ended.

    `run_intervals`, `numbers`: its intervals and `summarise` of it, where the caller has them already.
    """
    run_intervals = list(intervals(facts)) if run_intervals is None else run_intervals
    numbers = summarise(facts, run_intervals) if numbers is None else numbers
    unavailable, commits = numbers["unavailable"], numbers["commits"]
    by_partition: Counter[Where] = Counter()
    for interval in run_intervals:
        if interval.unavailable:
            by_partition[interval.where] += interval.duration_ms
    dead = (i.duration_ms for i in run_intervals if i.label == Label.OWNER_DEAD)
    return {
        "partition_ms": unavailable["partition_ms"],
        AFTER_START: unavailable["after_start_ms"],
        "worst_partition_ms": max(by_partition.values(), default=0),
        **{name: unavailable[name] for name in _OUTAGES},
        **{f"after_start_{name}": unavailable["after_start"][name] for name in _OUTAGES},
        "detection_ms": max(dead, default=0),
        "rebalances": sum(group["rebalances"] for group in numbers["groups"].values()),
        "reprocessed_records": numbers["reprocessed_records"],
        "commits_refused": commits["refused"],
        "unsafe_ms": commits["unsafe_ms"],
        **_lag(facts, run_intervals),
    }


@dataclass(slots=True)
class _Behind:
    """The lag of a whole group: records per second that its partitions get, and what is committed of them."""

    rate: float = 0.0
    committed: dict[tuple[str, int], int] = field(default_factory=dict)
    total: int = 0
    peak: float = 0.0

    def at(self, at_ms: int) -> float:
        """Records behind, just before what happens at this instant."""
        return max(self.rate * at_ms / 1_000 - self.total, 0.0)

    def reach(self, at_ms: int, where: tuple[str, int], offset: int, rate: float, *, first_only: bool) -> None:
        """A position or a commit; of positions only the first of a partition counts."""
        self.peak = max(self.peak, self.at(at_ms))
        known = self.committed.get(where)
        if known is not None and first_only:
            return
        if known is None:
            self.rate += rate
        self.total += offset - (known or 0)
        self.committed[where] = offset


def _lag(facts: Sequence[Recorded], run_intervals: Iterable[Interval]) -> dict[str, int]:
    """The lag measures. Lag is highest just before a commit, or at the end."""
    rates: dict[str, float] = {}
    groups: dict[str, _Behind] = defaultdict(_Behind)
    for fact in facts:
        event = fact.event
        if isinstance(event, TopicCreated):
            rates[event.topic] = event.rate
        elif isinstance(event, PositionReady | CommitAccepted) and (name := group_of(fact.stream)) is not None:
            first = isinstance(event, PositionReady)
            for topic, partition, offset in event.offsets:
                if offset >= 0:
                    rate = rates.get(topic, 0.0)
                    groups[name].reach(fact.at_ms, (topic, partition), offset, rate, first_only=first)
    if not any(rates.values()):
        return {}
    end_ms = facts[-1].at_ms
    ends = [group.at(end_ms) for group in groups.values()]
    peak = max([*ends, *(group.peak for group in groups.values())], default=0.0)
    rows = catch_up_rows(partition_lags(facts, Ends({}, {})), run_intervals)
    took = (end_ms - row["to_ms"] if row["catch_up_ms"] is None else row["catch_up_ms"] for row in rows)
    return dict(zip(LAG_MEASURES, (int(peak), int(sum(ends)), max(took, default=0)), strict=True))
