"""What an instance of Kafka Streams prints of itself: its settings and process id, and the standbys that it gave.

These lines name no client. They count for the consumers of the instance's threads, with the subscription of each, so
that a process begins no earlier than with its first line about the group. An instance prints its settings before its
threads subscribe; what a leader decides, it prints after that.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groupsim.events.streams import STANDBYS_DECIDED
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.logs.client_libraries import of_streams
from groupsim.incidents.logs.row_kinds import RowKind

Settings = dict[str, object]


def with_instances_settings(rows: Sequence[TimedRow]) -> list[TimedRow]:
    """The rows: those about an instance are left out, and what they say is among the settings of its consumers."""
    printed: dict[str, Settings] = {}
    subscribed: dict[str, int] = {}
    decided: dict[int, int] = {}
    found: list[TimedRow] = []
    for timed in rows:
        row = timed.row
        settings = row.detail.get("settings")
        if row.kind == RowKind.CLIENT_SETTING and row.client is row.group is None and isinstance(settings, dict):
            if STANDBYS_DECIDED not in settings:
                printed[row.file] = {**printed.get(row.file, {}), **settings}
            elif (place := subscribed.get(row.file)) is not None:
                decided[place] = max(settings[STANDBYS_DECIDED], decided.get(place, 0))
            continue
        if row.kind == RowKind.CLIENT_SUBSCRIBED and of_streams(row.client or ""):
            subscribed[row.file] = len(found)
            timed = _with(timed, printed.get(row.file, {}))
        found.append(timed)
    for place, standbys in decided.items():
        found[place] = _with(found[place], {STANDBYS_DECIDED: standbys})
    return found


def _with(timed: TimedRow, more: Settings) -> TimedRow:
    known = timed.row.detail.get("settings")
    settings = {**(known if isinstance(known, dict) else {}), **more}
    return TimedRow(timed.at, msgspec.structs.replace(timed.row, detail={**timed.row.detail, "settings": settings}))
