"""Processes that were frozen for less than their session: only a heartbeat that came too late shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groupsim.replay.reconstruct.incarnation import Incarnation, Stall, StallKind
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.rebalances import Generation

_LATE_MS = 300
"""A heartbeat is late by this much, and by a tenth of its interval, without any reason."""
QUIET = (
    "no log shows a fault after the members joined; a process that was frozen for less than its session would leave no"
    " trace in them, and what that cost is in none of these figures"
)


def add_short_stops(
    incarnations: Iterable[Incarnation], generations: Sequence[Generation], settings: Mapping[str, int]
) -> list[str]:
    """Add a stall to each process that heard of a rebalance more than one heartbeat interval late; the notes on them.

    It was frozen when that heartbeat was due, since its last line at the earliest, and for less than its session.
    """
    notes = []
    for incarnation in incarnations:
        for joined, heard in incarnation.heartbeats:
            due = _due(joined, heard, generations, settings[HEARTBEAT])
            if due is None or _explained(incarnation, joined, heard):
                continue
            lines = [at for at in incarnation.line_times if at < due]
            since = max([joined, heard - settings[SESSION], *lines[-1:]])
            stall = Stall(StallKind.FROZEN, min(since + 1, due), heard, by_ms=due)
            incarnation.stalls = sorted([*incarnation.stalls, stall], key=lambda each: each.to_ms or 0)
            notes.append(
                f"{incarnation.name} heard of a rebalance {heard - due} ms after its heartbeat was due: assumed to have"
                f" been frozen from {since / 1_000:,.1f} to {due / 1_000:,.1f} s of the record (each seed draws a"
                f" time) until {heard / 1_000:,.1f} s; in the record's own figure it serves meanwhile"
            )
    return notes


def _due(joined_ms: int, heard_ms: int, generations: Sequence[Generation], interval_ms: int) -> int | None:
    """When the heartbeat was due that came at `heard_ms`, if it was too late; it had to report the next rebalance."""
    began = [
        g.started_ms
        for g in generations
        if g.started_ms is not None and g.cause != "unknown" and joined_ms < g.started_ms <= heard_ms
    ]
    if not began:
        return None
    beats = -(-(began[0] - joined_ms) // interval_ms)
    due = joined_ms + beats * interval_ms
    late = _LATE_MS + interval_ms // 10 + 8 * beats
    return due if heard_ms - began[0] > interval_ms + late and heard_ms - due > late else None


def _explained(incarnation: Incarnation, joined_ms: int, heard_ms: int) -> bool:
    """Whether something else is known of that time: it lost its coordinator, was removed or frozen anyway."""
    lost = any(joined_ms < at <= heard_ms for at in incarnation.coordinator_losses)
    return lost or any(
        (stall.expired_ms or stall.from_ms or 0) <= heard_ms and (stall.to_ms is None or stall.to_ms > joined_ms)
        for stall in incarnation.stalls
    )


def is_quiet(incarnations: Iterable[Incarnation]) -> bool:
    """Whether no log shows that anything happened to a process."""
    return not any(each.ending or each.stalls or each.subscriptions or each.coordinator_losses for each in incarnations)
