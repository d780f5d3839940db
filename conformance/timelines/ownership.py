"""Who owned what, and what nobody served: the definitions of a recording, computed from its events.

The same code reads recorded and re-enacted events, so that a difference between the two is never one of definition.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from groupsim.conformance.timelines import intervals
from groupsim.conformance.timelines.intervals import Span, Spans

Process = tuple[str, int]
"""A member's label and its incarnation."""
Record = dict[str, Any]
REMOVALS = ("member_left", "session_expired", "join_timeout", "sync_timeout", "static_replaced")
"""Facts of the broker after which a member id is no longer in the group."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What happened in a run, in the recording's form: `events`, `broker` and `actions` in the order of time.

    `frozen`: by `label.incarnation`. `existing`: since when (ms) a partition exists.
    """

    events: list[Record]
    broker: list[Record]
    actions: list[Record]
    frozen: dict[str, Spans]
    existing: dict[str, int]
    end_ms: int


def name(partition: list[Any]) -> str:
    """`["orders", 0]` as `orders-0`."""
    return f"{partition[0]}-{partition[1]}"


def ownership(seen: Seen) -> dict[str, list[Record]]:
    """Per partition its owners: from the end of an assigned callback to the begin of revoked or lost, or the kill."""
    held: dict[tuple[str, Process], Record] = {}
    owned: dict[str, list[Record]] = defaultdict(list)
    happened = [(e["t_ms"], 0, n, e) for n, e in enumerate(seen.events)]
    happened += [
        (a["t_ms"], 1, n, {**a, "kind": "killed"}) for n, a in enumerate(seen.actions) if a["action"] == "kill"
    ]
    for at, _, _, event in sorted(happened, key=lambda h: h[:3]):
        process = (event["member"], event["incarnation"])
        kind = event["kind"]
        if kind == "callback_end" and event["of"] == "assigned":
            for partition in map(name, event["partitions"]):
                interval = {"member": process[0], "incarnation": process[1], "from_ms": at}
                held.setdefault((partition, process), {**interval, "_id": event.get("member_id")})
        elif kind in ("revoked", "lost", "killed"):
            given_up = [name(p) for p in event.get("partitions", ())]
            for key in [k for k in held if k[1] == process and (kind == "killed" or k[0] in given_up)]:
                owned[key[0]].append({**held.pop(key), "to_ms": at, "ended_by": kind})
    for (partition, _), interval in held.items():
        owned[partition].append({**interval, "to_ms": seen.end_ms, "ended_by": "run_end"})
    return {
        p: sorted(owned[p], key=lambda i: (i["from_ms"], i["to_ms"], i["member"])) for p in sorted(owned, key=_order)
    }


def _order(partition: str) -> tuple[str, int]:
    topic, _, number = partition.rpartition("-")
    return topic, int(number)


def _live(seen: Seen, interval: Record) -> Spans:
    """The part of an interval in which the owner was not frozen."""
    process = f"{interval['member']}.{interval['incarnation']}"
    return intervals.without([[interval["from_ms"], interval["to_ms"]]], seen.frozen.get(process, []))


def first_full_ownership_ms(seen: Seen, owned: dict[str, list[Record]]) -> int | None:
    """When the last of the partitions that existed from the start found its first owner."""
    first = [
        min((i["from_ms"] for i in owned.get(partition, ())), default=None)
        for partition, since in seen.existing.items()
        if since == 0
    ]
    return None if None in first else max((f for f in first if f is not None), default=None)


def unavailable(
    seen: Seen, owned: dict[str, list[Record]], window: Span, callbacks: dict[Process, Spans] | None = None
) -> dict[str, Spans]:
    """Per partition the time in the window without a live, not frozen owner; with `callbacks`: who isn't in one."""
    found = {}
    for partition in sorted(seen.existing, key=_order):
        live: Spans = []
        for interval in owned.get(partition, ()):
            busy = (callbacks or {}).get((interval["member"], interval["incarnation"]), [])
            live += intervals.without(_live(seen, interval), busy)
        gaps = intervals.without([[max(window[0], seen.existing[partition]), window[1]]], live)
        if gaps:
            found[partition] = gaps
    return found


def two_live_owners(seen: Seen, owned: dict[str, list[Record]], window: Span) -> dict[str, Spans]:
    """Per partition the time in the window with two live owners."""
    found = {
        p: intervals.within(intervals.twice([s for i in owned[p] for s in _live(seen, i)]), [window]) for p in owned
    }
    return {p: two for p, two in found.items() if two}


def removed_but_owning(seen: Seen, owned: dict[str, list[Record]], window: Span) -> dict[str, Spans]:
    """Per partition the time in which the broker had removed its live owner's member id."""
    removed = {b.get("old_member_id") or b["member_id"]: b["t_ms"] for b in seen.broker if b["kind"] in REMOVALS}
    found = {}
    for partition, held in owned.items():
        zombie = [
            span
            for i in held
            if i["_id"] in removed
            for span in intervals.within(_live(seen, i), [[removed[i["_id"]], seen.end_ms]])
        ]
        if zombie := intervals.within(zombie, [window]):
            found[partition] = zombie
    return found


def callbacks(seen: Seen) -> dict[Process, Spans]:
    """When each process was inside a rebalance listener."""
    found: dict[Process, Spans] = defaultdict(list)
    running: dict[Process, int] = {}
    for event in seen.events:
        process = (event["member"], event["incarnation"])
        if event["kind"] in ("assigned", "revoked", "lost"):
            running[process] = event["t_ms"]
        elif event["kind"] == "callback_end" and process in running:
            found[process].append([running.pop(process), event["t_ms"]])
    for process, since in running.items():
        found[process].append([since, seen.end_ms])
    return dict(found)
