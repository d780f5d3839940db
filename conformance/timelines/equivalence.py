"""What two runs of one scenario must share: generations, callbacks, unavailable partitions, and how long they were."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from groupsim.conformance.timelines import intervals
from groupsim.conformance.timelines.recorded_form import CALLBACKS, Record, partition_name, process_of

NEAR_SHARE, NEAR_MS = 0.10, 50
BEGUN = ("join_completed", "epoch_bumped", "target_computed")
Generations = tuple[tuple[int, int], ...]
"""`(generation, members)` of every completed join phase; `(epoch, 0)` of every new epoch of a consumer group.

Kafka 4.0 logs no line of an epoch that begins because a member is gone: its target shows it.
"""
Callbacks = tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]
"""Per process the kinds and sets of its callbacks, in order."""


def generations(run: Record) -> Generations:
    """The group's generations, in order."""
    return tuple((b["generation"], b.get("n_members", 0)) for b in begun(run))


def begun(run: Record) -> Iterator[Record]:
    """The first row of every generation or epoch."""
    epoch = None
    for row in run["broker"]:
        if row["kind"] in BEGUN and (row["kind"] == "join_completed" or row["generation"] != epoch):
            epoch = row["generation"]
            yield row


def callbacks(run: Record) -> Callbacks:
    """The rebalance callbacks of every process."""
    by_process: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for event in run["events"]:
        if event["kind"] in CALLBACKS:
            partitions = tuple(map(partition_name, sorted(event.get("partitions", ()))))
            by_process[process_of(event)].append((event["kind"], partitions))
    return tuple((process, tuple(by_process[process])) for process in sorted(by_process))


def unavailable_partitions(run: Record) -> tuple[str, ...]:
    """The partitions that were unavailable in the window."""
    return tuple(sorted(p for p, gaps in run["unavailable"].items() if intervals.length(gaps) > 0))


def partition_unavailable_ms(run: Record, partition: str) -> int:
    """How long one partition was unavailable in the window, in ms."""
    return intervals.length(run["unavailable"].get(partition, []))


def unavailable_ms(run: Record) -> int:
    """Partition-milliseconds in all."""
    return int(run["summary"]["unavailable_partition_ms"])


def near(recorded_ms: float, played_ms: float, partitions: int) -> bool:
    """Whether two medians differ by a tenth of the recorded one at most, or by 50 ms per unavailable partition."""
    return abs(recorded_ms - played_ms) <= max(NEAR_SHARE * recorded_ms, NEAR_MS * partitions)
