"""Durations and instants as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from groupsim.wording.numbers import seconds


def duration(ms: float) -> str:
    """Milliseconds, with a unit that suits their size.

    >>> duration(340), duration(12_340), duration(600_000), duration(7_500_000)
    ('340 ms', '12.3 s', '10m00s', '2h05m')
    """
    if ms < 1_000:
        return f"{ms:,.0f} ms"
    if ms < 100_000:
        return f"{seconds(ms)} s"
    minutes, rest = divmod(round(ms / 1_000), 60)
    return f"{minutes}m{rest:02d}s" if minutes < 60 else f"{minutes // 60:,}h{minutes % 60:02d}m"


def moment(ms: int, origin: str | None) -> str:
    """An instant, in milliseconds since a run's start: how far into the run, or in UTC if it began at `origin`.

    `origin`: ISO 8601, with a zone.

    >>> moment(242_000, None)
    '4m02s'
    >>> moment(242_050, "2024-03-01T10:00:00+01:00")
    '2024-03-01 09:04:02.050 UTC'
    """
    if origin is None:
        return duration(ms)
    at = datetime.fromisoformat(origin).astimezone(UTC) + timedelta(milliseconds=ms)
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1_000:03d} UTC"


def clock_times(first_ms: int, last_ms: int) -> str:
    """Two instants, in UTC milliseconds since 1970, to the second; the date twice only where it is another.

    >>> clock_times(1_657_455_766_398, 1_657_455_796_500), clock_times(1_657_455_766_398, 1_657_455_766_400)
    ('2022-07-10 12:22:46 to 12:23:16', '2022-07-10 12:22:46')
    """
    first, last = (datetime.fromtimestamp(ms / 1_000, UTC) for ms in (first_ms, last_ms))
    begin = f"{first:%Y-%m-%d %H:%M:%S}"
    if begin == f"{last:%Y-%m-%d %H:%M:%S}":
        return begin
    return f"{begin} to {last:%H:%M:%S}" if first.date() == last.date() else f"{begin} to {last:%Y-%m-%d %H:%M:%S}"
