"""A log with times in UTC and others without a zone: the zone of these follows from the order of its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import Stamp
from groupsim.incidents.logs.two_clocks import ahead_of_utc

MINUTE = 60_000
HOUR = 60 * MINUTE
LEFT = (
    "%4|1709287200.500|MAXPOLL|rdkafka#consumer-1| [thrd:main]: Application maximum poll interval (300000ms) exceeded"
)
LEFT += " by 162ms (adjust max.poll.interval.ms for long-running message processing): leaving group"
SAID = "{} Error reading message: Application maximum poll interval (300000ms) exceeded by 162ms"


def utc(ms: int) -> Stamp:
    return Stamp(10**12 + ms, True)


def local(ms: int) -> Stamp:
    return Stamp(10**12 + ms, False)


@pytest.mark.parametrize(
    ("stamps", "ahead_ms"),
    [
        ([utc(0), local(3 * HOUR + 30_000)], 3 * HOUR),
        ([utc(0), local(330 * MINUTE + 5_000), utc(40 * MINUTE)], 330 * MINUTE),
        ([local(-5 * HOUR), utc(4_000)], -5 * HOUR),
        ([utc(0), local(2 * HOUR - 400)], 2 * HOUR),
        ([utc(0), local(65 * MINUTE)], None),  # too far apart to tell an hour's zone from an hour's silence
        ([utc(0), local(40 * MINUTE), utc(50 * MINUTE)], None),
        ([utc(0), local(900), utc(1_000)], 0),
        ([utc(0), utc(HOUR)], None),
    ],
)
def test_what_the_order_of_the_lines_says(stamps: list[Stamp], ahead_ms: int | None) -> None:
    assert ahead_of_utc(stamps) == ahead_ms


@pytest.mark.parametrize(("tz", "seconds"), [(None, 29.5), ("UTC", 3 * 3_600 + 29.5)])
def test_a_log_of_two_formats_is_read_in_one_clock_unless_its_zone_is_given(
    tmp_path: Path, tz: str | None, seconds: float
) -> None:
    path = tmp_path / "app.log"
    path.write_text(f"{LEFT}\n{SAID.format('2024/03/01 13:00:30')}\n", encoding="utf-8")
    reading = read_files([path], tz=tz)
    times = [row.at or "" for row in (*reading.rows, *reading.context, *reading.evidence)]
    assert (min(times), max(times)) == (
        "2024-03-01T10:00:00.500Z",
        f"2024-03-01T{10 + int(seconds // 3_600)}:00:30.000Z",
    )
    assert any("UTC+03:00" in note for note in reading.notes) == (tz is None)
