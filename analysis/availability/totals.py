"""Unavailable time in sums alone, added up while the facts pass by: no interval is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import LABELS, Interval, Label, SubLabel, Verdict, is_available
from groupsim.analysis.availability.outages import Longest, Outage, Span, at_once, longest_ms
from groupsim.events.types import TopicPartition

_Kind = tuple[str, str, str | None, bool]
"""Group, label, sub-label, and whether the cause is the group's own start: what the sums tell apart."""


class _Sums:
    """Partition-milliseconds by kind, outages, and how many partitions were unavailable at once, of one window.

    `longest`: of changes; of whole intervals their spans are kept, since these come in any order.
    """

    def __init__(self) -> None:
        self.ms: defaultdict[_Kind, int] = defaultdict(int)
        self.open: defaultdict[_Kind, int] = defaultdict(int)
        self.longest = Longest()
        self._spans: defaultdict[str, defaultdict[tuple[str, int], list[Span]]] = defaultdict(lambda: defaultdict(list))
        self._steps: defaultdict[tuple[str, bool], defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))

    def open_or_close(self, kind: _Kind, count: int, at_ms: int) -> None:
        """An interval's length is its end less its start: the start counts negative, the end positive."""
        self.open[kind] += count
        self.ms[kind] -= count * at_ms
        if _is_unavailable(kind):
            self._steps[kind[0], kind[3]][at_ms] += count

    def add(self, interval: Interval) -> None:
        """Count one whole interval."""
        kind = (interval.group, interval.label, interval.sub_label, interval.cause == START)
        self.ms[kind] += interval.duration_ms
        if _is_unavailable(kind):
            span = interval.from_ms, interval.to_ms
            steps = self._steps[kind[0], kind[3]]
            steps[span[0]] += 1
            steps[span[1]] -= 1
            self._spans[kind[0]][interval.topic, interval.partition].append(span)

    def begin(self, group: str, at_ms: int) -> None:
        """The group counts from here on; forget what came before."""
        for start in (False, True):
            self._steps.pop((group, start), None)
        for kind in [kind for kind in self.ms if kind[0] == group]:
            del self.ms[kind]
            if count := self.open.pop(kind, 0):
                self.open_or_close(kind, count, at_ms)

    def end(self, at_ms: int) -> None:
        """The run ends here."""
        for kind, count in list(self.open.items()):
            self.open_or_close(kind, -count, at_ms)
        self.open.clear()
        self.longest.end(at_ms)

    def without_start(self, group: str) -> None:
        """Forget what the group's start explains."""
        self._steps.pop((group, True), None)
        for kind in [kind for kind in self.ms if kind[0] == group and kind[3]]:
            del self.ms[kind]

    def numbers(self) -> dict[str, Any]:
        """As `Totals.unavailable` documents them."""
        by_label: dict[str, int] = {label: 0 for label in LABELS if label not in (Label.OK, Label.UNKNOWN)}
        for kind, ms in self.ms.items():
            if _is_unavailable(kind):
                by_label[kind[1]] += ms
        partition_ms, total_ms = sum(by_label.values()), sum(self.ms.values())
        together = at_once(self._steps.values())
        longest = (each.longest_partition_ms for each in self.outages().values())
        return {
            "partition_ms": partition_ms,
            "by_label": by_label,
            "outage_ms": together.ms,
            "longest_partition_ms": max(longest, default=0),
            "max_partitions": together.most,
            "share": round(partition_ms / total_ms, 9) if total_ms else 0.0,
            "unknown_ms": sum(ms for kind, ms in self.ms.items() if kind[1] == Label.UNKNOWN),
        }

    def outages(self) -> dict[str, Outage]:
        """Of each group that has a partition."""
        found = {}
        for group in {kind[0] for kind in self.ms}:
            together = at_once(steps for (name, _), steps in self._steps.items() if name == group)
            apart_ms = longest_ms(self._spans[group].values())
            found[group] = Outage(together.ms, max(apart_ms, self.longest.ms.get(group, 0)))
        return found

    def by_group(self) -> dict[str, int]:
        """Unavailable partition-milliseconds, sorted by name of the group."""
        unavailable_ms = dict.fromkeys(sorted(kind[0] for kind in self.ms), 0)
        for kind, ms in self.ms.items():
            unavailable_ms[kind[0]] += ms if _is_unavailable(kind) else 0
        return unavailable_ms


