"""Whether a run's total of unavailable time can be trusted: recorded logs may not support one. Then it is unknown.

One rule for all figures. If what the logs leave open is little beside the total, it counts as its labels say, and the
total has bounds. Else the total is unknown, and all that is in doubt is UNKNOWN in every table. Either way the known
unavailable time and UNKNOWN are apart, and together with what is only inexactly dated they give the bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval, Label, SubLabel, Where, within
from groupsim.analysis.availability.open_time import Doubted, DoubtedTime, cut
from groupsim.analysis.availability.outages import Outage, outage
from groupsim.analysis.availability.start_up import FirstWorked, after_start, first_worked
from groupsim.analysis.availability.totals import Totals
from groupsim.analysis.tables.outage_bounds import Spans, handed_over, possible, sure
from groupsim.analysis.tables.proved_bounds import proved_bounds
from groupsim.analysis.tables.summary import totals_of
from groupsim.analysis.tables.why_unknown import (
    NO_PARTITION,
    few_of_each,
    in_one_sentence,
    open_by,
    unlogged_serving,
    why_open,
)
from groupsim.storage.log_gaps import (
    EXACT,
    Precision,
    Proved,
    doubts,
    inexact_sentence,
    is_unbounded,
    new_groups,
    precision,
    proved,
    unsupported,
)
from groupsim.wording.bounds import bounds
from groupsim.wording.lists import after_comma
from groupsim.wording.numbers import partition_seconds, percent

Period = tuple[int, int]
"""From and to, in milliseconds of the run."""
_MOST = 0.05
"""A total is known if what the logs leave unknown is at most this share of it."""


_SHOWN_MS = 1_000
_FEW = 0.01
"""There is an upper bound if at most this share of all time is that of members without a log, or nobody can say of
which partitions they had it."""


class Support(NamedTuple):
    """What the total of a recorded run rests on; times in partition-milliseconds.

    `known_share`: the share (0-1) of all partition time that the logs tell. `unknown`: why the total is unknown. The
    total is at least `at_least_ms`, and at most `at_most_ms`; None: there is no bound. `inexact`: a total that is known
    rests on times that are not exact; `precision`: that of all times.
    """

    known_share: float
    unknown: str | None
    at_least_ms: int
    at_most_ms: int | None
    inexact: bool = False
    precision: Precision = EXACT

    def caveat(self) -> str | None:
        """The sentence that goes with every figure of a run whose total is unknown; None if it is known."""
        if self.unknown is None:
            return None
        known = bounds(self.at_least_ms, self.at_most_ms, self.known_share)
        return f"the total is unknown{after_comma(known)}: {self.unknown}"

    @property
    def bounded(self) -> bool:
        """Whether a total that is known is not exact: it rests on inexact times, or has no upper bound."""
        return self.unknown is None and (self.inexact or self.at_most_ms is None)

    def bounds(self) -> str | None:
        """The sentence that goes with a total that is known, but not exact; None for another one."""
        if not self.bounded:
            return None
        return inexact_sentence(self.precision if self.inexact else None, self.at_least_ms, self.at_most_ms)


@dataclass(slots=True)
class _Sums:
    """Partition-milliseconds: all, those unavailable, and UNKNOWN.

    `unlogged`: served by members without a log, by the broker's word alone. `new` is the part of `unknown` before the
    first assignment of a new group, when there was nothing to serve it; `open` is the rest of it, by `open_by`. `early`
    and `late`: how much less and how much more may be unavailable because of inexact times.
    """

    total: int = 0
    unavailable: int = 0
    unknown: int = 0
    new: int = 0
    unlogged: int = 0
    late: int = 0
    early: int = 0
    open: Counter[str] = field(default_factory=Counter)


class Supported:
    """The intervals of a recorded run as its logs support them, and what its totals rest on.

    `stored` is the run's stored summary, `found` are the run's intervals. `intervals` are these, where the total is
    unknown with all that is in doubt as UNKNOWN.
    """

    def __init__(self, stored: Mapping[str, Any], intervals: Sequence[Interval]) -> None:
        self._stored = stored
        everything = doubts(stored)
        self._doubts = [doubt for doubt in everything if not doubt.inexact]
        self._new = new_groups(stored) or frozenset[str]()
        doubted = Doubted(DoubtedTime(self._doubts), new_groups(stored))
        sums = self._sums(cut(intervals, doubted), DoubtedTime([]))
        labelled = sum(interval.duration_ms for interval in intervals if interval.unavailable)
        self._material = sums.unknown - sums.new > _MOST * labelled
        few_unlogged = self._share_unlogged(intervals) <= _FEW
        self._unlogged = None if few_unlogged or unsupported(stored) else unlogged_serving(intervals)
        self._bounded = few_unlogged and not unsupported(stored)
        self._known = not self._reasons(sums)
        self._proved: Mapping[str, Proved] = {} if self._known else proved(stored)
        inexact = [doubt for doubt in everything if doubt.inexact or self._known]
        self._inexact = DoubtedTime(inexact)
        self.intervals: Sequence[Interval] = intervals if self._known else list(cut(intervals, doubted))

    def support(self, between: tuple[int, int] | None = None) -> Support:
        """What the total rests on: of the whole run, or of a part of it (from, to in milliseconds)."""
        if between is None:
            return self._support(self.intervals, None)
        return self._support(list(within(self.intervals, *between)), between)

    @cached_property
    def worked(self) -> FirstWorked:
        """When each group that was founded in the record first worked (`analysis.availability.start_up`)."""
        return first_worked(self.intervals, self._new)

    def totals(self) -> Totals:
        """The sums of the intervals."""
        return totals_of(self.intervals, self._new)

    def support_after_start(self) -> Support:
        """What the total after start-up rests on."""
        return self._support(list(after_start(self.intervals, self.worked)), None)

    def outages_after_start(self) -> dict[str, int | None]:
        """Between what the outages after start-up lie."""
        return self._outages(list(after_start(self.intervals, self.worked)), self.support_after_start())

    def unavailable(self) -> dict[str, Any]:
        """The numbers of `supported`."""
        found = self.totals().unavailable()
        late = list(after_start(self.intervals, self.worked))
        after = found["after_start"] | self.bounded_numbers(late)
        return found | self.bounded_numbers(self.intervals) | {"after_start": after}

    def bounded_numbers(self, part: Sequence[Interval], between: Period | None = None) -> dict[str, Any]:
        """What is known of the numbers of these intervals, those in a period; nulls instead of what is unknown."""
        rests_on = self._support(part, between)
        known = {
            "known_share": rests_on.known_share,
            "at_least_partition_ms": rests_on.at_least_ms,
            "at_most_partition_ms": rests_on.at_most_ms,
            **self._outages(part, rests_on),
            "inexact": rests_on.inexact,
            "to_the_end": to_the_end(part),
        }
        if rests_on.unknown is None:
            return known | rests_on.precision.keys()
        nulls = dict.fromkeys(("partition_ms", "share", *Outage._fields))
        return known | nulls | {"by_label": {}, "unknown": rests_on.unknown}

    def _outages(self, part: Sequence[Interval], rests_on: Support) -> dict[str, int | None]:
        """The bounds of the outages; upper ones where the total has one, and never more than that."""
        least, most = self._outage_spans(part, rests_on)
        account = proved_bounds(part, self._proved)
        surely = outage(least.values())
        perhaps: dict[str, int] | None = None
        if (most_ms := rests_on.at_most_ms) is not None:
            limit = most_ms if account.most_outage_ms is None else min(most_ms, account.most_outage_ms)
            widest = Outage(limit, limit) if most is None else outage(most.values())
            perhaps = {name: min(ms, limit) for name, ms in widest._asdict().items()}
        proved_ms = account.least_outage_ms if perhaps is None else min(account.least_outage_ms, perhaps["outage_ms"])
        surely = surely._replace(outage_ms=max(surely.outage_ms, proved_ms))
        known = {f"at_least_{name}": ms for name, ms in surely._asdict().items()}
        return known | {f"at_most_{name}": None if perhaps is None else perhaps[name] for name in Outage._fields}

    def outage_spans(self, part: Sequence[Interval]) -> tuple[Spans, Spans | None]:
        """By partition the time that was surely unavailable, and all that may have been; None if there is no bound."""
        return self._outage_spans(part, self._support(part, None))

    def _outage_spans(self, part: Sequence[Interval], rests_on: Support) -> tuple[Spans, Spans | None]:
        off_ms = rests_on.precision.ms
        least = sure(part, self._inexact, off_ms) if rests_on.at_least_ms else {}
        if not self._bounded or rests_on.at_most_ms is None:
            return least, None
        return least, possible(part, self._inexact, off_ms, lambda i: self._known and self._is_new(i))

    def _is_new(self, interval: Interval) -> bool:
        """Whether the time is that before the first assignment of a new group."""
        founded = interval.cause == START and interval.group in self._new
        return interval.label == Label.UNKNOWN and founded and interval.sub_label != SubLabel.IN_DOUBT

    def _support(self, part: Sequence[Interval], between: Period | None) -> Support:
        """What the total of a part rests on; `between`: with exact edges, None: with edges that are times of logs."""
        sums = self._sums(part, self._inexact)
        exact = precision(self._stored)
        around = part if between is None else self.intervals
        early, late = coarse(around, exact.ms, between) if exact.ms else (0, 0)
        founding = sums.new if self._known else 0  # when there was nothing to serve it; the total leaves it out, too
        open_ms = sums.unknown - founding + sums.unlogged + sums.late + late
        share = round(1 - sums.unknown / sums.total, 9) if sums.total else 0.0
        unknown = None if self._known else self._why(sums, whole=between is None)
        at_least = 0 if is_unbounded(self._stored) else max(0, sums.unavailable - sums.early - early)
        at_most = sums.unavailable + open_ms if self._bounded and sums.total else None
        if at_most is not None and exact.ms:
            at_most = min(at_most, most_time(around, exact.ms, between))
        inexact = unknown is None and bool(sums.early or sums.late or early or late)
        at_least, at_most = self._with_proved(part, at_least, at_most)
        return Support(share, unknown, at_least, at_most, inexact, exact)

    def _with_proved(self, part: Sequence[Interval], at_least: int, at_most: int | None) -> tuple[int, int | None]:
        """The narrower of these bounds and of those that the account of the logs proves."""
        account = proved_bounds(part, self._proved)
        least = max(at_least, account.least)
        most = min((each for each in (at_most, account.most) if each is not None), default=None)
        return (least, most) if most is None or least <= most else (at_least, at_most)

    def _why(self, sums: _Sums, *, whole: bool) -> str | None:
        """Why the total is unknown; None for a part of the run in which all is known."""
        if not whole and sums.total and not sums.unknown and not unsupported(self._stored):
            return None
        return in_one_sentence(self._reasons(sums))

    def _reasons(self, sums: _Sums) -> list[str]:
        """Why the total is unknown, with the reasons that are alike as few; none if it is known."""
        reasons = unsupported(self._stored)
        open_ms = sums.unknown - sums.new
        if self._material:
            reasons = [*reasons, *(doubt.why for doubt in self._doubts)]
        reasons = few_of_each(list(dict.fromkeys(reasons)))
        if not sums.total:
            return reasons or [NO_PARTITION]
        mostly = open_ms > 0.5 * sums.total
        left = self._material and open_ms > 0
        if self._unlogged is not None and (reasons or mostly or left):
            reasons.append(self._unlogged)
        advice = "" if reasons else why_open(sums.open)  # else each names some
        if mostly:
            share = percent(sums.unknown / sums.total)
            reasons.append(f"the logs leave {share} of all partition time unknown{advice}")
        elif left:
            reasons.append(
                f"the logs leave {partition_seconds(sums.unknown)} unknown (label UNKNOWN in `timeline`){advice}"
            )
        return reasons

    def _sums(self, intervals: Iterable[Interval], inexact: DoubtedTime) -> _Sums:
        sums = _Sums()
        for interval in intervals:
            length = interval.duration_ms
            sums.total += length
            if interval.sub_label == SubLabel.COORDINATOR_ONLY:
                sums.unlogged += length
            elif interval.unavailable:
                sums.unavailable += length
                sums.early += inexact.within(interval)
            elif interval.label == Label.UNKNOWN:
                sums.unknown += length
                if self._is_new(interval):
                    sums.new += length
                    sums.late += inexact.within(interval)  # the first assignment may have been stored then
                else:
                    sums.open[open_by(interval)] += length
            else:
                sums.late += inexact.within(interval)
        return sums

    @staticmethod
    def _share_unlogged(intervals: Sequence[Interval]) -> float:
        total = sum(interval.duration_ms for interval in intervals)
        unlogged = sum(
            interval.duration_ms for interval in intervals if interval.sub_label == SubLabel.COORDINATOR_ONLY
        )
        return unlogged / total if total else 0.0


def support(stored: Mapping[str, Any], intervals: Sequence[Interval]) -> Support:
    """What the total of a recorded run rests on; see Supported."""
    return Supported(stored, intervals).support()


def supported(stored: Mapping[str, Any], numbers: dict[str, Any], intervals: Sequence[Interval]) -> dict[str, Any]:
    """The numbers with `known_share` and both bounds; where the total is unknown, with nulls, and why in `unknown`.

    So have those `after_start`. `to_the_end`: what is unavailable by label that lasts to the end of the record,
    partition-milliseconds. Where the times are not exact: with the keys of their `Precision`.
    """
    by_logs = Supported(stored, intervals)
    groups = by_logs.totals().with_shares(numbers["groups"])
    return {**numbers, "groups": groups, "unavailable": by_logs.unavailable()}


def open_ended(intervals: Sequence[Interval], between: tuple[int, int] | None = None) -> str | None:
    """A sentence on what is unavailable to the end of the record, if that is a second or more.

    `between`: only of this part of the run (from, to in milliseconds); None if it stops before the end.
    """
    if between is not None:
        if between[1] < max((interval.to_ms for interval in intervals), default=0):
            return None
        intervals = list(within(intervals, *between))
    lasting = sum(to_the_end(intervals).values())
    if lasting < _SHOWN_MS:
        return None
    return (
        f"{partition_seconds(lasting)} of the unavailable time last to the end of the record: how much came"
        " after is unknown"
    )


def to_the_end(intervals: Sequence[Interval]) -> dict[str, int]:
    """Unavailable partition-milliseconds by label of intervals that end only because the record does."""
    end_ms = max((interval.to_ms for interval in intervals), default=0)
    sums: dict[str, int] = {}
    for interval in intervals:
        if interval.unavailable and interval.to_ms == end_ms:
            sums[interval.label] = sums.get(interval.label, 0) + interval.duration_ms
    return dict(sorted(sums.items()))


def coarse(intervals: Sequence[Interval], resolution_ms: int, between: Period | None = None) -> tuple[int, int]:
    """How much less and how much more may be unavailable, partition-milliseconds, if times are `resolution_ms` coarse.

    Each time that a partition was unavailable may be so much shorter or longer, whatever its labels. One that goes from
    one member to another with no such time, or with both as its owners for less, may have had one. `between`: in this
    period only. Its edges are exact, so what is just outside may have been inside.
    """
    if between is None:
        return _off(intervals, resolution_ms)
    less, _ = _off(within(intervals, *between), resolution_ms)
    _, more = _off(_around(intervals, resolution_ms, between), resolution_ms)
    return less, more


def most_time(intervals: Sequence[Interval], resolution_ms: int, between: Period | None = None) -> int:
    """All partition time that there can have been: a record of coarse times may itself be so much longer.

    Of a period, not more than the period has for each partition.
    """
    lengths = Counter[Where]()
    for interval in intervals if between is None else _around(intervals, resolution_ms, between):
        lengths[interval.where] += interval.duration_ms
    each_ms = [ms + resolution_ms for ms in lengths.values()]
    return sum(each_ms if between is None else (min(ms, between[1] - between[0]) for ms in each_ms))


def _around(intervals: Sequence[Interval], resolution_ms: int, between: Period) -> Iterator[Interval]:
    return within(intervals, between[0] - resolution_ms, between[1] + resolution_ms)


def _off(intervals: Iterable[Interval], resolution_ms: int) -> tuple[int, int]:
    less = more = 0
    ordered = sorted(intervals, key=lambda i: (i.group, i.topic, i.partition, i.from_ms))
    for _, of_one in groupby(ordered, key=lambda i: i.where):
        runs = [list(run) for _, run in groupby(of_one, key=lambda i: i.unavailable)]
        for run in runs:
            if run[0].unavailable:
                less += min(resolution_ms, sum(interval.duration_ms for interval in run))
                more += resolution_ms
            else:
                more += resolution_ms * sum(1 for _ in handed_over(run, resolution_ms))
    return less, more
