"""How long something was unavailable, millisecond by millisecond: a second way to the numbers, and a slow one.

Each millisecond of each partition gets a mark, and the marks are counted. Nothing here knows of intervals that touch,
of labels that follow each other, or of several groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.tables.measures import measured
from groupsim.analysis.tables.summary import summarise_simulated, totals_of
from groupsim.events.base import Recorded

Where = tuple[str, str, int]
Marks = dict[Where, np.ndarray[Any, Any]]
Numbers = dict[str, int]
NAMES = ("outage_ms", "longest_partition_ms", "max_partitions")


def marked(found: Iterable[Interval], *, or_unknown: bool = False) -> Marks:
    """By partition: of each millisecond, whether it is unavailable."""
    kept = list(found)
    end_ms = max((i.to_ms for i in kept), default=0)
    marks: Marks = {}
    for i in kept:
        line = marks.setdefault((i.group, i.topic, i.partition), np.zeros(end_ms, dtype=bool))
        served = i.label == "OK" or (i.label == "DOUBLE" and i.sub_label != "none-entitled")
        line[i.from_ms : i.to_ms] = not served and (or_unknown or i.label != "UNKNOWN")
    return marks


def counted(marks: Marks) -> Numbers:
    """The numbers of these marks."""
    at_once = np.zeros(max(map(len, marks.values()), default=0) + 1, np.int32)
    longest_ms = 0
    for line in marks.values():
        at_once[: len(line)] += line
        ends = np.concatenate([[False], line, [False]])
        edges = np.flatnonzero(ends[1:] != ends[:-1])
        longest_ms = max([longest_ms, *(edges[1::2] - edges[::2])])
    return dict(zip(NAMES, (int(np.count_nonzero(at_once)), int(longest_ms), int(np.max(at_once))), strict=True))


def _after_start(found: Sequence[Interval], founded: frozenset[str] | None) -> Marks:
    """The marks after start-up: what comes before every first partition of a group has been served, or had an owner
    that died or froze, is taken away; of a group that never worked what its start explains. `founded`: see `summarise`.
    """
    begin: dict[str, int] = {}
    for i in found:
        begin[i.group] = min(i.from_ms, begin.get(i.group, i.from_ms))
    first = {(i.group, i.topic, i.partition) for i in found if i.from_ms == begin[i.group]}
    served: dict[Where, int] = {}
    for i in found:
        if i.available or i.label in ("OWNER_DEAD", "OWNER_STALLED"):
            where = i.group, i.topic, i.partition
            served[where] = min(i.from_ms, served.get(where, i.from_ms))
    waits = {where[0] for where in first - served.keys()}
    works: defaultdict[str, int] = defaultdict(int)
    for where in first & served.keys():
        works[where[0]] = max(works[where[0]], served[where])
    new = {i.group for i in found} if founded is None else founded
    marks = marked(found)
    for i in found:
        if i.group in new and i.group in waits and i.cause == "start":
            marks[i.group, i.topic, i.partition][i.from_ms : i.to_ms] = False
    for where, line in marks.items():
        if where[0] in new and where[0] not in waits:
            line[: works[where[0]]] = False
    return marks


def _of_group(marks: Marks, group: str) -> Marks:
    return {where: line for where, line in marks.items() if where[0] == group}


def differences(found: Sequence[Interval], founded: frozenset[str] | None = None) -> list[str]:
    """Where `totals_of` has other numbers: of all groups together and of each, of the whole run and after start-up."""
    if not found:
        return []
    totals = totals_of(found, founded)
    own, groups = totals.unavailable(), totals.with_shares({})
    wrong = []
    for window, prefix, marks in (
        (own, "", marked(found)),
        (own["after_start"], "after_start_", _after_start(found, founded)),
    ):
        if (mine := {name: window[name] for name in NAMES}) != (right := counted(marks)):
            wrong.append(f"{prefix}: {mine}, not {right}")
        for group, shown in groups.items():
            right = counted(_of_group(marks, group))
            mine = {name: shown[prefix + name] for name in NAMES[:2]}
            if mine != {name: right[name] for name in mine}:
                wrong.append(f"{group} {prefix}: {mine}, not {right}")
    return wrong


def differences_simulated(facts: Sequence[Recorded], found: Sequence[Interval]) -> list[str]:
    """The same of a simulated run, and where the sums of its facts alone or its measures are others."""
    if not found:
        return []
    wrong = differences(found)
    passing, whole = summarise_simulated(lambda _: facts).totals, totals_of(found)
    if passing.unavailable() != whole.unavailable():
        wrong.append(f"changes: {passing.unavailable()}, intervals: {whole.unavailable()}")
    if passing.with_shares({}) != whole.with_shares({}):
        wrong.append(f"changes: {passing.with_shares({})}, intervals: {whole.with_shares({})}")
    row, numbers = measured(facts, found), whole.unavailable()
    for prefix, window in (("", numbers), ("after_start_", numbers["after_start"])):
        wrong += [f"measure {prefix}{name}" for name in NAMES if row[prefix + name] != window[name]]
    return wrong
