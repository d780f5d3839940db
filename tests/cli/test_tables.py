"""Tables that fit the terminal."""

from __future__ import annotations

import io
import re
import sys

import pytest

from groupsim.cli import output
from groupsim.cli.output import Format
from groupsim.cli.table_layout import fit, heading
from tests.cli.conftest import Call

NAMES = ("group", "cause", "started_ms", "moved", "slowest_member")
ROWS = (
    ("s04-kill9.range.d0.r1.937f", "member-joined", "1,282", "6", "m1.0"),
    ("s04-kill9.range.d0.r1.937f", "session-expired", "13,279", "4", "m2.0"),
)
NUMERIC = (False, False, True, True, False)


def total(widths: dict[int, int]) -> int:
    """The width of a line."""
    return sum(widths.values()) + 2 * (len(widths) - 1)


def test_a_table_that_fits_is_left_as_it_is() -> None:
    found = fit(NAMES, ROWS, NUMERIC, 200)
    assert (found.columns, found.same, found.left_out) == ([0, 1, 2, 3, 4], [], [])
    assert found.widths[0] == len(ROWS[0][0])


@pytest.mark.parametrize("width", [30, 40, 50, 60, 70])
def test_numbers_stay_whole_at_any_width(width: int) -> None:
    found = fit(NAMES, ROWS, NUMERIC, width)
    assert total(found.widths) <= width
    for i in found.columns:
        assert not NUMERIC[i] or found.widths[i] >= max(len(row[i]) for row in ROWS)


def test_what_is_the_same_in_every_row_goes_before_anything_is_left_out() -> None:
    found = fit(NAMES, ROWS, NUMERIC, 50)
    assert (found.same, found.left_out) == ([0], [])


def test_spare_columns_are_left_out_first_and_the_last_column_is_not() -> None:
    assert fit(NAMES, ROWS, NUMERIC, 30, spare=("moved",)).left_out[0] == 3
    found = fit(NAMES, ROWS, NUMERIC, 24)
    assert found.left_out
    assert 4 in found.columns


def test_a_heading_wider_than_its_column_has_the_unit_below() -> None:
    assert heading("started_ms", 7) == "started\n_ms"
    assert heading("started_ms", 10) == "started_ms"


def test_a_narrow_terminal_is_informed_about_hidden_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "34")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    output.rows([dict(zip(NAMES, row, strict=True)) for row in ROWS], NAMES, Format.TABLE, spare=("moved",))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()
    assert lines[0].strip() == "group  s04-kill9.range.d0.r1.937f"
    assert all(len(line) <= 34 for line in lines)
    assert any("13,279" in line for line in lines)
    assert capsys.readouterr().err.startswith("the terminal is too narrow for moved")


def test_a_table_of_lags_that_nobody_would_wait_for_is_refused_with_what_to_do(call: Call) -> None:
    """720,006 rows, which were laid out for minutes."""
    call("run", "close_during_rebalance")
    refused = call("lag", "latest", "--every", "1")
    said = "--every 1 gives 720,006 rows, and a table has at most 200,000; name a longer one, or --format csv"
    assert (refused.status, refused.out, refused.err) == (2, "", f"groupsim: {said}\n")
    assert call("lag", "latest", "--every", "60000").status == 0
