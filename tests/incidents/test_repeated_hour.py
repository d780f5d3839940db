"""The hour that the clock shows twice in autumn, in logs without zones: the second time counts as the second."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.tables.bounds import support
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.log_gaps import is_unbounded, unsupported
from groupsim.storage.memory import MemoryStore
from tests.incidents.lines import CLASS, M1, write

UNAVAILABLE = Interval("billing", "t", 0, Label.WITHHELD, None, None, None, 0, 4_000_000)
C = "[Consumer clientId=c1, groupId=billing] "


def line(clock: str, generation: int) -> str:
    said = f"Successfully joined group with generation Generation{{generationId={generation}, memberId='{M1}'"
    return f"[2024-10-27 {clock},000] INFO {C}{said}, protocol='range'}}{CLASS}"


def instants(folder: Path, *clocks: str, tz: str = "Europe/Berlin") -> list[str]:
    log = write(folder, *(line(clock, number) for number, clock in enumerate(clocks, 1)))
    return [str(row.at)[11:19] for row in read_files([log], tz=tz).rows]


def test_the_second_time_of_the_hour_begins_where_the_clock_steps_back(tmp_path: Path) -> None:
    clocks = ("01:59:00", "02:10:00", "02:59:59", "02:00:01", "02:30:00", "03:00:00")
    assert instants(tmp_path, *clocks) == ["23:59:00", "00:10:00", "00:59:59", "01:00:01", "01:30:00", "02:00:00"]


def test_lines_a_little_late_do_not_change_the_hour(tmp_path: Path) -> None:
    clocks = ("01:59:59", "02:00:00", "01:59:59", "02:00:30", "02:00:00", "02:59:59", "02:00:00", "02:59:59")
    expected = ["23:59:59", "00:00:00", "23:59:59", "00:00:30", "00:00:00", "00:59:59", "01:00:00", "00:59:59"]
    assert instants(tmp_path, *clocks) == expected


def test_an_hour_is_not_lost_in_an_outage(tmp_path: Path) -> None:
    """A step of one hour between two lines: real time went on by ten seconds."""
    log = write(tmp_path, line("02:59:55", 4), line("02:00:05", 5), line("02:00:06", 6))
    run = import_run(read_files([log], tz="Europe/Berlin"), MemoryStore(), name=None, topics={}).run
    assert run.simulated_ms == 11_000


def test_times_in_an_hour_that_the_zone_skips_are_of_another_zone(tmp_path: Path) -> None:
    """In spring 02:00 is followed by 03:00 in Berlin; 03:00 would be read as an hour before 02:59."""
    lines = [line(clock, n).replace("2024-10-27", "2024-03-31") for n, clock in enumerate(("02:59:50", "03:00:20"), 1)]
    run = import_run(read_files([write(tmp_path, *lines)], tz="Europe/Berlin"), MemoryStore(), name=None, topics={}).run
    (said,) = [why for why in unsupported(run.summary) if "Europe/Berlin skips" in why]
    assert "from 2024-03-31T02:59:50.000 on" in said
    assert is_unbounded(run.summary)
    right = import_run(read_files([write(tmp_path, *lines)], tz="UTC"), MemoryStore(), name=None, topics={}).run
    assert not [why for why in unsupported(right.summary) if "skips" in why]


def test_a_doubtful_hour_gives_no_lower_bound(tmp_path: Path) -> None:
    """It is read as the first of the two; were it the second, all would have lasted an hour less."""
    log = write(tmp_path, *(line(clock, n) for n, clock in enumerate(("01:50:00", "02:30:00", "03:00:20"), 1)))
    run = import_run(read_files([log], tz="Europe/Berlin"), MemoryStore(), name=None, topics={"t": 2}).run
    assert is_unbounded(run.summary)
    assert support(run.summary, [UNAVAILABLE]).at_least_ms == 0


def test_a_clock_that_steps_back_without_a_reason_makes_the_total_unknown(tmp_path: Path) -> None:
    """As it does without --tz: what lasts 30 s over the end of the hour would have lasted no time at all."""
    clocks = ("01:50:00", "02:59:50", "02:00:20")
    log = write(tmp_path, *(line(clock, number) for number, clock in enumerate(clocks, 1)))
    run = import_run(read_files([log]), MemoryStore(), name=None, topics={"t": 2}).run
    assert any("steps back by 3,570 s at line 3" in why for why in unsupported(run.summary))
    assert support(run.summary, [UNAVAILABLE]).at_least_ms == 0


@pytest.mark.parametrize(
    ("clocks", "doubtful"),
    [
        (("01:50:00", "02:10:00", "02:50:00"), False),  # the log ends in the hour
        (("01:50:00", "02:10:00", "02:05:00", "03:10:00"), False),
        (("01:50:00", "02:10:00", "03:10:00"), True),
        (("02:10:00", "03:10:00"), True),
        (("02:10:00", "02:20:00"), True),
        (("02:10:00", "02:00:00"), False),
        (("01:10:00", "03:10:00"), False),
    ],
)
def test_an_hour_that_stays_ambiguous_makes_the_total_unknown(
    tmp_path: Path, clocks: tuple[str, ...], doubtful: bool
) -> None:
    log = write(tmp_path, *(line(clock, number) for number, clock in enumerate(clocks, 1)))
    run = import_run(read_files([log], tz="Europe/Berlin"), MemoryStore(), name=None, topics={}).run
    said = [why for why in unsupported(run.summary) if "one hour twice" in why]
    assert len(said) == doubtful


def test_the_zone_of_a_field_has_its_repeated_hour_too(tmp_path: Path) -> None:
    """Records whose times step back are taken for unordered ones: what hour they are of is doubtful."""
    clocks = ("02:10:00", "02:50:00", "02:10:00")
    records = [
        f'{{"timestamp": "2024-10-27 {clock}", "timezone": "Europe/Berlin", "message": "{C}(Re-)joining group"}}'
        for clock in clocks
    ]
    assert any("one hour twice" in why for why in read_files([write(tmp_path, *records)]).uncertain)


def test_records_of_an_export_in_that_hour_are_doubtful(tmp_path: Path) -> None:
    text = f"{C}Successfully joined group with generation 4"
    rows = [f'"2024-10-27 02:{minute:02}:00.000","{text}"' for minute in range(10, 15)]
    export = tmp_path / "a.csv"
    export.write_text('"time","message"\n' + "\n".join(rows) + "\n", encoding="utf-8")
    assert any("one hour twice" in why for why in read_files([export], tz="Europe/Berlin").uncertain)
    assert not read_files([export], tz="UTC").uncertain