class Totals:
    """The sums of a whole run, and those after start-up (`analysis.availability.start_up`).

    A recorder of `analysis.availability.conditions`; `add` and `add_after_start` take intervals instead, in any order.
    Ask after `end`.
    """

    def __init__(self) -> None:
        self._whole = _Sums()
        self._after = _Sums()
        self._worked: set[str] = set()

    def change(
        self, group: str, partitions: Collection[TopicPartition], before: Verdict | None, after: Verdict, at_ms: int
    ) -> None:
        """See `analysis.availability.conditions.Recorder`."""
        count = len(partitions)
        for sums in (self._whole, self._after):
            was = before is not None and self._counts(sums, group, before)
            if before is not None:
                sums.open_or_close(_kind(group, before), -count, at_ms)
            sums.open_or_close(_kind(group, after), count, at_ms)
            if was != (down := self._counts(sums, group, after)):
                sums.longest.change(group, partitions, at_ms, down=down)

    def _counts(self, sums: _Sums, group: str, verdict: Verdict) -> bool:
        """Whether it counts as an outage; the start of a group that has not worked yet is none after start-up."""
        kind = _kind(group, verdict)
        return _is_unavailable(kind) and (sums is self._whole or not kind[3] or group in self._worked)

    def worked(self, group: str, at_ms: int) -> None:
        """See `analysis.availability.conditions.Recorder`."""
        self._worked.add(group)
        self._after.begin(group, at_ms)
        self._after.longest.begin(group, at_ms, self._whole.longest)

    def end(self, at_ms: int) -> None:
        """The run ends here."""
        for sums in (self._whole, self._after):
            sums.end(at_ms)
        for group in {kind[0] for kind in self._after.ms} - self._worked:
            self._after.without_start(group)

    def add(self, interval: Interval) -> None:
        """Count one whole interval, be it start-up or not."""
        self._whole.add(interval)

    def add_after_start(self, interval: Interval) -> None:
        """Count an interval, or the part of one, that is no start-up."""
        self._after.add(interval)

    def unavailable(self) -> dict[str, Any]:
        """`partition_ms` (sum of unavailable partition-milliseconds), its parts `starting_ms` (start-up) and
        `after_start_ms`, its parts `by_label`, the numbers of `outages.Outage` (of all groups together), the most
        partitions at once, and the share of all partition time.

        `after_start`: the same numbers of the time after start-up. `unknown_ms`, which is part of neither, is what a
        recorded log does not report; DOUBLE counts where nobody may commit.
        """
        whole, after = self._whole.numbers(), self._after.numbers()
        return {
            "partition_ms": whole.pop("partition_ms"),
            "starting_ms": self.starting_ms,
            "after_start_ms": after["partition_ms"],
            **whole,
            "after_start": after,
        }

    @property
    def starting_ms(self) -> int:
        """Unavailable partition-milliseconds of start-up."""
        return sum(self.by_group().values()) - sum(self.after_start_by_group().values())

    @property
    def unsafe_ms(self) -> int:
        """Partition-milliseconds with two entitled owners."""
        return sum(ms for kind, ms in self._whole.ms.items() if kind[2] == SubLabel.BOTH_ENTITLED)

    def by_group(self) -> dict[str, int]:
        """Unavailable partition-milliseconds of every group that has a partition, sorted by name."""
        return self._whole.by_group()

    def with_shares(self, groups: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """These groups, and all that have a partition, with `unavailable_partition_ms`, `after_start_ms` and their
        outages, whole and `after_start_`."""
        whole, after = self.by_group(), self.after_start_by_group()
        outages, later, none = self._whole.outages(), self._after.outages(), Outage(0, 0)
        return {
            name: {
                **groups.get(name, {}),
                "unavailable_partition_ms": whole.get(name, 0),
                "after_start_ms": after.get(name, 0),
                **outages.get(name, none)._asdict(),
                **{f"after_start_{key}": ms for key, ms in later.get(name, none)._asdict().items()},
            }
            for name in dict.fromkeys([*groups, *whole])
        }

    def after_start_by_group(self) -> dict[str, int]:
        """The same after start-up; groups that nothing is left of are not in it."""
        return self._after.by_group()


def _kind(group: str, verdict: Verdict) -> _Kind:
    return group, verdict.label, verdict.sub_label, verdict.cause == START


def _is_unavailable(kind: _Kind) -> bool:
    return kind[1] != Label.UNKNOWN and not is_available(kind[1], kind[2])
