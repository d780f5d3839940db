"""What of two runs of the same story is comparable: generations, callbacks, which partitions stood still, how long."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from groupsim.conformance.timelines import intervals

Record = dict[str, Any]
Generations = tuple[tuple[int, int], ...]
"""`(generation, members)` of every completed join phase."""
Callbacks = tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]
"""Per process the kinds and sets of its callbacks, in order."""


def generations(run: Record) -> Generations:
    """The group's generations, in order."""
    return tuple((b["generation"], b["n_members"]) for b in run["broker"] if b["kind"] == "join_completed")


def rounds_in_window(run: Record) -> tuple[int, ...]:
    """How many members each generation had that began in the window: free of how the start went."""
    opens = run["summary"]["window_ms"][0]
    return tuple(b["n_members"] for b in run["broker"] if b["kind"] == "join_completed" and b["t_ms"] >= opens)


def callbacks(run: Record) -> Callbacks:
    """What every process's listener was told."""
    told: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for event in run["events"]:
        if event["kind"] in ("assigned", "revoked", "lost"):
            partitions = tuple(f"{t}-{p}" for t, p in sorted(event.get("partitions", ())))
            told[f"{event['member']}.{event['incarnation']}"].append((event["kind"], partitions))
    return tuple((process, tuple(told[process])) for process in sorted(told))


def stood_still(run: Record) -> tuple[str, ...]:
    """The partitions that were unavailable in the window."""
    return tuple(sorted(p for p, gaps in run["unavailable"].items() if intervals.length(gaps) > 0))


def unavailable_ms(run: Record) -> int:
    """Partition-milliseconds in all."""
    return int(run["summary"]["unavailable_partition_ms"])
