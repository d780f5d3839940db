"""`ChoiceResult`: what a choice costs over all seeds, beside the incident as recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from groupsim.replay.cost import Cost
from groupsim.replay.significance import WORTH_MS, difference, worth_ms
from groupsim.replay.spread import FEWEST, Mode, median_interval, modes

MEASURES = (
    "rebalances",
    "outage_ms",
    "unavailable_partition_ms",
    "p95_partition_ms",
    "max_partitions",
    "unsafe_ms",
    "unpolled_partition_ms",
)
"""What tables for people show."""


@dataclass(frozen=True, slots=True)
class Range:
    """Median, least and most over the seeds."""

    median: int
    least: int
    most: int


@dataclass(frozen=True, kw_only=True)
class ChoiceResult:
    """A choice over all seeds: `costs` in their order, `baseline` of the same seeds as recorded.

    `failures`: why runs could not be replayed to their end. `refused`: why the record can't answer, or (`impossible`)
    why no group can have this choice; then there are no costs. `recorded_ms`: between what the record's total
    lies (None: not known). `as_recorded`: the record has this choice already. `needs`: which limits
    of the brokers must be wider than by default.
    """

    choice: str
    costs: tuple[Cost, ...]
    baseline: tuple[Cost, ...]
    recorded_ms: tuple[int, int] | None = None
    failures: tuple[str, ...] = ()
    refused: str | None = None
    impossible: bool = False
    as_recorded: bool = False
    needs: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """How a sentence calls the choice: an assignor's name alone may be read as a word (`range`)."""
        return self.choice if "=" in self.choice else f"assignor={self.choice}"

    def _range(self, measure: str) -> Range:
        return range_of([getattr(each, measure) for each in self.costs])

    @property
    def rebalances(self) -> Range:
        """How many rebalances ended in the window or began in it."""
        return self._range("rebalances")

    @property
    def outage_ms(self) -> Range:
        """How long at least one partition was not held."""
        return self._range("outage_ms")

    @property
    def unavailable_partition_ms(self) -> Range:
        """Partition-milliseconds without a running process that held the partition."""
        return self._range("unavailable_partition_ms")

    @property
    def p95_partition_ms(self) -> Range:
        """At most 5 % of the partitions were not held for longer."""
        return self._range("p95_partition_ms")

    @property
    def max_partitions(self) -> Range:
        """How many partitions at most were not held at once."""
        return self._range("max_partitions")

    @property
    def unsafe_ms(self) -> Range:
        """Partition-milliseconds with two owners who may both commit."""
        return self._range("unsafe_ms")

    @property
    def unpolled_partition_ms(self) -> Range:
        """Partition-milliseconds that were held, but only by processes that were stuck in a batch."""
        return self._range("unpolled_partition_ms")

    @property
    def founding_ms(self) -> Range:
        """The same before the group first worked; part of nothing else."""
        return self._range("founding_ms")

    @property
    def values(self) -> list[int]:
        """`unavailable_partition_ms` by seed."""
        return [each.unavailable_partition_ms for each in self.costs]

    @property
    def _base(self) -> list[int]:
        return [each.unavailable_partition_ms for each in self.baseline]

    @property
    def base(self) -> Range:
        """The incident as recorded, with the same seeds."""
        return range_of(self._base)

    @property
    def versus_baseline(self) -> float | None:
        """Its median divided by that of the incident replayed as recorded; None: that was 0."""
        base = self.base.median if self.costs else 0
        return round(self.unavailable_partition_ms.median / base, 4) if base else None

    @property
    def versus_record(self) -> float | None:
        """Its median divided by what the record itself shows, the nearest of it; None: that is 0 or not known."""
        if self.recorded_ms is None or not self.costs:
            return None
        own, (least, most) = self.unavailable_partition_ms.median, self.recorded_ms
        nearest = min(max(own, least), most)
        return round(own / nearest, 4) if nearest else None

    @property
    def changes(self) -> tuple[float, float] | None:
        """The least and the greatest quotient with the incident as recorded, seed by seed; None: a seed of it was 0."""
        if self.idle:
            return None
        found = [own / base for own, base in zip(self.values, self._base, strict=True)]
        return min(found), max(found)

    @property
    def unfinished(self) -> int:
        """In how many seeds the simulation ended before all partitions were held again."""
        return sum(each.unfinished for each in self.costs)

    @property
    def baseline_unfinished(self) -> int:
        """The same of the incident as recorded."""
        return sum(each.unfinished for each in self.baseline)

    @property
    def open_direction(self) -> bool:
        """Whether the direction may be that of simulations that ended too early: what is less may be more."""
        own, base = self.unfinished, self.baseline_unfinished
        sure = (self.direction > 0 and not base) or (self.direction < 0 and not own)
        return bool(own or base) and not sure

    @property
    def idle(self) -> int:
        """How many seeds cost nothing as recorded."""
        return self._base.count(0)

    @property
    def opposed(self) -> int:
        """How many seeds change in the other direction than the median of all."""
        moved = self.unavailable_partition_ms.median - self.base.median
        return sum((own - base) * moved < 0 for own, base in zip(self.values, self._base, strict=True))

    @property
    def alike(self) -> bool:
        """Whether the seeds show that no difference is worth having: all that the median change may be is too small.

        Fewer than `FEWEST` seeds show it only where each of them costs nearly the same.
        """
        low, high = median_interval(self.moved)
        moved = abs(median(self.values) - median(self._base))
        few = len(self.costs) < FEWEST
        return max(-low, high, moved) < (WORTH_MS if few else worth_ms(median(self._base)))

    @property
    def moved(self) -> list[int]:
        """By how much each seed changes, in partition-milliseconds."""
        return [own - base for own, base in zip(self.values, self._base, strict=True)]

    @property
    def modes(self) -> list[Mode]:
        """The humps of its values: two where the seeds fall into two kinds."""
        return modes(self.values, WORTH_MS)

    @property
    def simulated(self) -> bool:
        """Whether it was simulated: the record can answer it, and has another choice."""
        return self.refused is None and not self.as_recorded

    @cached_property
    def direction(self) -> int:
        """1 (more) or -1 (less) where the median of the differences is sure to differ from 0 and is worth having."""
        return difference(self.values, self._base, median(self._base))

    def row(self) -> dict[str, object]:
        """The row that `whatif` prints: medians, the ranges of the seeds, and what they are compared with."""
        shown: dict[str, object] = {"choice": self.choice}
        for name in (*MEASURES, "longest_partition_ms"):
            shown[name] = self._range(name).median if self.costs else None
        shown |= {
            "versus_recorded": self.versus_baseline,
            "versus_baseline": self.versus_baseline,
            "versus_record": self.versus_record,
            "refused": self.refused,
            "as_recorded": self.as_recorded,
            "needs": list(self.needs),
            "seeds": len(self.costs),
            "unfinished_seeds": self.unfinished,
        }
        if not self.costs:
            return shown
        ranges = {name: self._range(name) for name in (*MEASURES, "longest_partition_ms")}
        return shown | {
            "founding_partition_ms": self.founding_ms.median,
            "ranges": {name: [found.least, found.most] for name, found in ranges.items()},
            "median_interval": [round(value) for value in median_interval(self.values)],
            "modes": [
                {
                    "unavailable_partition_ms": round(mode.median),
                    "share": mode.share,
                    "range": [round(mode.least), round(mode.most)],
                }
                for mode in self.modes
            ],
        }


def range_of(values: Sequence[int]) -> Range:
    """Median, least and most of some values."""
    return Range(round(median(values)), min(values), max(values))
