"""The day of times that name none: that of `--date`, and the next one each time the clock passes midnight."""

from __future__ import annotations

from datetime import UTC, date, datetime

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.times import Stamp

FIRST_DAY = "1970-01-01"
"""The day of logs with a time of day only, where nobody gives one: such times are relative."""
_DAY_MS = 86_400_000
_HOUR_MS = 3_600_000


def day(text: str) -> date:
    """The day that a user writes as YYYY-MM-DD. Raises LogError."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise LogError(f"--date {text!r} is no day; write it as 2024-03-31") from None


class Dating:
    """Completes the stamps of one log, in the order of its lines.

    A time of day over an hour before the one before it is of the next day; one over 23 hours after it, of the day
    before: threads write lines a little out of order.
    """

    def __init__(self, first: date) -> None:
        self._year = first.year
        self._midnight = int(datetime(first.year, first.month, first.day, tzinfo=UTC).timestamp()) * 1000
        self._latest: int | None = None

    def complete(self, stamp: Stamp) -> Stamp:
        """The stamp with its day; as it is if it has one, or if no part of one is known."""
        if stamp.ms is not None:
            return stamp
        if stamp.without_year is not None:
            try:
                return stamp._replace(ms=int(stamp.without_year.replace(year=self._year).timestamp() * 1000))
            except ValueError:  # 29 February of another year
                return stamp
        if stamp.clock_ms is None:
            return stamp
        at = self._midnight + stamp.clock_ms
        if self._latest is not None and at < self._latest - _HOUR_MS:
            self._midnight += _DAY_MS
            at += _DAY_MS
        elif self._latest is not None and at > self._latest + 23 * _HOUR_MS:
            return stamp._replace(ms=at - _DAY_MS)
        self._latest = at if self._latest is None else max(at, self._latest)
        return stamp._replace(ms=at)
