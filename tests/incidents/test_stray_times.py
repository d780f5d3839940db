"""A line with a stray year makes no outage of centuries: it is named and left out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from groupsim.analysis.availability.intervals import intervals
from tests.incidents.imported import adding, import_logs, joined
from tests.incidents.lines import write

TOPICS = {"orders": 2}


def history() -> list[str]:
    lines = []
    for number in range(6):
        lines += [*joined(5 * number, number + 1), adding(5 * number + 1, "orders-0", "orders-1")]
    return lines


def unavailable_ms(path: Path) -> tuple[int, tuple[str, ...]]:
    result, facts = import_logs(path, topics=TOPICS)
    return sum(each.duration_ms for each in intervals(facts) if each.unavailable), result.remarks


@pytest.mark.parametrize("year", ["1970", "1999", "2023", "2025", "9900"])
@pytest.mark.parametrize("place", [0, 7, -1])
def test_one_line_with_a_stray_year_is_left_out_and_named(tmp_path: Path, year: str, place: int) -> None:
    lines = history()
    whole, _ = unavailable_ms(write(tmp_path, *lines))
    lines[place] = lines[place].replace("2024-03-01", f"{year}-02-01")
    found, remarks = unavailable_ms(write(tmp_path, *lines))
    off_by_a_year = year in ("2023", "2025")
    if off_by_a_year and place in (0, -1):
        return  # a first or last line within a year of the others may be right
    assert abs(found - whole) < 60_000
    assert any("left out" in each and f"{year}-02-01" in each for each in remarks)


def test_days_of_silence_are_no_strays(tmp_path: Path) -> None:
    lines = history()
    lines[-4:] = [line.replace("2024-03-01", "2024-03-09") for line in lines[-4:]]
    _, remarks = unavailable_ms(write(tmp_path, *lines))
    assert not any("left out" in each for each in remarks)


def test_a_log_whose_days_stand_in_another_order_loses_no_day(tmp_path: Path) -> None:
    lines = history()
    later = [line.replace("2024-03-01", "2024-03-05") for line in lines]
    _, remarks = unavailable_ms(write(tmp_path, *later, *lines, *[x.replace("03-01", "03-07") for x in lines]))
    assert not any("left out" in each for each in remarks)


def test_the_last_line_of_a_file_counts_only_with_a_time_that_can_be_right(tmp_path: Path) -> None:
    log = write(tmp_path, *history(), "[9000-01-01 00:00:00,000] INFO something else")
    result, _ = import_logs(log, topics=TOPICS)
    assert (result.run.simulated_ms or 0) < 60_000
    assert any("9000-01-01" in each and "last line" in each for each in result.remarks)


def test_many_jumping_times_are_no_burden(tmp_path: Path) -> None:
    """A hostile log whose time jumps with every line is read like any other."""
    rng = random.Random(1)
    lines = [
        line.replace("2024-03-01", f"{rng.randrange(1000, 9900)}-03-01") for _ in range(400) for line in joined(0, 1)
    ]
    import_logs(write(tmp_path, *lines), topics=TOPICS)
