"""Files as they come: compressed, cut off, broken, huge, in two time zones."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs import scan
from groupsim.incidents.logs.reader import LogReader
from groupsim.incidents.logs.reading import read_files, rows
from tests.incidents.lines import BROKER, CLASS, CLIENT, OLD, write

STABLE = BROKER + "Stabilized group billing generation {} " + OLD


def test_gzip_is_read_and_line_numbers_are_those_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(("noise\n" * 9 + STABLE.format(4) + "\n").encode()))
    assert [(row.line, row.detail["generation"]) for row in rows(path)] == [(10, 4)]


def test_a_truncated_gzip_gives_what_came_before_and_says_so(tmp_path: Path) -> None:
    lines = "".join(STABLE.format(n) + "\n" for n in range(20_000))
    whole = gzip.compress(lines.encode(), compresslevel=1)
    path = tmp_path / "a.log.gz"
    path.write_bytes(whole[: len(whole) // 2])
    reading = read_files([path])
    assert 0 < len(reading.rows) < 20_000
    assert len(reading.damage) == 1
    assert "a.log.gz is damaged" in reading.damage[0]


def test_block_borders_lose_and_double_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "BLOCK", 700)
    monkeypatch.setattr(scan, "_AHEAD", 300)
    monkeypatch.setattr(scan, "_BEHIND", 200)
    path = write(tmp_path, *(STABLE.format(n) if n % 3 == 0 else "x" * (n % 91) for n in range(500)))
    reader = LogReader(path)
    assert [(row.line, row.detail["generation"]) for row in reader] == [(n + 1, n) for n in range(0, 500, 3)]
    assert reader.counts.lines == 500


def test_a_last_line_without_an_end_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("noise\n" + STABLE.format(4))
    reading = read_files([path])
    assert (reading.counts.lines, len(reading.rows)) == (2, 1)


def test_bad_bytes_and_nuls_do_not_hide_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"\xff\xfe\x00\n\x00" + STABLE.format(4).encode() + b" \xc3\x28\x00\r\n")
    assert [(row.line, row.kind) for row in rows(path)] == [(2, "stabilized")]


def test_utf_16_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(("noise ä\r\n" + STABLE.format(4) + "\r\n").encode("utf-16"))
    assert [(row.line, row.kind) for row in rows(path)] == [(2, "stabilized")]


def test_a_line_longer_than_memory_should_hold_is_cut_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "LONGEST_LINE", 4_096)
    monkeypatch.setattr(scan, "BLOCK", 1_024)
    path = tmp_path / "a.log"
    path.write_text(STABLE.format(3) + "\n" + "group " * 50_000 + "\n" + STABLE.format(4) + "\n")
    reading = read_files([path])
    assert [(row.line, row.detail["generation"]) for row in reading.rows] == [(1, 3), (3, 4)]
    assert "longer than" in reading.damage[0]


def test_an_ordinary_line_of_ten_megabytes_is_read_in_a_moment(tmp_path: Path) -> None:
    listed = ", ".join(f"orders-{n}" for n in range(800_000))
    path = write(tmp_path, CLIENT + "Adding newly assigned partitions: " + listed + CLASS)
    assert path.stat().st_size > 10_000_000
    (row,) = rows(path)
    assert len(row.detail["partitions"]) > 300_000  # type: ignore[arg-type]


def test_an_empty_log_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.touch()
    reading = read_files([path])
    assert (reading.counts.lines, reading.rows) == (0, [])


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"nowhere\.log can't be read: No such file"):
        read_files([tmp_path / "nowhere.log"])
    with pytest.raises(LogError, match="is a folder"):
        read_files([tmp_path])


def test_a_zone_that_does_not_exist_and_a_skew_for_another_file_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, STABLE.format(4))
    with pytest.raises(LogError, match="no time zone 'Europe/Atlantis'"):
        read_files([path], tz="Europe/Atlantis")
    with pytest.raises(LogError, match=r"skew for b\.log"):
        read_files([path], skews={"b.log": 5})


def test_a_skew_moves_one_files_times(tmp_path: Path) -> None:
    a, b = write(tmp_path, STABLE.format(4)), write(tmp_path, STABLE.format(5), name="b.log")
    assert [row.at for row in read_files([a, b], skews={"b.log": -1500}).rows] == [
        "2024-03-01T10:00:00.000Z",
        "2024-03-01T09:59:58.500Z",
    ]


def test_a_line_without_a_time_that_says_something_itself_is_not_the_rest_of_the_line_above(tmp_path: Path) -> None:
    log = tmp_path / "mixed.log"
    log.write_text(
        '%7|1795174267.249|HEARTBEAT|m1#consumer-1| [thrd:main]: Group "g": it is not known what this line says of it\n'
        "INFO [GroupCoordinator id=1] Stabilized group g generation 1 with 1 members. (kafka.coordinator.group)\n"
    )
    assert [(row.kind, row.at) for row in rows(log)] == [("stabilized", None)]


def test_what_a_windows_shell_appended_in_utf_16_is_read(tmp_path: Path) -> None:
    line = "2024-03-01 10:00:00,000 INFO Successfully synced group billing with generation {}\r\n"
    log = tmp_path / "a.log"
    log.write_bytes(line.format(4).encode() + line.format(5).encode("utf-16-le") + line.format(6).encode())
    assert [row.detail["generation"] for row in read_files([log]).rows] == [4, 5, 6]


@pytest.mark.parametrize("how", ["one after the other", "all again"])
def test_lines_that_stand_twice_are_read_once(tmp_path: Path, how: str) -> None:
    once = [
        f"[2024-03-01 10:00:{n:02},000] INFO [GroupCoordinator 1]: Stabilized group billing generation {n} {OLD}"
        for n in range(8)
    ]
    twice = once * 2 if how == "all again" else [line for line in once for _ in range(2)]
    reading = read_files([write(tmp_path, *twice)])
    assert [row.detail["generation"] for row in reading.rows] == list(range(8))
    assert any("lines stand twice" in note for note in reading.notes)


def test_two_lines_of_one_millisecond_are_two(tmp_path: Path) -> None:
    once = [
        f"[2024-03-01 10:00:{n:02},000] INFO [GroupCoordinator 1]: Stabilized group billing generation {n} {OLD}"
        for n in range(8)
    ]
    assert len(read_files([write(tmp_path, *once, once[-1])]).rows) == 9
