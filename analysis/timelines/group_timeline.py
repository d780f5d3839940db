"""One group over time: its rebalances, its condition from instant to instant, and what its processes do meanwhile.

`analysis.timelines.builder.group_timelines` computes it from a run's facts. Tables, blame, critical paths and the
report read rebalances from here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from groupsim.analysis.timelines.process_timeline import ProcessTimeline
from groupsim.analysis.timelines.rebalance import PhaseName, Rebalance
from groupsim.analysis.timelines.target_progress import TargetProgress


class GroupCondition(StrEnum):
    """What a group is occupied with; `UNLOADED`: no coordinator runs it."""

    EMPTY = "empty"
    REBALANCING = "rebalancing"
    SETTLED = "settled"
    UNLOADED = "unloaded"


class GroupSpan(NamedTuple):
    """A group is in one condition from `from_ms` to `to_ms`.

    `rebalance` is the one that runs, or else the last one that stored an assignment; `phase` that of the running one.
    """

    from_ms: int
    to_ms: int
    condition: GroupCondition
    rebalance: Rebalance | None = None
    phase: PhaseName | None = None


class Removal(NamedTuple):
    """A member was removed: when, and the coordinator's cause."""

    at_ms: int
    cause: str


@dataclass(slots=True)
class GroupTimeline:
    """One group's rebalances in order, its spans, and the timelines of its processes.

    `rebalances` are those of the coordinator's facts; `reported` those that only clients report, where the run has no
    facts of the coordinator. `recorded`: the facts were read from logs. `removals`: when and why each member was
    removed. `returns_ms`: when a static member was replaced by a new process of the same instance id. In the column
    `starts_ms` are the starts of the `spans`. `progress`: how far each partition has come while it is a consumer group.
    """

    group: str
    recorded: bool = False
    rebalances: list[Rebalance] = field(default_factory=list)
    reported: list[Rebalance] = field(default_factory=list)
    processes: dict[str, ProcessTimeline] = field(default_factory=dict)
    removals: dict[str, list[Removal]] = field(default_factory=dict)
    returns_ms: dict[str, list[int]] = field(default_factory=dict)
    starts_ms: list[int] = field(default_factory=list)
    spans: list[tuple[GroupCondition, Rebalance | None, PhaseName | None]] = field(default_factory=list)
    progress: TargetProgress = field(default_factory=TargetProgress)

    def enter(
        self, at_ms: int, condition: GroupCondition, rebalance: Rebalance | None, phase: PhaseName | None = None
    ) -> None:
        """From now on it is in this condition; the last one of an instant counts."""
        if self.starts_ms and self.starts_ms[-1] == at_ms:
            self.starts_ms.pop()
            self.spans.pop()
        self.starts_ms.append(at_ms)
        self.spans.append((condition, rebalance, phase))

    def during(self, from_ms: int, to_ms: int) -> Iterator[GroupSpan]:
        """The spans of [from_ms, to_ms), without gaps."""
        i = bisect_right(self.starts_ms, from_ms) - 1
        at = from_ms
        while at < to_ms:
            until = min(self.starts_ms[i + 1], to_ms) if i + 1 < len(self.starts_ms) else to_ms
            condition, rebalance, phase = self.spans[i] if i >= 0 else (GroupCondition.EMPTY, None, None)
            yield GroupSpan(at, until, condition, rebalance, phase)
            at, i = until, i + 1

    def next_rebalance(self, at_ms: int) -> Rebalance | None:
        """The first rebalance that starts at `at_ms` or later."""
        i = bisect_left(self.rebalances, at_ms, key=lambda r: r.started_ms)
        return self.rebalances[i] if i < len(self.rebalances) else None

    def process(self, name: str | None) -> ProcessTimeline | None:
        """The timeline of a process; None if it has no log."""
        return self.processes.get(name or "")

    def setting(self, name: str | None) -> str | None:
        """A setting of consumer groups by the name that it has in a streams group (KIP-1071), if it is one."""
        streams = name is not None and any(process.streams for process in self.processes.values())
        return name.replace("group.consumer.", "group.streams.") if name is not None and streams else name

    def removal(self, member: str | None, from_ms: int) -> Removal | None:
        """The member's first removal at `from_ms` or later."""
        return next((removal for removal in self.removals.get(member or "", ()) if removal.at_ms >= from_ms), None)
