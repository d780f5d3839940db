"""Progress bars: at a terminal, for what takes a while, never one within another, never with --quiet."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from groupsim.api import progress as bars
from groupsim.cli import progress
from groupsim.cli.existing_store import existing
from tests.cli.conftest import Call

EXAMPLE = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"


class Screen(io.StringIO):
    """What a user sees."""

    def isatty(self) -> bool:
        return True


Sits = Callable[[], Screen]


@pytest.fixture
def sits(monkeypatch: pytest.MonkeyPatch) -> Sits:
    """From its call on, stderr is a terminal on which everything takes a while."""

    def sit() -> Screen:
        screen = Screen()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(bars, "PATIENCE_S", 0.0)
        monkeypatch.setenv("TERM", "xterm")
        return screen

    return sit


def test_reading_a_run_shows_how_far_it_is(call: Call, sits: Sits) -> None:
    run = call("run", "initial_delay", "--format", "json").json["run"]
    screen = sits()
    with existing("groupsim.db") as store:
        facts = sum(1 for _ in store.read(run))
        assert facts == store.find(run).facts > 256
    assert "reading" in screen.getvalue()
    assert " %" in screen.getvalue()


def test_a_bar_within_a_bar_and_a_quick_task_are_not_shown(sits: Sits, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = sits()
    with progress.progress("outer") as outer, progress.progress("inner") as inner:
        outer(0.5)
        inner(0.5)
    assert "outer" in screen.getvalue()
    assert "inner" not in screen.getvalue()
    screen = sits()
    monkeypatch.setattr(bars, "PATIENCE_S", 60.0)
    with progress.progress("quick") as tell:
        tell(1.0)
    assert screen.getvalue() == ""


def test_each_phase_of_an_import_and_of_an_explanation_has_its_bar(call: Call, sits: Sits) -> None:
    logs = [str(log) for log in sorted(EXAMPLE.glob("*.log.gz"))]
    screen = sits()
    assert call("incident", "import", *logs).status == 0
    shown = screen.getvalue()
    places = [shown.find(phase) for phase in ("reading ", "explaining ", "importing ", "measuring ")]
    assert -1 not in places
    assert places == sorted(places)
    screen = sits()
    assert call("explain", *logs, "--no-try").status == 0
    assert "explaining " in screen.getvalue()


def test_a_bar_appears_although_nothing_has_been_reported_yet(sits: Sits) -> None:
    screen = sits()
    with progress.progress("slow"):
        until = time.monotonic() + 5
        while "slow" not in screen.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
    assert "slow" in screen.getvalue()


def test_nothing_is_shown_when_asked_to_be_quiet(call: Call, sits: Sits) -> None:
    screen = sits()
    assert call("run", "initial_delay", "--quiet").status == 0
    assert screen.getvalue() == ""
    assert call("run", "initial_delay").status == 0
    assert "initial_delay" in screen.getvalue()
