"""The derived figures of a run: ownership, unavailability, and the totals over the window."""

from __future__ import annotations

from itertools import chain
from typing import Any

from groupsim.conformance.timelines import intervals, ownership
from groupsim.conformance.timelines.intervals import Intervals
from groupsim.conformance.timelines.ownership import ObservedRun
from groupsim.conformance.timelines.recorded_form import Record
from groupsim.conformance.timelines.recording import ADD_PARTITIONS, CREATE_TOPIC


def summary(run: ObservedRun, opens_at: int | None) -> dict[str, Any]:
    """`ownership, frozen, unavailable, two_live_owners, removed_but_still_owning, summary` of a recording.

    The window runs from `opens_at` to the run's end; None opens it with the first full ownership.
    """
    owned = ownership.ownership(run)
    full = ownership.first_full_ownership_ms(run, owned)
    first = opens_at if opens_at is not None else (run.end_ms if full is None else full)
    window = [first, run.end_ms]
    missing = ownership.unavailable(run, owned, window)
    strict = ownership.unavailable(run, owned, window, ownership.callbacks(run))
    two = ownership.two_live_owners(run, owned, window)
    removed = ownership.removed_but_owning(run, owned, window)
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
