"""Exports whose platform gives times in minutes, seconds, tenths or hundredths: no total of them is exact."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random

import pytest

from groupsim.analysis.tables.bounds import Support
from groupsim.incidents.exports.moments import moment
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import instant
from tests.incidents.exports.layouts import Line, lines_of, undated
from tests.incidents.imported import supported
from tests.thinned import some

INCIDENTS = sorted(path.parent for path in (Path(__file__).parents[3] / "examples/incidents").glob("*/broker.log.gz"))
MAX_POLL = next(folder for folder in INCIDENTS if folder.name == "max-poll-range")
Print = Callable[[int], str]
"""A platform's way to print UTC milliseconds."""


def printed(pattern: str, digits: int = 0, zeros: int = 0) -> Print:
    def of(ms: int) -> str:
        part = f"{ms % 1_000:03}"[:digits] + "0" * zeros
        return datetime.fromtimestamp(ms // 1_000, UTC).strftime(pattern) + (f".{part}" if part else "") + "Z"

    return of


ISO = "%Y-%m-%dT%H:%M:%S"
PRINTS: dict[str, tuple[Print, int]] = {
    "hundredths": (printed(ISO, 2), 10),
    "tenths": (printed(ISO, 1), 100),
    "seconds": (printed(ISO), 1_000),
    "seconds, zeros": (printed(ISO, 0, 3), 1_000),
    "minutes, zeros": (printed("%Y-%m-%dT%H:%M:00", 0, 3), 60_000),
    "minutes": (printed("%Y-%m-%dT%H:%M"), 60_000),
}
"""The way to print, and its resolution in milliseconds."""
EXACT = printed(ISO, 3)
FIELDS = ["timestamp", "pod", "message"]
Rows = list[tuple[str, str, str]]


def json_lines(rows: Rows, path: Path) -> None:
    path.write_text("".join(json.dumps(dict(zip(FIELDS, row, strict=True))) + "\n" for row in rows))


def json_array(rows: Rows, path: Path) -> None:
    path.write_text(json.dumps([dict(zip(FIELDS, row, strict=True)) for row in rows]))


def comma_separated(rows: Rows, path: Path) -> None:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([FIELDS, *rows])


KINDS = {"JSON lines": json_lines, "JSON array": json_array, "CSV": comma_separated}


@cache
def exported(folder: Path) -> list[Line]:
    return undated(lines_of(folder))


@cache
def exact(folder: Path) -> Support:
    return supported(sorted(folder.glob("*.log.gz")), {"orders": 12})


def is_broker(line: Line) -> bool:
    return "broker" in line.stream


def bounded(folder: Path, export: Path) -> Support:
    """What an export of an example rests on, after its bounds were seen to hold what the plain logs say."""
    true, found = exact(folder), supported([export], {"orders": 12})
    assert true.at_most_ms is not None
    assert found.at_least_ms <= true.at_least_ms
    assert found.at_most_ms is None or true.at_most_ms <= found.at_most_ms
    assert found.unknown is not None or found.inexact
    return found


IN_TURN = [
    (folder, [*KINDS][(nth + place) % len(KINDS)], how)
    for nth, folder in enumerate(INCIDENTS)
    for place, how in enumerate(PRINTS)
]
"""Each incident in each way to print, as one kind of file; each kind is printed in each way, too."""


@pytest.mark.parametrize(("folder", "kind", "how"), IN_TURN, ids=lambda each: getattr(each, "name", each))
def test_the_bounds_hold_what_the_plain_logs_say(folder: Path, kind: str, how: str, tmp_path: Path) -> None:
    shown, resolution_ms = PRINTS[how]
    KINDS[kind]([(shown(line.ms), line.stream, line.text) for line in exported(folder)], tmp_path / "export")
    assert bounded(folder, tmp_path / "export").precision.resolution_ms == resolution_ms


def two_ways(lines: Sequence[Line], broker: Print, client: Print, path: Path) -> None:
    shown = [((broker if is_broker(line) else client)(line.ms), line) for line in lines]
    comma_separated([(time, line.stream, line.text) for time, line in sorted(shown, key=lambda each: each[0])], path)


WAYS = {name: way for name, (way, _) in PRINTS.items()} | {"exact": EXACT}
PAIRS = [(one, other) for one in WAYS for other in WAYS if one.split(",")[0] != other.split(",")[0]]


@pytest.mark.parametrize(("one", "other"), some(PAIRS, 2))
def test_streams_may_have_resolutions_of_their_own(one: str, other: str, tmp_path: Path) -> None:
    two_ways(exported(MAX_POLL), WAYS[one], WAYS[other], tmp_path / "export.csv")
    widths = [PRINTS[name][1] if name in PRINTS else 0 for name in (one, other)]
    assert bounded(MAX_POLL, tmp_path / "export.csv").precision.resolution_ms == max(widths)
    reading = read_files([tmp_path / "export.csv"])
    for stream, found in read_times(reading).items():
        width = widths["broker" not in stream]
        assert any(note.startswith(f"{stream}: times in") for note in reading.notes) == (width > 0)
        true = [line.ms for line in exported(MAX_POLL) if stream.endswith(f"[{line.stream}]")]
        assert found == sorted(found)
        assert {ms // max(width, 1) for ms in found} <= {ms // max(width, 1) for ms in true}


@pytest.mark.parametrize("how", PRINTS)
def test_records_in_no_order_leave_no_lower_bound(how: str, tmp_path: Path) -> None:
    rows: Rows = [(PRINTS[how][0](line.ms), line.stream, line.text) for line in exported(MAX_POLL)]
    Random(1).shuffle(rows)
    comma_separated(rows, tmp_path / "export.csv")
    found = bounded(MAX_POLL, tmp_path / "export.csv")
    assert found.at_least_ms == 0


def read_times(reading: Reading) -> dict[str, list[int]]:
    """The times of each stream's rows, in the order of its lines."""
    found: dict[str, list[int]] = defaultdict(list)
    for row in sorted((*reading.rows, *reading.context), key=lambda row: row.line or 0):
        if row.at is not None:
            found[row.file].append(instant(row.at))
    return found


def resolution_ms(tmp_path: Path, times: Sequence[object], pods: Sequence[str] = ("p",)) -> int:
    """That of an export of a client's records with these times, in turn by these pods."""
    said = "INFO [Consumer clientId=c, groupId=g] (Re-)joining group"
    records = [{"time": at, "pod": pods[n % len(pods)], "message": f"{said} {n}"} for n, at in enumerate(times)]
    (tmp_path / "a.json").write_text(json.dumps(records))
    return read_files([tmp_path / "a.json"]).resolution_ms


MINUTE_MS = 1_709_287_200_000


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([1_709_287_207, 1_709_287_208], 1_000),
        ([1_709_287_207_000, 1_709_287_208_000], 1_000),
        ([1_709_287_207.0, 1_709_287_208.0], 1_000),
        ([1_709_287_207.0, 1_709_287_208.3], 100),
        ([1_709_287_207.35, 1_709_287_208.3], 10),
        ([1_709_287_207.351, 1_709_287_208.3], 0),
        (["1709287207.3", "1709287208.3"], 100),
        ([1_709_287_207_351, 1_709_287_208_000], 0),
        ([MINUTE_MS, MINUTE_MS + 60_000], 60_000),
        ([MINUTE_MS, MINUTE_MS], 1_000),
        ([MINUTE_MS, MINUTE_MS, MINUTE_MS], 60_000),
        (["2024-03-01 10:00:07:351", "2024-03-01 10:00:08:000"], 0),
        (["20240301T100007.351Z", "20240301T100008.000Z"], 0),
        (["3/1/2024 10:00", "3/1/2024 10:01"], 60_000),
        (["2024-03-01T10:00:07.351Z", *(f"2024-03-01T10:00:{n}.3Z" for n in range(10, 40)), "2024-03-01T10:00:40Z"], 0),
        (["2024-03-01T10:00:07.351Z", "2024-03-01T10:00:08Z", "2024-03-01T10:00:09Z"], 1_000),
    ],
    ids=str,
)
def test_the_resolution_is_that_of_the_finest_time_of_a_stream(
    tmp_path: Path, times: list[object], expected: int
) -> None:
    assert resolution_ms(tmp_path, times) == expected


