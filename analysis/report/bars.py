"""The timeline of a report: one row per partition, one bar per interval with the same label."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from groupsim.analysis.availability.labels import LABELS, Interval
from groupsim.analysis.plots.palette import natural, places
from groupsim.analysis.report.packing import Names, packed
from groupsim.wording.names import shown

_NUMBERS: dict[str, int] = {label: number for number, label in enumerate(LABELS)}


def bars(run_intervals: Sequence[Interval]) -> dict[str, Any]:
    """Rows in order of group, topic, partition; bars row after row, `first[row]` being the number of its first one.

    `from_ms`, `to_ms`, `label` (a place in LABELS), `member` and `cause` (places in the lists of names; 0 is
    none) and `bad` (1: known to be unavailable) are packed columns. `places` has each member's colour.
    """
    members, causes = Names(), Names()
    for names in (members, causes):
        names.number(None)
    rows: list[list[Any]] = []
    first: list[int] = []
    drawn: list[Interval] = []
    ends: list[int] = []
    by_row = groupby(sorted(run_intervals, key=_order), key=lambda i: i.where)
    for (group, topic, partition), intervals in by_row:
        rows.append([shown(group), shown(topic), partition])
        first.append(len(drawn))
        for i in intervals:
            if len(drawn) > first[-1] and _alike(drawn[-1], i) and ends[-1] == i.from_ms:
                ends[-1] = i.to_ms
            else:
                drawn.append(i)
                ends.append(i.to_ms)
    first.append(len(drawn))
    member = [members.number(i.member) for i in drawn]
    placed = places(name for name in members.all if name is not None)
    return {
        "rows": rows,
        "first": packed(first),
        "from_ms": packed(i.from_ms for i in drawn),
        "to_ms": packed(ends),
        "label": packed(_NUMBERS[i.label] for i in drawn),
        "member": packed(member),
        "cause": packed(causes.number(i.cause) for i in drawn),
        "bad": packed(int(i.unavailable) for i in drawn),
        "members": [shown(name) for name in members.all],
        "places": [0 if name is None else placed[name] for name in members.all],
        "causes": [shown(name) for name in causes.all],
    }


def _order(i: Interval) -> tuple[Any, ...]:
    return natural(i.group), i.group, natural(i.topic), i.topic, i.partition, i.from_ms


def _alike(a: Interval, b: Interval) -> bool:
    same = (a.label, a.member, a.cause) == (b.label, b.member, b.cause)
    return same and a.unavailable == b.unavailable
