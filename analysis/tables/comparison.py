"""Runs side by side: the same measures of each, and how the others differ from the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import ceil, inf
from typing import Any, NamedTuple

import pandas as pd

from groupsim.analysis.availability.labels import Interval, Where
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.runs import Run
from groupsim.wording.lists import listed
from groupsim.wording.numbers import partition_time
from groupsim.wording.times import duration

COMPARED = ("measure", "of", "unit")
"""What every comparison has, before the runs' own columns: what is measured (`unavailable`, `by label`, ...), of what
(a label, a phase; missing where it is the whole run), and in which unit (`partition_ms`, `ms`, `partitions`, `records`,
or none for a plain count)."""

BREAKDOWNS = ("label", "phase", "configuration", "member", "cause")

Key = tuple[str, str | None, str | None]
Measured = dict[Key, int]
_OF_REBALANCES = ("simulated", "median rebalance", "p95 rebalance", "longest rebalance")
_NO_TIMES = (None, "partitions", "records")
"""Units of what is counted, not timed."""


class _Off(NamedTuple):
    """How far the times of a run may be off: its total and each part of it by `less` and `more`, others by `one_ms`.

    `between`: the bounds of measures that have their own.
    """

    less: float = 0
    more: float = 0
    one_ms: int = 0
    between: Mapping[Key, tuple[float, float]] = {}

    @classmethod
    def of(cls, run: Run, measured: Measured) -> _Off:
        """That of a run with these measures; a simulated one knows all."""
        support, total = run.support_after_start, measured.get(_TOTAL, 0)
        if support is None:
            return cls()
        most = inf if support.at_most_ms is None else support.at_most_ms
        return cls(max(0, total - support.at_least_ms), max(0, most - total), support.precision.ms, _outage_bounds(run))

    def overlaps(self, other: _Off, key: Key, theirs: Any, mine: Any) -> bool:
        """Whether the bounds of a measure overlap; never where the times of both are exact."""
        if key[2] in _NO_TIMES or not any((*self[:3], *other[:3])):
            return False
        if pd.isna(mine) or pd.isna(theirs):
            return True  # one of them is not known
        low, high = self._bounds(key, mine)
        least, most = other._bounds(key, theirs)
        return low <= most and least <= high

    def _bounds(self, key: Key, value: int) -> tuple[float, float]:
        if key in self.between:
            return self.between[key]
        if key[0] in _OF_REBALANCES:
            return max(0, value - self.one_ms), value + self.one_ms
        return max(0, value - self.less), value + self.more


def _outage_bounds(run: Run) -> dict[Key, tuple[float, float]]:
    """Those of a recorded run after start-up."""
    found = run.outages_after_start
    ends = ((key, found[f"at_least_{name}"], found[f"at_most_{name}"]) for key, name in _OUTAGES.items())
    return {key: (least or 0, inf if most is None else most) for key, least, most in ends}


def compare(*runs: Run, **named: Run) -> pd.DataFrame:
    """Two runs or more, one row a measure: `compare(a=run1, b=run2)`.

    Columns: `COMPARED`; one a run, by the name given (without one: `a`, `b`, ...); and for every run but the first its
    difference, `b - a`, missing where the bounds of the two overlap, so that not even its sign is known. What a run
    does not have is 0; what its log can't tell (moves, commits, all of availability where no partition is known) is
    missing. Measures:
    unavailable partition time, in all, after the groups first worked, and by label, phase, configuration, member and
    cause; UNKNOWN time; the p95 over partitions; the longest interval; the outage (time with at least one partition
    unavailable) and the longest of one partition; partitions at once; rebalances, their median, p95 and longest, what
    they moved; commits, unsafe time, records read twice. Raises AnalysisError for less than two.
    """
    all_runs = {chr(ord("a") + i): run for i, run in enumerate(runs)}
    for name, run in named.items():
        if name in all_runs or name in COMPARED:
            raise AnalysisError(f"a run can't be called {name!r} in this comparison: the name is taken")
        all_runs[name] = run
    for name, run in all_runs.items():
        if not hasattr(run, "summary"):
            raise AnalysisError(f"a comparison takes runs; {name} is a {type(run).__name__}")
    if len(all_runs) < 2:
        raise AnalysisError(f"a comparison takes two runs or more, not {len(all_runs)}")
    measured = {name: dict(_measures(run)) for name, run in all_runs.items()}
    keys = _in_order(measured.values())
    frame = pd.DataFrame(keys, columns=list(COMPARED)).astype("string")
    first = next(iter(all_runs))
    for name, measures in measured.items():
        silent = _tells_no_partition(all_runs[name])
        values = [measures.get(key, None if silent or key in _MAY_MISS else 0) for key in keys]
        frame[name] = pd.array(values, dtype="Int64")
    off = {name: _Off.of(run, measured[name]) for name, run in all_runs.items()}
    for name in list(all_runs)[1:]:
        rows = list(zip(keys, frame[first], frame[name], strict=True))
        sure = [not off[name].overlaps(off[first], *row) for row in rows]
        frame[f"{name} - {first}"] = (frame[name] - frame[first]).where(pd.Series(sure, dtype=bool, index=frame.index))
    return frame


_TOTAL = ("unavailable", None, "partition_ms")
_OUTAGES: dict[Key, str] = {
    ("outage", None, "ms"): "outage_ms",
    ("longest outage", None, "ms"): "longest_partition_ms",
}
_MOVED = ("moved", None, "partitions")
_ACCEPTED, _REFUSED = ("commits accepted", None, None), ("commits refused", None, None)
_READ_TWICE = ("records read twice", None, "records")
_MAY_MISS = frozenset({_MOVED, _ACCEPTED, _REFUSED, _READ_TWICE})


def _in_order(runs: Iterable[Measured]) -> list[Key]:
    """Every measure of any run; parts of one measure stand together, the largest first."""
    largest: dict[Key, int] = {}
    sections: list[str] = []
    for measured in runs:
        for key, value in measured.items():
            largest[key] = max(value, largest.get(key, value))
            if key[0] not in sections:
                sections.append(key[0])
    return sorted(largest, key=lambda k: (sections.index(k[0]), k[1] is not None, -largest[k], k[1] or ""))


def _tells_no_partition(run: Run) -> bool:
    """Read from logs that name no partition: nothing can be said about availability."""
    return run.info.source == "recorded" and not run.intervals


def _measures(run: Run) -> Iterator[tuple[Key, int]]:
    summary, counted = run.summary(), run.intervals_after_start
    unavailable = [i for i in counted if i.unavailable]
    total = sum(i.duration_ms for i in unavailable)
    yield ("simulated", None, "ms"), run.info.simulated_ms or 0
    if _tells_no_partition(run):
        yield from (measure for measure in _rebalances(run) if measure[0] != _MOVED)
        return
    yield _TOTAL, total
    yield ("start-up", None, "partition_ms"), summary["unavailable"]["starting_ms"]
    yield ("unknown", None, "partition_ms"), summary["unavailable"]["after_start"]["unknown_ms"]
    yield ("p95 of partitions", None, "ms"), p95(_per_partition(counted))
    yield ("longest interval", None, "ms"), max((i.duration_ms for i in unavailable), default=0)
    for key, name in _OUTAGES.items():
        yield key, summary["unavailable"]["after_start"][name]
    yield ("at once", None, "partitions"), summary["unavailable"]["after_start"]["max_partitions"]
    for part in BREAKDOWNS:
        sums: Counter[str] = Counter()
        for piece in run.reasons_after_start:
            sums[getattr(piece, part) or "(none)"] += piece.duration_ms
        for of, value in sums.items():
            yield (f"by {part}", of, "partition_ms"), value
    yield from _rebalances(run)
    if run.info.source != "recorded":  # a log does not tell of commits that went well
        yield _ACCEPTED, summary["commits"]["accepted"]
        yield _REFUSED, summary["commits"]["refused"]
        yield _READ_TWICE, summary["reprocessed_records"]
    yield ("unsafe", None, "partition_ms"), summary["commits"]["unsafe_ms"]


def _rebalances(run: Run) -> Iterator[tuple[Key, int]]:
    rows = run.rebalance_rows
    lasted = sorted(row.duration_ms for row in rows if row.duration_ms is not None)
    yield ("rebalances", None, None), len(rows)
    yield ("median rebalance", None, "ms"), lasted[(len(lasted) - 1) // 2] if lasted else 0
    yield ("p95 rebalance", None, "ms"), p95(lasted)
    yield ("longest rebalance", None, "ms"), max(lasted, default=0)
    moves = [row.moved for row in rows if row.moved is not None]
    if moves or not rows:
        yield _MOVED, sum(moves)


def _per_partition(intervals: Iterable[Interval]) -> list[int]:
    """Unavailable ms of every partition, those that were always served included."""
    sums: Counter[Where] = Counter()
    for interval in intervals:
        sums[interval.where] += interval.duration_ms if interval.unavailable else 0
    return list(sums.values())


def p95(values: Sequence[int]) -> int:
    """The smallest value that at least 95 % of all do not exceed; 0 of none."""
    ranked = sorted(values)
    return ranked[ceil(0.95 * len(ranked)) - 1] if ranked else 0


def as_rows(compared: pd.DataFrame, names: Sequence[str]) -> list[dict[str, Any]]:
    """A comparison for JSON: `{"measure", "of", "unit", "values": {run: number}, "differences": {run: number}}`."""

    def plain(value: Any) -> Any:
        return None if pd.isna(value) else value

    first = names[0]
    return [
        {
            **{key: plain(row[key]) for key in COMPARED},
            "values": {name: plain(row[name]) for name in names},
            "differences": {name: plain(row[f"{name} - {first}"]) for name in names[1:]},
        }
        for row in compared.astype(object).to_dict("records")
    ]


def called(named: Mapping[str, Run]) -> dict[str, str]:
    """How a sentence calls the runs of a comparison: by their own names where these differ, else `run a`."""
    own = {name: run.info.name for name, run in named.items()}
    distinct = len(set(own.values())) == len(own)
    return own if distinct else {name: f"run {name}" for name in own}


def in_words(
    rows: Sequence[Mapping[str, Any]],
    unknown: Sequence[str] = (),
    called: Mapping[str, str] | None = None,
    bounded: Collection[str] = (),
) -> str:
    """The answer of a comparison, from its `as_rows`: how long something was down in each run, then the sums.

    `unknown`: the runs of which the total is not known. `called`: how the sentence calls them, if not by their names.
    `bounded`: those whose times are known in bounds only.
    """
    found = {row["measure"]: row["values"] for row in rows if row["of"] is None}
    outages, sums = found.get("outage", {}), found.get("unavailable", {})
    run = {name: name for name in (*outages, *unknown)} | dict(called or {})
    if unknown:
        total = "The total of" if len(unknown) == 1 else "The totals of"
        is_unknown = f"{'is' if len(unknown) == 1 else 'are'} unknown, so nothing is compared."
        return f"{total} {listed([run[name] for name in unknown])} {is_unknown}"
    names = [name for name, ms in outages.items() if ms is not None]
    if len(names) < 2:
        return "No partition is known in some of these runs, so nothing is compared."
    about = {name: "about " if name in bounded else "" for name in names}
    down = {name: f"{about[name]}{duration(outages[name])} in {run[name]}" for name in names}
    least, most = (choose(names, key=lambda name: outages[name]) for choose in (min, max))
    both = f"{down[least]}, the least, and {down[most]}, the most"
    if len(names) == 2:
        both = " and ".join(down.values())
    each = ", ".join(f"{about[name]}{partition_time(sums[name])} in {run[name]}" for name in names)
    return f"One or more partitions were unavailable for a total of {both}. Sum: {each}."
