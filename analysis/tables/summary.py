"""A run in a few numbers, in the shape of the command line's contract. Pure Python: needs no pandas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import BOTH_ENTITLED, LABELS, OK, UNKNOWN, Interval
from groupsim.analysis.group_state import GroupState
from groupsim.analysis.log_coverage import COORDINATOR
from groupsim.analysis.timelines.builder import group_timelines
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.world import GroupDeclared

Where = tuple[str, str, int]


def summarise(
    facts: Sequence[Recorded],
    found: Sequence[Interval] | None = None,
    timelines: Mapping[str, GroupTimeline] | None = None,
) -> dict[str, Any]:
    """`groups`, `unavailable`, `commits` and `reprocessed_records` of a whole run.

    `found` and `timelines` are the run's, where the caller has them already: they cost more than all the rest.
    """
    found = intervals(facts) if found is None else found
    counts = Counter(type(fact.event) for fact in facts)
    unsafe_ms = sum(i.duration_ms for i in found if i.sub_label == BOTH_ENTITLED)
    return {
        "groups": groups(facts, timelines),
        "unavailable": unavailable(found),
        "commits": {
            "accepted": counts[CommitAccepted],
            "refused": counts[CommitRefused],
            "unsafe_ms": unsafe_ms,
        },
        "reprocessed_records": reprocessed_records(facts),
    }


def unavailable(found: Iterable[Interval]) -> dict[str, Any]:
    """`partition_ms` (sum of unavailable partition-milliseconds), its parts `by_label`, the most partitions at once,
    and the share of all partition time.

    `unknown_ms`, which is part of neither, is what a recorded log does not tell; DOUBLE counts where nobody may commit.
    """
    by_label = {label: 0 for label in LABELS if label not in (OK, UNKNOWN)}
    total_ms = unknown_ms = 0
    steps: Counter[int] = Counter()
    for i in found:
        total_ms += i.duration_ms
        if i.unavailable:
            by_label[i.label] += i.duration_ms
            steps[i.from_ms] += 1
            steps[i.to_ms] -= 1
        elif not i.available:
            unknown_ms += i.duration_ms
    partition_ms = sum(by_label.values())
    return {
        "partition_ms": partition_ms,
        "by_label": by_label,
        "max_partitions": _highest(steps),
        "share": round(partition_ms / total_ms, 9) if total_ms else 0.0,
        "unknown_ms": unknown_ms,
    }


def _highest(steps: Counter[int]) -> int:
    level = highest = 0
    for _, step in sorted(steps.items()):
        level += step
        highest = max(highest, level)
    return highest


def groups(
    facts: Iterable[Recorded], timelines: Mapping[str, GroupTimeline] | None = None
) -> dict[str, dict[str, Any]]:
    """Per group: protocol, number of rebalances, last generation and members at the end."""
    facts = list(facts)
    books: dict[str, GroupState] = {}
    protocols: dict[str, str] = {}
    for fact in facts:
        event = fact.event
        if isinstance(event, GroupDeclared):
            protocols.setdefault(event.group, event.protocol)
            books.setdefault(event.group, GroupState())
        elif (group := group_of(fact.stream)) is not None:
            of_group = books.setdefault(group, GroupState())
            if type(event) in COORDINATOR:
                of_group.apply(event)
    known = group_timelines(facts) if timelines is None else timelines
    return {
        group: {
            "protocol": protocols.get(group, "classic"),
            "rebalances": len((*known[group].rebalances, *known[group].reported)) if group in known else 0,
            "generation": books[group].generation,
            "members": len(books[group].members),
        }
        for group in sorted(books)
    }


@dataclass(slots=True)
class _Reading:
    """Who reads a partition since which offset, and how far the readers before it had come."""

    process: str | None = None
    start: int = 0
    furthest: int = 0
    former: dict[str, int] = field(default_factory=dict)


def reprocessed_records(facts: Iterable[Recorded]) -> int:
    """Records read again: how far the readers before had come, less the offset where the next one starts.

    A zombie that reports its position after its successor has started counts then, from the successor's start.
    """
    readings: dict[Where, _Reading] = {}
    again = 0
    for fact in facts:
        event = fact.event
        if not isinstance(event, p.PositionReady | p.PositionReached):
            continue
        group = group_of(fact.stream) or ""
        for topic, partition, offset in event.offsets:
            if offset < 0:  # a recorded log does not always tell where
                continue
            reading = readings.setdefault((group, topic, partition), _Reading())
            if isinstance(event, p.PositionReady):
                again += max(0, reading.furthest - offset)
                if reading.process not in (None, event.process):
                    reading.former[str(reading.process)] = offset
                reading.process, reading.start, reading.furthest = event.process, offset, offset
                reading.former.pop(event.process, None)
            elif event.process == reading.process:
                reading.furthest = max(reading.furthest, offset)
            elif event.process in reading.former:
                again += max(0, offset - reading.former.pop(event.process))
    return again
