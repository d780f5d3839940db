"""Ownership and unavailability as a recording defines them, computed from its events.

The same code reads recorded and re-enacted events, so that they never differ by definition.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from groupsim.conformance.timelines import intervals
from groupsim.conformance.timelines.intervals import Interval, Intervals
from groupsim.conformance.timelines.recorded_form import (
    CALLBACKS,
    Record,
    member_fields,
    partition_name,
    partition_order,
    process_of,
)
from groupsim.events.types import ProcessId

REMOVALS = ("member_left", "session_expired", "join_timeout", "sync_timeout", "static_replaced")
"""Rows of the broker after which a member id is no longer in the group."""


@dataclass(frozen=True, slots=True)
class ObservedRun:
    """What happened in a run, in the recording's form: `events`, `broker` and `actions` in the order of time.

    `frozen`: by `label.incarnation`. `existing`: the time (ms) from which a partition exists.
    """

    events: list[Record]
    broker: list[Record]
    actions: list[Record]
    frozen: dict[str, Intervals]
    existing: dict[str, int]
    end_ms: int


def ownership(run: ObservedRun) -> dict[str, list[Record]]:
    """Per partition its owners: from the end of an assigned callback to the begin of revoked or lost, or the kill."""
    held: dict[tuple[str, ProcessId], Record] = {}
    owned: dict[str, list[Record]] = defaultdict(list)
    happened = [(e["t_ms"], 0, n, e) for n, e in enumerate(run.events)]
    happened += [(a["t_ms"], 1, n, {**a, "kind": "killed"}) for n, a in enumerate(run.actions) if a["action"] == "kill"]
    for at, _, _, event in sorted(happened, key=lambda h: h[:3]):
        process, kind = process_of(event), event["kind"]
        if kind == "callback_end" and event["of"] == "assigned":
            for partition in map(partition_name, event["partitions"]):
                interval = {**member_fields(process), "from_ms": at}
                held.setdefault((partition, process), {**interval, "_id": event.get("member_id")})
        elif kind in ("revoked", "lost", "killed"):
            given_up = [partition_name(p) for p in event.get("partitions", ())]
            for key in [k for k in held if k[1] == process and (kind == "killed" or k[0] in given_up)]:
                owned[key[0]].append({**held.pop(key), "to_ms": at, "ended_by": kind})
    for (partition, _), interval in held.items():
        owned[partition].append({**interval, "to_ms": run.end_ms, "ended_by": "run_end"})
    return {
        p: sorted(owned[p], key=lambda i: (i["from_ms"], i["to_ms"], i["member"]))
        for p in sorted(owned, key=partition_order)
    }


def _live(run: ObservedRun, interval: Record) -> Intervals:
    """The part of an interval in which the owner was not frozen."""
    return intervals.without([[interval["from_ms"], interval["to_ms"]]], run.frozen.get(process_of(interval), []))


def first_full_ownership_ms(run: ObservedRun, owned: dict[str, list[Record]]) -> int | None:
    """When the last of the partitions that existed from the start found its first owner."""
    first = [
        min((i["from_ms"] for i in owned.get(partition, ())), default=None)
        for partition, since in run.existing.items()
        if since == 0
    ]
    return None if None in first else max((f for f in first if f is not None), default=None)


def unavailable(
    run: ObservedRun,
    owned: dict[str, list[Record]],
    window: Interval,
    callbacks: dict[ProcessId, Intervals] | None = None,
) -> dict[str, Intervals]:
    """Per partition the time in the window without a live, not frozen owner; with `callbacks`: who isn't in one."""
    found = {}
    for partition in sorted(run.existing, key=partition_order):
        live: Intervals = []
        for interval in owned.get(partition, ()):
            busy = (callbacks or {}).get(process_of(interval), [])
            live += intervals.without(_live(run, interval), busy)
        gaps = intervals.without([[max(window[0], run.existing[partition]), window[1]]], live)
        if gaps:
            found[partition] = gaps
    return found


def two_live_owners(run: ObservedRun, owned: dict[str, list[Record]], window: Interval) -> dict[str, Intervals]:
    """Per partition the time in the window with two live owners."""
    found = {
        p: intervals.within(intervals.twice([s for i in owned[p] for s in _live(run, i)]), [window]) for p in owned
    }
    return {p: two for p, two in found.items() if two}


def removed_but_owning(run: ObservedRun, owned: dict[str, list[Record]], window: Interval) -> dict[str, Intervals]:
    """Per partition the time in which the broker had removed its live owner's member id."""
    removed = {b.get("old_member_id") or b["member_id"]: b["t_ms"] for b in run.broker if b["kind"] in REMOVALS}
    found = {}
    for partition, held in owned.items():
        zombie = [
            span
            for i in held
            if i["_id"] in removed
            for span in intervals.within(_live(run, i), [[removed[i["_id"]], run.end_ms]])
        ]
        if zombie := intervals.within(zombie, [window]):
            found[partition] = zombie
    return found


def callbacks(run: ObservedRun) -> dict[ProcessId, Intervals]:
    """When each process was inside a rebalance listener."""
    found: dict[ProcessId, Intervals] = defaultdict(list)
    running: dict[ProcessId, int] = {}
    for event in run.events:
        process = process_of(event)
        if event["kind"] in CALLBACKS:
            running[process] = event["t_ms"]
        elif event["kind"] == "callback_end" and process in running:
            found[process].append([running.pop(process), event["t_ms"]])
    for process, since in running.items():
        found[process].append([since, run.end_ms])
    return dict(found)
