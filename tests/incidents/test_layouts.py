"""One log in 130 dresses: whatever layout the records come in, the same rows are read out of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading, Row
from tests.incidents.layout_examples import PREFIXED, RELATIVE, STRUCTURED, TEXTS, TIMELESS, WHOLE_SECONDS
from tests.incidents.layouts import Layout, PlainRecord, plain

FILES: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16, big end first": lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be"),
    "UTF-16 without a mark": lambda data: data.decode().encode("utf-16-le"),
    "Windows UTF-16, CRLF": lambda data: data.decode().replace("\n", "\r\n").encode("utf-16"),
    "no newline at the end": lambda data: data.rstrip(b"\n"),
    "NULs between": lambda data: data.replace(b"\n", b"\n\x00\x00", 3),
}
Seen = tuple[str, str | None, str | None, str | None, str | None, str, int]


def seen(row: Row, number: int, second: bool, timeless: bool) -> Seen:
    """What of a row must not depend on the dress; `number` is its record's."""
    at = None if row.at is None or timeless else row.at[:19] if second else row.at
    return row.kind, at, row.group, row.member, row.client, json.dumps(row.detail, sort_keys=True), number


def rows_of(reading: Reading) -> list[Row]:
    return sorted([*reading.rows, *reading.context], key=lambda row: (row.line, row.kind))


def laid_out(path: Path, dress: Layout) -> tuple[Reading, dict[int, int]]:
    """The reading of the plain log's records in a dress, and which record each line begins."""
    written: list[str] = []
    begins: dict[int, int] = {}
    for number, said in enumerate(plain()):
        begins[len(written) + 1] = number
        written.extend(dress(said))
    path.write_text("\n".join(written) + "\n", encoding="utf-8")
    return read_files([path]), begins


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Reading, dict[int, int]]:
    return laid_out(tmp_path_factory.mktemp("plain") / "plain.log", PlainRecord.log4j)


def same(
    path: Path, dress: Layout, expected: tuple[Reading, dict[int, int]], *, second: bool = False, timeless: bool = False
) -> None:
    reading, begins = laid_out(path, dress)
    plain_reading, plain_begins = expected
    rows = [seen(row, begins.get(row.line, -row.line), second, timeless) for row in rows_of(reading)]
    want = [seen(row, plain_begins[row.line], second, timeless) for row in rows_of(plain_reading)]
    assert sorted(set(want) - set(rows), key=str) == []
    assert sorted(rows, key=str) == sorted(want, key=str)
    if timeless:
        assert {row.at for row in reading.rows} == {None}


def test_the_plain_log_is_read_whole(expected: tuple[Reading, dict[int, int]]) -> None:
    reading, _ = expected
    assert (len(reading.rows), len(reading.context), len(reading.unrecognised)) == (107, 23, 0)


@pytest.mark.parametrize("dress", TEXTS.values(), ids=TEXTS)
def test_text_layouts(tmp_path: Path, dress: Layout, expected: tuple[Reading, dict[int, int]]) -> None:
    same(tmp_path / "a.log", dress, expected)


@pytest.mark.parametrize("dress", STRUCTURED.values(), ids=STRUCTURED)
def test_structured_layouts(tmp_path: Path, dress: Layout, expected: tuple[Reading, dict[int, int]]) -> None:
    same(tmp_path / "a.log", dress, expected)


@pytest.mark.parametrize("dress", PREFIXED.values(), ids=PREFIXED)
def test_prefixes_and_wraps(tmp_path: Path, dress: Layout, expected: tuple[Reading, dict[int, int]]) -> None:
    same(tmp_path / "a.log", dress, expected)


@pytest.mark.parametrize("dress", WHOLE_SECONDS.values(), ids=WHOLE_SECONDS)
def test_layouts_of_whole_seconds(tmp_path: Path, dress: Layout, expected: tuple[Reading, dict[int, int]]) -> None:
    same(tmp_path / "a.log", dress, expected, second=True)


@pytest.mark.parametrize("dress", TIMELESS.values(), ids=TIMELESS)
def test_layouts_that_tell_no_instant(tmp_path: Path, dress: Layout, expected: tuple[Reading, dict[int, int]]) -> None:
    same(tmp_path / "a.log", dress, expected, timeless=True)


@pytest.mark.parametrize("dress", RELATIVE.values(), ids=RELATIVE)
def test_times_without_a_day_or_a_year_count_from_a_first_day(
    tmp_path: Path, dress: Layout, expected: tuple[Reading, dict[int, int]]
) -> None:
    path = tmp_path / "a.log"
    reading, begins = laid_out(path, dress)
    plain_reading, plain_begins = expected
    wanted = [seen(row, plain_begins[row.line], False, True) for row in rows_of(plain_reading)]
    found = [seen(row, begins[row.line], False, True) for row in rows_of(reading)]
    assert sorted(found, key=str) == sorted(wanted, key=str)
    assert {row.at[:4] for row in reading.rows if row.at} == {"1970"}
    assert any("--date YYYY-MM-DD" in note for note in reading.notes)


@pytest.mark.parametrize("change", FILES.values(), ids=FILES)
def test_files(tmp_path: Path, change: Callable[[bytes], bytes], expected: tuple[Reading, dict[int, int]]) -> None:
    laid_out(tmp_path / "plain.log", PlainRecord.log4j)
    path = tmp_path / "other.log"
    path.write_bytes(change((tmp_path / "plain.log").read_bytes()))
    rows = [(row.line, row.kind, row.at, row.group, row.member, row.detail) for row in rows_of(read_files([path]))]
    assert rows == [(r.line, r.kind, r.at, r.group, r.member, r.detail) for r in rows_of(expected[0])]
