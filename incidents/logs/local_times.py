"""Times without a zone, in order: when clocks go back an hour, the local times of one hour come twice."""

from __future__ import annotations

from datetime import tzinfo

from groupsim.incidents.logs.times import Stamp, in_utc, iso, to_utc

_STEP_MS = 60_000
"""Lines may be written late by less than this. A clock that steps back further has begun the hour anew."""
_LATE_MS = 1_000
"""A line of the first of the two hours may come so late that one of the second stands before it."""


class LocalTimes:
    """Turns the stamps of one log into UTC, in the order of its lines. `zone` is that of times without one.

    An hour that comes twice is read as its first time, until the clock steps back in it. `doubts` are sentences about
    such hours in which it never does, although the log goes on after them or begins in them, and about times that the
    zone does not have, because its clocks go forward.
    """

    def __init__(self, zone: tzinfo | None, name: str = "") -> None:
        self.doubts: list[str] = []
        self._zone, self._name = zone, name
        self._before = False
        """Whether a line from before the hour was seen."""
        self._began: int | None = None
        """UTC of the first line of the hour that we are in, if we are in one."""
        self._first = 0
        """The latest local time in the hour, the first time it came …"""
        self._second: int | None = None
        """… and the second time; None before."""
        self._skipped = False
        """Whether a line had a time that the zone does not have."""

    def utc(self, stamp: Stamp) -> int | None:
        """UTC milliseconds since 1970; None for a time that is missing, and for one that no calendar has."""
        first = to_utc(stamp, self._zone)
        zone = stamp.zone or self._zone
        if first is None or stamp.ms is None or stamp.zoned or zone is None:
            return first
        second = in_utc(stamp.ms, zone, fold=1)
        if second < first and not self._skipped:
            self._skipped = True
            begin = iso(stamp.ms).removesuffix("Z")
            self.doubts.append(
                f"{self._name}: from {begin} on its times are in an hour that {zone} skips (its clocks go forward):"
                " they are of another zone; name that with --tz, or export this log with UTC times"
            )
        if second > first:
            return first if self._is_first(stamp.ms, first) else second
        if self._began is not None and first > self._began:
            self.end(goes_on=True)
            self._began = None
        self._before = True
        return first

    def _is_first(self, local: int, utc: int) -> bool:
        if self._began is None:
            self._began, self._first, self._second = utc, local, None
        if self._second is None and local > self._first - _STEP_MS:
            self._first = max(local, self._first)
            return True
        late = self._second is not None and abs(local - self._first) < _LATE_MS and local > self._second + _STEP_MS
        if not late:
            self._second = local if self._second is None else max(local, self._second)
        return late

    def end(self, *, goes_on: bool = False) -> None:
        """The log ends here; `goes_on`: only the hour does."""
        if self._began is None or self._second is not None or (self._before and not goes_on):
            return
        self.doubts.append(
            f"{self._name}: the clock shows one hour twice (it goes back), and the lines from {iso(self._began)} on do"
            " not say in which of the two they were written: they are read as of the first; export this log with UTC"
            " times"
        )
