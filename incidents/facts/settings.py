"""The settings of a process, from what it prints of them: blocks, single lines, requests, and its own heartbeats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from groupsim.incidents.default_settings import STEP_MS
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind

_HEARTBEAT, _MAX_POLL = "heartbeat.interval.ms", "max.poll.interval.ms"
_LEAST_BEATS = 3
"""So many intervals of one generation tell the timer; a busy program may send some late, never early."""
_SAME = 0.01


def settings_of(rows: Sequence[PlacedRow]) -> dict[str, int | bool | str]:
    """By Kafka's names; what is printed counts before what its heartbeats show."""
    found: dict[str, int | bool | str] = {}
    interval_ms = _between_heartbeats(rows)
    if interval_ms is not None:
        found[_HEARTBEAT] = interval_ms
    for _, timed in rows:
        detail = timed.row.detail
        limit_ms = int_in(detail.get("limit_ms")) if timed.row.kind == RowKind.POLL_TIMEOUT else None
        if limit_ms:
            found[_MAX_POLL] = limit_ms
        settings = detail.get("settings")
        if timed.row.kind in (RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SETTING) and isinstance(settings, dict):
            found |= {str(name): value for name, value in settings.items() if isinstance(value, int | bool | str)}
    return found


def _between_heartbeats(rows: Sequence[PlacedRow]) -> int | None:
    """The shortest usual time between two heartbeats of one generation, as a round number if it is nearly one."""
    beats = [timed for _, timed in rows if timed.row.kind == RowKind.HEARTBEAT_SENT]
    gaps = sorted(
        later.at - each.at
        for each, later in pairwise(beats)
        if each.row.detail.get("generation") == later.row.detail.get("generation") and later.at > each.at
    )
    if len(gaps) < _LEAST_BEATS:
        return None
    usual = gaps[len(gaps) // 4]
    whole = usual // STEP_MS * STEP_MS
    return whole if whole and usual - whole <= _SAME * usual else usual
