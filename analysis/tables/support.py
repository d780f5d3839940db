"""Whether a run's total of unavailable time can be trusted: recorded logs may not support one. Then it is unknown."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval, Label, SubLabel
from groupsim.analysis.display_names import bounds
from groupsim.storage.log_gaps import Doubt, doubts, new_groups, resolution_ms, unsupported

_MOST = 0.05
"""A total is known if what the logs leave unknown is at most this share of it."""


_FEW = 0.01
"""There is an upper bound if at most this share of all time is that of members without a log, or nobody can say of
which partitions they had it."""
_OWN_WORD = frozenset([Label.PAUSED_CALLBACK, Label.RESTORING, Label.PAUSED_APP])
"""Labels that a client's own log proves, whoever else is in the group."""


class Support(NamedTuple):
    """What the total of a recorded run rests on; times in partition-milliseconds.

    `known_share`: the share (0-1) of all partition time that the logs tell. `unknown`: why the total is unknown. The
    total is at least `at_least_ms`, and at most `at_most_ms`; None: there is no bound.
    """

    known_share: float
    unknown: str | None
    at_least_ms: int
    at_most_ms: int | None

    def caveat(self) -> str | None:
        """The sentence that goes with every figure of a run whose total is unknown; None if it is known."""
        if self.unknown is None:
            return None
        return f"the total is unknown{bounds(self.at_least_ms, self.at_most_ms, self.known_share)}: {self.unknown}"


@dataclass(slots=True)
class _Sums:
    """Partition-milliseconds of a run: all, those unavailable for certain, and what the logs do not tell.

    `doubtful` is neither of the others. `unlogged`: served by members without a log, by the broker's word alone.
    `new` is the part of `unknown` before the first assignment of a new group, when there was nothing to serve it.
    """

    total: int = 0
    unavailable: int = 0
    unknown: int = 0
    new: int = 0
    doubtful: int = 0
    unlogged: int = 0


def support(stored: Mapping[str, Any], numbers: Mapping[str, Any], found: Sequence[Interval]) -> Support:
    """What the total of a recorded run rests on.

    `stored` is the run's stored summary, `numbers` are those of `analysis.tables.summary.summarise`, `found` are the
    run's intervals.
    """
    uncertain = doubts(stored)
    sums = _sums(found, uncertain, new_groups(stored))
    unclear = sums.unknown + sums.doubtful
    share = round(1 - unclear / sums.total, 9) if sums.total else 0.0
    reasons = unsupported(stored)
    material = unclear - sums.new > _MOST * numbers["unavailable"]["partition_ms"]
    if material:
        reasons = list(dict.fromkeys([*reasons, *(each.why for each in uncertain)]))
    if not sums.total:
        reasons = reasons or ["no log names a partition; `--topic NAME=PARTITIONS` makes it known"]
    elif unclear - sums.new > 0.5 * sums.total:
        reasons.append(f"the logs leave {100 * (1 - share):.0f} % of all partition time unknown")
    elif material and sums.unknown - sums.new > 0:
        reasons.append(
            f"the logs leave {(sums.unknown - sums.new) / 1_000:,.1f} partition-seconds unknown (label UNKNOWN in"
            " `timeline`); export the logs of all members and of the broker"
        )
    bounded = material and not unsupported(stored) and sums.unlogged <= _FEW * sums.total
    at_most = sums.unavailable + unclear + sums.unlogged if bounded and sums.total else None
    return Support(share, "; ".join(reasons) or None, sums.unavailable, at_most)


def _sums(found: Sequence[Interval], uncertain: Sequence[Doubt], newborn: frozenset[str] | None) -> _Sums:
    """The sums of a run's intervals; what lies in doubtful time counts as doubtful alone."""
    sums, doubted = _Sums(), _DoubtedTime(uncertain)
    partly = {i.group for i in found if i.sub_label == SubLabel.COORDINATOR_ONLY}
    for interval in found:
        sums.total += interval.duration_ms
        starting = interval.cause == START
        new = starting and interval.group in (newborn or ())
        if interval.label == Label.ZOMBIE_ONLY and interval.group in partly:
            doubtful = interval.duration_ms  # a member without a log may serve it, too
        elif interval.label == Label.UNOWNED and starting and newborn is not None and not new:
            doubtful = interval.duration_ms  # whoever had it before the logs begin has written nothing yet
        else:
            doubtful = doubted.within(interval)
        sums.doubtful += doubtful
        certain = interval.duration_ms - doubtful
        if interval.sub_label == SubLabel.COORDINATOR_ONLY:
            sums.unlogged += interval.duration_ms
        if interval.unavailable:
            sums.unavailable += certain
        elif interval.label == Label.UNKNOWN:
            sums.unknown += certain
            sums.new += certain if new else 0
    return sums


