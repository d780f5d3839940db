"""UTC times beside the milliseconds of recorded incidents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from groupsim.storage.store import RunInfo

AT = "at"


def with_instants(
    rows: Sequence[dict[str, Any]], columns: Sequence[str], info: RunInfo, key: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows and columns, for a recorded run with `at`: the UTC time of `key` (ISO 8601, milliseconds)."""
    if info.origin is None:
        return list(rows), list(columns)
    origin = datetime.fromisoformat(info.origin)

    def instant(ms: int) -> str:
        return (origin + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    timed = [{AT: None if row.get(key) is None else instant(row[key]), **row} for row in rows]
    return timed, [AT, *columns]
