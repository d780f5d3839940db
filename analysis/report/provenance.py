"""Where a recorded incident's facts come from: the lines of its logs, by file and by rebalance.

A report is sent to others, so the folder on the disk of whoever wrote it is left out.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from groupsim.analysis.report.lanes import starts, window
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.events.base import Recorded, group_of
from groupsim.storage.store import RunInfo
from groupsim.wording.names import shown

LINES_OF_A_REBALANCE = 40
LINES_IN_ALL = 4_000


class Folder(NamedTuple):
    """Where the files of a run are: with a separator at the end, empty where their names say no folder of a disk.

    `of`: what is in it.
    """

    path: str
    of: str

    def left_out(self, text: str) -> str:
        """The text with names of files as they are seen from the folder."""
        return text.replace(self.path, "") if self.path else text


def folder(info: RunInfo) -> Folder:
    """The one that holds all logs of a recorded run, or the scenario of a simulated one."""
    names = _logs(info) or ([] if info.scenario_path is None else [info.scenario_path])
    absolute = [name for name in names if os.path.isabs(name)]
    if not absolute:
        return Folder("", "")
    path = os.path.commonpath([os.path.dirname(name) for name in absolute])
    if path == os.path.dirname(path):  # the root: names of logs from different folders stay whole
        return Folder("", "")
    return Folder(os.path.join(path, ""), "logs" if _logs(info) else "scenario")


def _logs(info: RunInfo) -> list[str]:
    return [str(value) for key, value in info.params.items() if key.startswith("log.")]


def files(info: RunInfo, facts: Sequence[Recorded], named: Callable[[str], str]) -> list[dict[str, Any]]:
    """Per log: its name, and how many facts rest on it."""
    counts: Counter[str] = Counter()
    for fact in facts:
        if fact.source is not None:
            counts[fact.source.rpartition(":")[0]] += 1
    names = _logs(info)
    return [{"file": shown(named(name)), "facts": counts[name]} for name in [*names, *sorted(set(counts) - set(names))]]


def lines(
    rows: Sequence[Rebalance], facts: Sequence[Recorded], end_ms: int, named: Callable[[str], str]
) -> dict[str, list[list[Any]]]:
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
            of_rebalance[str(number)] = [_line(fact, named) for fact in chosen]
    return of_rebalance


def _line(fact: Recorded, named: Callable[[str], str]) -> list[Any]:
    body = msgspec.to_builtins(fact.event)
    kind = body.pop("type")
    text = " ".join(f"{key}={value}" for key, value in body.items())
    return [fact.at_ms, shown(named(fact.source or "")), kind, shown(text, 160)]
