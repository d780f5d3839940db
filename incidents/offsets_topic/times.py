"""Times of records that have none of their own: what the value says, else the last one known."""

from __future__ import annotations

from collections.abc import Mapping

LATEST_MS = 253_370_764_799_999
"""The end of the year 9998: a later time, or what is added to it, may have no date."""
_FIELDS = ("commitTimestamp", "currentStateTimestamp", "assignmentTimestamp", "timestamp")


def own_time(value: Mapping[str, object] | None, otherwise: int) -> int:
    """The time in a value, milliseconds since 1970; `otherwise` where there is none, as in a tombstone."""
    for name in _FIELDS if value is not None else ():
        found = value.get(name) if value is not None else None
        if isinstance(found, int) and 0 < found <= LATEST_MS:
            return found
    return otherwise
