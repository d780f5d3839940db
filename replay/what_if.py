"""`compare_choices`: the unavailable time of an incident as recorded and with each choice, over many seeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import msgspec

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, SubLabel
from groupsim.analysis.tables.summary import unavailable
from groupsim.events.base import Recorded
from groupsim.replay.fidelity import generations_within
from groupsim.replay.player import AS_RECORDED, GROUP, Choice, ReplayedRun

Player = Callable[[Choice, int], ReplayedRun]
"""Replays one choice with one seed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run cost one group. `p95_partition_ms`: at most 5 % of its partitions were unavailable for longer."""

    rebalances: int
    unavailable_partition_ms: int
    p95_partition_ms: int
    max_partitions: int
    unsafe_ms: int
    unknown_ms: int = 0
    partitions: int = 0


@dataclass(frozen=True, slots=True)
class Range:
    """Median, least and most over the seeds."""

    median: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class ChoiceResult:
    """A choice over all seeds.

    `versus_recorded`: its median unavailable time divided by that of the incident replayed as recorded (None: that was
    0). `failures`: why runs could not be replayed to their end.
    """

    choice: str
    rebalances: Range
    unavailable_partition_ms: Range
    p95_partition_ms: Range
    max_partitions: Range
    unsafe_ms: Range
    versus_recorded: float | None
    failures: tuple[str, ...] = ()

    def row(self) -> dict[str, object]:
        """The row that `incident whatif` prints: medians, and the ranges of the seeds."""
        shown: dict[str, object] = {"choice": self.choice}
        for name in MEASURES:
            shown[name] = getattr(self, name).median
        shown["versus_recorded"] = self.versus_recorded
        shown["ranges"] = {name: [getattr(self, name).least, getattr(self, name).most] for name in MEASURES}
        return shown


MEASURES = ("rebalances", "unavailable_partition_ms", "p95_partition_ms", "max_partitions", "unsafe_ms")


def compare_choices(
    replay: Player,
    choices: Sequence[Choice],
    seeds: range,
    group: str = GROUP,
    progress: Callable[[float], None] = lambda _: None,
) -> list[ChoiceResult]:
    """The incident as recorded, then with each choice, each with every seed; in this order."""
    everything = [AS_RECORDED, *choices]
    found: list[ChoiceResult] = []
    for number, choice in enumerate(everything):
        costs: list[Cost] = []
        failures: dict[str, None] = {}
        for done, seed in enumerate(seeds, start=1):
            run = replay(choice, seed)
            costs.append(cost(run.facts, group, run.from_ms, run.to_ms, len(generations_within(run, group))))
            if run.failure:
                failures.setdefault(run.failure)
            progress((number + done / len(seeds)) / len(everything))
        baseline = found[0].unavailable_partition_ms.median if found else None
        found.append(_result(choice.name, costs, baseline, tuple(failures)))
    return found


def _result(name: str, costs: Sequence[Cost], baseline: int | None, failures: tuple[str, ...]) -> ChoiceResult:
    ranges = {measure: _range([getattr(each, measure) for each in costs]) for measure in MEASURES}
    own = ranges["unavailable_partition_ms"].median
    base = own if baseline is None else baseline
    versus = round(own / base, 4) if base else None
    return ChoiceResult(choice=name, versus_recorded=versus, failures=failures, **ranges)


def _range(values: Sequence[int]) -> Range:
    return Range(round(median(values)), min(values), max(values))


def cost(facts: Sequence[Recorded], group: str, from_ms: int, to_ms: int, rebalances: int) -> Cost:
    """What a run cost one group between two instants."""
    own = [_cut(interval, from_ms, to_ms) for interval in intervals(facts, to_ms) if interval.group == group]
    own = [interval for interval in own if interval.duration_ms > 0]
    totals = unavailable(own)
    by_partition: Counter[tuple[str, int]] = Counter({(i.topic, i.partition): 0 for i in own})
    for i in own:
        by_partition[i.topic, i.partition] += i.duration_ms if i.unavailable else 0
    ranked = sorted(by_partition.values())
    return Cost(
        rebalances=rebalances,
        unavailable_partition_ms=totals["partition_ms"],
        p95_partition_ms=ranked[math.ceil(0.95 * len(ranked)) - 1] if ranked else 0,
        max_partitions=totals["max_partitions"],
        unsafe_ms=sum(i.duration_ms for i in own if i.sub_label == SubLabel.BOTH_ENTITLED),
        unknown_ms=totals["unknown_ms"],
        partitions=len(by_partition),
    )


def _cut(interval: Interval, from_ms: int, to_ms: int) -> Interval:
    return msgspec.structs.replace(
        interval, from_ms=min(max(interval.from_ms, from_ms), to_ms), to_ms=max(min(interval.to_ms, to_ms), from_ms)
    )