class _DoubtedTime:
    """The doubtful time of each partition, overlaps merged, found by bisection."""

    def __init__(self, uncertain: Sequence[Doubt]) -> None:
        self._of_partition: dict[tuple[str, str, int], list[Doubt]] = defaultdict(list)
        self._of_group: dict[str, list[Doubt]] = defaultdict(list)
        self._merged: dict[tuple[str, str, int, bool], tuple[list[int], list[int]]] = {}
        for each in uncertain:
            if each.partitions is None:
                self._of_group[each.group].append(each)
            for topic, number in each.partitions or ():
                self._of_partition[each.group, topic, number].append(each)

    def within(self, interval: Interval) -> int:
        """How many milliseconds of an interval are doubtful."""
        starts, ends = self._spans(interval)
        covered = 0
        for place in range(max(0, bisect_right(starts, interval.from_ms) - 1), len(starts)):
            if starts[place] >= interval.to_ms:
                break
            covered += max(0, min(ends[place], interval.to_ms) - max(starts[place], interval.from_ms))
        return covered

    def _spans(self, interval: Interval) -> tuple[list[int], list[int]]:
        own_word = interval.label in _OWN_WORD
        key = (interval.group, interval.topic, interval.partition, own_word)
        if key not in self._merged:
            mine = [*self._of_partition.get(key[:3], ()), *self._of_group.get(interval.group, ())]
            starts: list[int] = []
            ends: list[int] = []
            for from_ms, to_ms in sorted((d.from_ms, d.to_ms) for d in mine if not (own_word and d.own_word)):
                if ends and from_ms <= ends[-1]:
                    ends[-1] = max(ends[-1], to_ms)
                else:
                    starts.append(from_ms)
                    ends.append(to_ms)
            self._merged[key] = starts, ends
        return self._merged[key]


def supported(stored: Mapping[str, Any], numbers: dict[str, Any], found: Sequence[Interval]) -> dict[str, Any]:
    """The numbers with `known_share`; where the total is unknown, with nulls, its bounds, and why in `unknown`.

    Where the logs' times are coarse: with their `resolution_ms`, and the bounds of the total that it leaves.
    """
    rests_on = support(stored, numbers, found)
    unavailable = {**numbers["unavailable"], "known_share": rests_on.known_share}
    if rests_on.unknown is None and (coarse_ms := resolution_ms(stored)):
        lengths = _unavailable_lengths(found)
        unavailable |= {
            "resolution_ms": coarse_ms,
            "at_least_partition_ms": sum(max(0, length - coarse_ms) for length in lengths),
            "at_most_partition_ms": sum(length + coarse_ms for length in lengths),
        }
    if rests_on.unknown is not None:
        unavailable |= {
            "partition_ms": None,
            "share": None,
            "by_label": {},
            "at_least_partition_ms": rests_on.at_least_ms,
            "at_most_partition_ms": rests_on.at_most_ms,
            "unknown": rests_on.unknown,
        }
    return {**numbers, "unavailable": unavailable}


def _unavailable_lengths(found: Sequence[Interval]) -> list[int]:
    """How long each partition was unavailable each time, milliseconds; causes that follow each other are one time."""
    lengths: list[int] = []
    ends: dict[tuple[str, str, int], int] = {}
    for interval in sorted(
        (i for i in found if i.unavailable), key=lambda i: (i.group, i.topic, i.partition, i.from_ms)
    ):
        key = (interval.group, interval.topic, interval.partition)
        if ends.get(key) == interval.from_ms:
            lengths[-1] += interval.duration_ms
        else:
            lengths.append(interval.duration_ms)
        ends[key] = interval.to_ms
    return lengths
