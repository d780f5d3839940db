"""Logs whose times have no day: --date gives the first, midnight the next; without it they are relative."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.incidents.lines import CLASS, M1, write

C = "[Consumer clientId=c1, groupId=billing] "


def line(clock: str, generation: int) -> str:
    said = f"Successfully joined group with generation Generation{{generationId={generation}, memberId='{M1}'"
    return f"{clock} INFO {C}{said}, protocol='range'}}{CLASS}"


def instants(folder: Path, *clocks: str, date: str | None = "2024-02-28") -> list[str | None]:
    log = write(folder, *(line(clock, number) for number, clock in enumerate(clocks)))
    return [row.at for row in read_files([log], date=date).rows]


def test_midnight_begins_the_next_day_and_a_late_line_is_of_the_day_before(tmp_path: Path) -> None:
    assert instants(tmp_path, "23:59:58,500", "00:00:01,000", "23:59:59,900", "00:00:02,000", "22:00:00,000") == [
        "2024-02-28T23:59:58.500Z",
        "2024-02-29T00:00:01.000Z",
        "2024-02-28T23:59:59.900Z",
        "2024-02-29T00:00:02.000Z",
        "2024-02-29T22:00:00.000Z",
    ]


def test_a_clock_that_steps_back_a_little_stays_on_its_day(tmp_path: Path) -> None:
    assert instants(tmp_path, "10:00:01,000", "10:00:00,200")[1] == "2024-02-28T10:00:00.200Z"


def test_a_year_that_is_missing_is_that_of_the_date(tmp_path: Path) -> None:
    assert instants(tmp_path, "Nov 12 10:00:00", date="2022-11-01") == ["2022-11-12T10:00:00.000Z"]


def test_times_with_a_day_keep_it(tmp_path: Path) -> None:
    assert instants(tmp_path, "2023-04-10 16:15:57,500") == ["2023-04-10T16:15:57.500Z"]


def test_without_a_date_such_times_are_relative_and_a_note_says_so(tmp_path: Path) -> None:
    reading = read_files([write(tmp_path, line("23:59:59,000", 1), line("00:00:09,000", 2))])
    result = import_run(reading, MemoryStore(), name=None, topics={})
    assert result.run.simulated_ms == 10_000
    assert any("times without a day" in remark and "--date" in remark for remark in result.remarks)


def test_a_log_without_days_beside_one_with_days_is_refused_until_its_day_is_given(tmp_path: Path) -> None:
    dayless = write(tmp_path, *(line(f"10:00:0{n},000", n) for n in range(4)), name="a.log")
    dated = write(tmp_path, line("2024-02-28 10:00:05,000", 5), name="b.log")
    store = MemoryStore()
    with pytest.raises(LogError, match=r"a\.log: 4 of the 4 rows .* give their day with --date"):
        import_run(read_files([dayless, dated]), store, name=None, topics={})
    result = import_run(read_files([dayless, dated], date="2024-02-28"), store, name=None, topics={})
    assert result.run.origin == "2024-02-28T10:00:00.000Z"


def test_a_date_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"--date '28\.02\.2024' is no day; write it as 2024-03-31"):
        instants(tmp_path, "10:00:00,000", date="28.02.2024")
