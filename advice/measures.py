"""The measures of one run that an advice can minimise or hold below a bound. Smaller is better in all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.tables.summary import summarise
from groupsim.events.base import Recorded

MEASURES = {
    "partition_ms": "unavailable partition-milliseconds",
    "after_start_ms": "the same without the group's initial start-up",
    "worst_partition_ms": "unavailable milliseconds of the partition with most of them",
    "max_partitions": "most partitions unavailable at once",
    "detection_ms": "longest time that a partition's owner was dead and still in the group",
    "rebalances": "rebalances of all groups",
    "reprocessed_records": "records read twice",
    "commits_refused": "refused commits",
    "unsafe_ms": "partition-milliseconds with two owners that both may commit",
}
"""By name: what it is."""


def measured(facts: Sequence[Recorded]) -> dict[str, float]:
    """Every measure of a simulated run that has ended."""
    found = list(intervals(facts))
    numbers = summarise(facts, found)
    unavailable, commits = numbers["unavailable"], numbers["commits"]
    by_partition: Counter[tuple[str, str, int]] = Counter()
    for interval in found:
        if interval.unavailable:
            by_partition[interval.group, interval.topic, interval.partition] += interval.duration_ms
    starting = sum(i.duration_ms for i in found if i.unavailable and i.cause == START)
    dead = (i.duration_ms for i in found if i.label == Label.OWNER_DEAD)
    return {
        "partition_ms": unavailable["partition_ms"],
        "after_start_ms": unavailable["partition_ms"] - starting,
        "worst_partition_ms": max(by_partition.values(), default=0),
        "max_partitions": unavailable["max_partitions"],
        "detection_ms": max(dead, default=0),
        "rebalances": sum(group["rebalances"] for group in numbers["groups"].values()),
        "reprocessed_records": numbers["reprocessed_records"],
        "commits_refused": commits["refused"],
        "unsafe_ms": commits["unsafe_ms"],
    }
