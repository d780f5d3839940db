"""What a group would have cost otherwise: choices beside the record, over many seeds, in the contract's rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import msgspec

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import BOTH_ENTITLED, Interval
from groupsim.analysis.tables.summary import unavailable
from groupsim.events.base import Recorded
from groupsim.replay.fidelity import within
from groupsim.replay.player import AS_RECORDED, GROUP, Choice, Played

Player = Callable[[Choice, int], Played]
"""One choice under one seed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run cost one group. `p95_partition_ms`: 5 % of its partitions at most were unavailable for longer."""

    rebalances: int
    unavailable_partition_ms: int
    p95_partition_ms: int
    max_partitions: int
    unsafe_ms: int
    unknown_ms: int = 0
    partitions: int = 0


@dataclass(frozen=True, slots=True)
class Range:
    """Over the seeds."""

    median: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """A choice over all seeds. `versus_recorded`: its median unavailable time divided by that of the same story as
    recorded (None: that was 0). `failures`: the sentences of runs that could not be played to their end."""

    choice: str
    rebalances: Range
    unavailable_partition_ms: Range
    p95_partition_ms: Range
    max_partitions: Range
    unsafe_ms: Range
    versus_recorded: float | None
    failures: tuple[str, ...] = ()

    def row(self) -> dict[str, object]:
        """The row of the contract, each figure a median, with the ranges beside it."""
        shown: dict[str, object] = {"choice": self.choice}
        for name in MEASURES:
            shown[name] = getattr(self, name).median
        shown["versus_recorded"] = self.versus_recorded
        shown["ranges"] = {name: [getattr(self, name).least, getattr(self, name).most] for name in MEASURES}
        return shown


MEASURES = ("rebalances", "unavailable_partition_ms", "p95_partition_ms", "max_partitions", "unsafe_ms")


def compare(
    play: Player,
    choices: Sequence[Choice],
    seeds: range,
    group: str = GROUP,
    progress: Callable[[float], None] = lambda _: None,
) -> list[Verdict]:
    """The story as recorded, then with each choice, under every seed; in this order."""
    everything = [AS_RECORDED, *choices]
    found: list[Verdict] = []
    for number, choice in enumerate(everything):
        costs: list[Cost] = []
        failures: dict[str, None] = {}
        for done, seed in enumerate(seeds, start=1):
            run = play(choice, seed)
            costs.append(cost(run.facts, group, run.from_ms, run.to_ms, len(within(run, group))))
            if run.failure:
                failures.setdefault(run.failure)
            progress((number + done / len(seeds)) / len(everything))
        before = found[0].unavailable_partition_ms.median if found else None
        found.append(_verdict(choice.name, costs, before, tuple(failures)))
    return found


def _verdict(name: str, costs: Sequence[Cost], before: int | None, failures: tuple[str, ...]) -> Verdict:
    ranges = {measure: _range([getattr(each, measure) for each in costs]) for measure in MEASURES}
    own = ranges["unavailable_partition_ms"].median
    base = own if before is None else before
    versus = round(own / base, 4) if base else None
    return Verdict(choice=name, versus_recorded=versus, failures=failures, **ranges)


def _range(values: Sequence[int]) -> Range:
    return Range(round(median(values)), min(values), max(values))


def cost(facts: Sequence[Recorded], group: str, from_ms: int, to_ms: int, rebalances: int) -> Cost:
    """What a run cost one group between two instants."""
    found = [i for i in (_cut(each, from_ms, to_ms) for each in intervals(facts, to_ms)) if i.group == group]
    found = [each for each in found if each.duration_ms > 0]
    totals = unavailable(found)
    each: Counter[tuple[str, int]] = Counter({(i.topic, i.partition): 0 for i in found})
    for i in found:
        each[i.topic, i.partition] += i.duration_ms if i.unavailable else 0
    ranked = sorted(each.values())
    return Cost(
        rebalances=rebalances,
        unavailable_partition_ms=totals["partition_ms"],
        p95_partition_ms=ranked[math.ceil(0.95 * len(ranked)) - 1] if ranked else 0,
        max_partitions=totals["max_partitions"],
        unsafe_ms=sum(i.duration_ms for i in found if i.sub_label == BOTH_ENTITLED),
        unknown_ms=totals["unknown_ms"],
        partitions=len(each),
    )


def _cut(interval: Interval, from_ms: int, to_ms: int) -> Interval:
    return msgspec.structs.replace(
        interval, from_ms=min(max(interval.from_ms, from_ms), to_ms), to_ms=max(min(interval.to_ms, to_ms), from_ms)
    )
