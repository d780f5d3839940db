"""What an instance of Kafka Streams prints before its stream threads start: its settings, and its process id.

These lines name no client. They count for the consumers of the instance's threads, from the subscription of each on, so
that a process begins no earlier than with its first line about the group.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.logs.client_libraries import of_streams
from groupsim.incidents.logs.row_kinds import RowKind


def with_instances_settings(rows: Sequence[TimedRow]) -> list[TimedRow]:
    """The rows: those about an instance are left out, and what they say is among the settings of its consumers."""
    printed: dict[str, dict[str, object]] = {}
    found = []
    for timed in rows:
        row = timed.row
        settings = row.detail.get("settings")
        if row.kind == RowKind.CLIENT_SETTING and row.client is row.group is None and isinstance(settings, dict):
            printed[row.file] = {**printed.get(row.file, {}), **settings}
            continue
        own = printed.get(row.file)
        if own and row.kind == RowKind.CLIENT_SUBSCRIBED and of_streams(row.client or ""):
            detail = {**row.detail, "settings": own}
            timed = TimedRow(timed.at, msgspec.structs.replace(row, detail=detail))
        found.append(timed)
    return found
