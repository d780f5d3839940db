"""Unavailable time in sums alone, added up while the facts pass by: no interval is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import LABELS, Interval, Label, SubLabel, Verdict, is_available
from groupsim.events.types import TopicPartition

_Kind = tuple[str, str, str | None, bool]
"""Group, label, sub-label, and whether the cause is the group's own start: what the sums tell apart."""


class Totals:
    """Partition-milliseconds by kind, and how many partitions were unavailable at once.

    A recorder of `analysis.availability.conditions`; `add` takes intervals instead, in any order. Ask after `end`.
    """

    def __init__(self) -> None:
        self._ms: defaultdict[_Kind, int] = defaultdict(int)
        self._open: defaultdict[_Kind, int] = defaultdict(int)
        self._steps: defaultdict[int, int] = defaultdict(int)
        self._starting: dict[str, int] = {}

    def change(
        self, group: str, partitions: Collection[TopicPartition], before: Verdict | None, after: Verdict, at_ms: int
    ) -> None:
        """See `analysis.availability.conditions.Recorder`."""
        count = len(partitions)
        if before is not None:
            self._open_or_close(group, before, -count, at_ms)
        self._open_or_close(group, after, count, at_ms)

    def _open_or_close(self, group: str, verdict: Verdict, count: int, at_ms: int) -> None:
        """An interval's length is its end less its start: the start counts negative, the end positive."""
        kind = (group, verdict.label, verdict.sub_label, verdict.cause == START)
        self._open[kind] += count
        self._ms[kind] -= count * at_ms
        if _is_unavailable(kind):
            self._steps[at_ms] += count

    def worked(self, group: str, at_ms: int) -> None:
        """See `analysis.availability.conditions.Recorder`."""
        so_far = ((kind, ms) for kind, ms in self._ms.items() if kind[0] == group and _is_unavailable(kind))
        self.started(group, sum(ms + self._open[kind] * at_ms for kind, ms in so_far))

    def started(self, group: str, ms: int) -> None:
        """The group has worked, and these of its unavailable partition-milliseconds are start-up."""
        self._starting[group] = ms

    def end(self, at_ms: int) -> None:
        """The run ends here."""
        for kind, count in self._open.items():
            self._ms[kind] += count * at_ms
        self._open.clear()
        self._steps.pop(at_ms, None)  # what begins at the end has no length

    def add(self, interval: Interval) -> None:
        """Count one whole interval."""
        kind = (interval.group, interval.label, interval.sub_label, interval.cause == START)
        self._ms[kind] += interval.duration_ms
        if _is_unavailable(kind):
            self._steps[interval.from_ms] += 1
            self._steps[interval.to_ms] -= 1

    def unavailable(self) -> dict[str, Any]:
        """`partition_ms` (sum of unavailable partition-milliseconds), its parts `starting_ms` (start-up) and
        `after_start_ms`, its parts `by_label`, the most partitions at once, and the share of all partition time.

        `unknown_ms`, which is part of neither, is what a recorded log does not report; DOUBLE counts where nobody may
        commit.
        """
        by_label: dict[str, int] = {label: 0 for label in LABELS if label not in (Label.OK, Label.UNKNOWN)}
        for kind, ms in self._ms.items():
            if _is_unavailable(kind):
                by_label[kind[1]] += ms
        partition_ms, total_ms = sum(by_label.values()), sum(self._ms.values())
        return {
            "partition_ms": partition_ms,
            "starting_ms": self.starting_ms,
            "after_start_ms": partition_ms - self.starting_ms,
            "by_label": by_label,
            "max_partitions": self._highest(),
            "share": round(partition_ms / total_ms, 9) if total_ms else 0.0,
            "unknown_ms": sum(ms for kind, ms in self._ms.items() if kind[1] == Label.UNKNOWN),
        }

    def _highest(self) -> int:
        level = highest = 0
        for _, step in sorted(self._steps.items()):
            level += step
            highest = max(highest, level)
        return highest

    @property
    def starting_ms(self) -> int:
        """Unavailable partition-milliseconds of start-up (`analysis.availability.start_up`)."""
        never = ((kind, ms) for kind, ms in self._ms.items() if kind[0] not in self._starting and kind[3])
        return sum(self._starting.values()) + sum(ms for kind, ms in never if _is_unavailable(kind))

    @property
    def unsafe_ms(self) -> int:
        """Partition-milliseconds with two entitled owners."""
        return sum(ms for kind, ms in self._ms.items() if kind[2] == SubLabel.BOTH_ENTITLED)

    def by_group(self) -> dict[str, int]:
        """Unavailable partition-milliseconds of every group that has a partition, sorted by name."""
        unavailable_ms = dict.fromkeys(sorted(kind[0] for kind in self._ms), 0)
        for kind, ms in self._ms.items():
            unavailable_ms[kind[0]] += ms if _is_unavailable(kind) else 0
        return unavailable_ms


def _is_unavailable(kind: _Kind) -> bool:
    return kind[1] != Label.UNKNOWN and not is_available(kind[1], kind[2])
