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
