"""Where a recorded incident's facts come from: the lines of its logs, by file and by rebalance."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from groupsim.analysis.report.lanes import starts, window
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.events.base import Recorded, group_of
from groupsim.storage.store import RunInfo
from groupsim.wording.names import shown

LINES_OF_A_REBALANCE = 40
LINES_IN_ALL = 4_000


def files(info: RunInfo, facts: Sequence[Recorded]) -> list[dict[str, Any]]:
    """Per log: its name as given, and how many facts rest on it."""
    counts: Counter[str] = Counter()
    for fact in facts:
        if fact.source is not None:
            counts[fact.source.rpartition(":")[0]] += 1
    names = [str(value) for key, value in info.params.items() if key.startswith("log.")]
    return [{"file": shown(name), "facts": counts[name]} for name in [*names, *sorted(set(counts) - set(names))]]


def lines(rows: Sequence[Rebalance], facts: Sequence[Recorded], end_ms: int) -> dict[str, list[list[Any]]]:
    """Per rebalance (its number, as text): `[at_ms, file:line, fact, its content]`, at most so many each and in all."""
    of_rebalance: dict[str, list[list[Any]]] = {}
    left = LINES_IN_ALL
    by_group: dict[str, list[Recorded]] = {}
    for fact in facts:
        if fact.source is not None and (group := group_of(fact.stream)) is not None:
            by_group.setdefault(group, []).append(fact)
    for number, (row, until_ms) in enumerate(zip(rows, starts(rows, end_ms), strict=True)):
        from_ms, to_ms = window(row, until_ms, end_ms)
        of_group = by_group.get(row.group, [])
        first = bisect_left(of_group, from_ms, key=lambda fact: fact.at_ms)
        after = bisect_left(of_group, to_ms + 1, key=lambda fact: fact.at_ms)
        chosen = of_group[first : min(after, first + min(LINES_OF_A_REBALANCE, left))]
        left -= len(chosen)
        if chosen:
            of_rebalance[str(number)] = [_line(fact) for fact in chosen]
    return of_rebalance


def _line(fact: Recorded) -> list[Any]:
    body = msgspec.to_builtins(fact.event)
    kind = body.pop("type")
    text = " ".join(f"{key}={value}" for key, value in body.items())
    return [fact.at_ms, shown(fact.source), kind, shown(text, 160)]