def test_a_short_stream_has_the_minutes_of_the_others(tmp_path: Path) -> None:
    assert resolution_ms(tmp_path, [MINUTE_MS, MINUTE_MS, MINUTE_MS + 60_000], ["p", "q"]) == 60_000
    notes = read_files([tmp_path / "a.json"]).notes
    assert sum("times in whole minutes" in note for note in notes) == 2


def test_a_few_records_of_one_minute_are_seconds_if_the_others_are(tmp_path: Path) -> None:
    times = [MINUTE_MS, MINUTE_MS, MINUTE_MS, MINUTE_MS + 7_000, MINUTE_MS, MINUTE_MS + 9_000]
    assert resolution_ms(tmp_path, times, ["p", "q"]) == 1_000


@pytest.mark.parametrize("how", ["tenths", "hundredths"])
@pytest.mark.parametrize("overlap", [(120, 80), (None, 80), (120, 0)], ids=str)
def test_what_two_files_have_of_one_stream_counts_once(
    how: str, overlap: tuple[int | None, int], tmp_path: Path
) -> None:
    rows: Rows = [(PRINTS[how][0](line.ms), line.stream, line.text) for line in exported(MAX_POLL)]
    begin, end = overlap
    json_array(rows[:begin], tmp_path / "a.json")
    json_array(rows[end:], tmp_path / "b.json")
    json_array(rows, tmp_path / "whole")
    parts, whole = read_files([tmp_path / "a.json", tmp_path / "b.json"]), read_files([tmp_path / "whole"])
    assert sorted(row.kind for row in parts.rows) == sorted(row.kind for row in whole.rows)


def test_the_time_of_day_of_a_spreadsheet_has_minutes_only() -> None:
    found = moment("2024-03-01 10:00+02:00", None)
    assert found is not None
    assert (found.ns, found.resolution) == (1_709_280_000_000_000_000, 60_000_000_000)
    assert moment("10:00", None) is None
