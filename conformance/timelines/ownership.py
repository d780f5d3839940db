"""Ownership, unavailability and totals as a recording defines them, computed from its events.

The same code reads recorded and re-enacted events, so that they never differ by definition.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import Any

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
from groupsim.conformance.timelines.recording import ADD_PARTITIONS, CREATE_TOPIC
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
    by_partition = {}
    for partition in sorted(run.existing, key=partition_order):
        live: Intervals = []
        for interval in owned.get(partition, ()):
            busy = (callbacks or {}).get(process_of(interval), [])
            live += intervals.without(_live(run, interval), busy)
        gaps = intervals.without([[max(window[0], run.existing[partition]), window[1]]], live)
        if gaps:
            by_partition[partition] = gaps
    return by_partition


def two_live_owners(run: ObservedRun, owned: dict[str, list[Record]], window: Interval) -> dict[str, Intervals]:
    """Per partition the time in the window with two live owners."""
    doubled = {
        p: intervals.within(intervals.twice([s for i in owned[p] for s in _live(run, i)]), [window]) for p in owned
    }
    return {p: two for p, two in doubled.items() if two}


def removed_but_owning(run: ObservedRun, owned: dict[str, list[Record]], window: Interval) -> dict[str, Intervals]:
    """Per partition the time in which the broker had removed its live owner's member id."""
    removed = {b.get("old_member_id") or b["member_id"]: b["t_ms"] for b in run.broker if b["kind"] in REMOVALS}
    by_partition = {}
    for partition, held in owned.items():
        zombie = [
            span
            for i in held
            if i["_id"] in removed
            for span in intervals.within(_live(run, i), [[removed[i["_id"]], run.end_ms]])
        ]
        if zombie := intervals.within(zombie, [window]):
            by_partition[partition] = zombie
    return by_partition


def callbacks(run: ObservedRun) -> dict[ProcessId, Intervals]:
    """When each process was inside a rebalance listener."""
    by_process: dict[ProcessId, Intervals] = defaultdict(list)
    running: dict[ProcessId, int] = {}
    for event in run.events:
        process = process_of(event)
        if event["kind"] in CALLBACKS:
            running[process] = event["t_ms"]
        elif event["kind"] == "callback_end" and process in running:
            by_process[process].append([running.pop(process), event["t_ms"]])
    for process, since in running.items():
        by_process[process].append([since, run.end_ms])
    return dict(by_process)


def summary(run: ObservedRun, opens_at: int | None) -> dict[str, Any]:
    """`ownership, frozen, unavailable, two_live_owners, removed_but_still_owning, summary` of a recording.

    The window runs from `opens_at` to the run's end; None opens it with the first full ownership.
    """
    owned = ownership(run)
    full = first_full_ownership_ms(run, owned)
    first = opens_at if opens_at is not None else (run.end_ms if full is None else full)
    window = [first, run.end_ms]
    missing = unavailable(run, owned, window)
    strict = unavailable(run, owned, window, callbacks(run))
    two = two_live_owners(run, owned, window)
    removed = removed_but_owning(run, owned, window)
    joins = [b["generation"] for b in run.broker if b["kind"] == "join_completed"]
    started = [b["t_ms"] for b in run.broker if b["kind"] == "rebalance_started"]
    return {
        "ownership": {p: [_public(i) for i in owners] for p, owners in owned.items()},
        "frozen": run.frozen,
        "unavailable": missing,
        "two_live_owners": two,
        "removed_but_still_owning": removed,
        "summary": {
            "window_ms": window,
            "first_full_ownership_ms": full,
            "unavailable_partition_ms": _total(missing),
            "unavailable_partition_ms_counting_callbacks": _total(strict),
            "max_unavailable_partitions": intervals.most_at_once(chain.from_iterable(missing.values())),
            "two_live_owners_partition_ms": _total(two),
            "removed_but_still_owning_partition_ms": _total(removed),
            "rebalances_in_window": sum(window[0] <= at <= window[1] for at in started),
            "last_generation": max(joins, default=0),
        },
    }


def all_owned_after_ms(run: ObservedRun, owned: dict[str, list[Record]]) -> int | None:
    """How long after they were asked for all new partitions had an owner; None if one never had."""
    asked = [action["t_ms"] for action in run.actions if action["action"] in (ADD_PARTITIONS, CREATE_TOPIC)]
    new = [p for p, since in run.existing.items() if since]
    first: list[int] = [min(i["from_ms"] for i in owned[p]) for p in new if owned.get(p)]
    return max(first) - min(asked) if len(first) == len(new) else None


def _total(by_partition: dict[str, Intervals]) -> int:
    return sum(intervals.length(s) for s in by_partition.values())


def _public(interval: Record) -> Record:
    return {key: value for key, value in interval.items() if not key.startswith("_")}
