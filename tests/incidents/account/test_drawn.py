"""For every process, partition and property: what is surely so was so, and what was so is possible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from tests.incidents.account.draws import DAMAGES, beside, checked, draw, fails, shrunk

_OF_EACH = 60


@pytest.mark.parametrize("protocol", [CLASSIC, CONSUMER])
@pytest.mark.parametrize("part", range(6))
def test_the_account_of_drawn_groups_holds_the_truth(protocol: str, part: int, tmp_path: Path) -> None:
    for number in range(part * _OF_EACH // 6, (part + 1) * _OF_EACH // 6):
        one = draw(number, protocol)
        folder = tmp_path / str(number)
        folder.mkdir()
        found = checked(one, folder)
        if found is not None and found.broken:
            least = shrunk(one, fails)
            raise AssertionError(f"draw {number}: {found.broken[0]}; shrunk: {least}")


@pytest.mark.parametrize("protocol", [CLASSIC, CONSUMER])
def test_with_all_logs_the_bounds_are_about_as_narrow_as_the_imports_or_narrower(protocol: str, tmp_path: Path) -> None:
    own = imported = 0
    for number in range(0, 60, 6):  # every sixth draw has all logs
        (folder := tmp_path / str(number)).mkdir()
        found, bounds = checked(draw(number, protocol), folder), beside(draw(number, protocol), folder)
        assert found is not None
        assert found.at_most_ms is not None
        assert bounds is not None
        assert bounds[1] is not None
        own += found.at_most_ms - found.at_least_ms
        imported += bounds[1] - bounds[0]
    assert own < 1.05 * imported


@pytest.mark.parametrize("damage", DAMAGES)
def test_cut_logs_coarse_times_and_clocks_that_are_off_leave_more_open(damage: str, tmp_path: Path) -> None:
    for number in range(18):
        (folder := tmp_path / str(number)).mkdir()
        found = checked(replace(draw(number, CLASSIC), damage=damage), folder)
        assert found is None or not found.broken, f"draw {number}: {found.broken[0]}"


@pytest.mark.parametrize("protocol", [CLASSIC, CONSUMER])
def test_the_topic_is_a_source_like_the_others(protocol: str, tmp_path: Path) -> None:
    for number in range(12, 24):
        (folder := tmp_path / str(number)).mkdir()
        found = checked(replace(draw(number, protocol), topic=True), folder)
        assert found is None or not found.broken, f"draw {number}: {found.broken[0]}"


@pytest.mark.parametrize(
    ("protocol", "number"),
    [
        (CLASSIC, 606_246),
        (CLASSIC, 911_454),
        (CLASSIC, 3_001_267),
        (CONSUMER, 502_284),
        (CONSUMER, 515_292),
        (CONSUMER, 910_675),
        (CONSUMER, 8_001_144),
    ],
)
def test_draws_that_were_false_once_hold_the_truth(protocol: str, number: int, tmp_path: Path) -> None:
    found = checked(draw(number, protocol), tmp_path)
    assert found is not None
    assert not found.broken


@pytest.mark.parametrize(
    ("protocol", "number"),
    [(CLASSIC, 6_000_001), (CLASSIC, 6_000_071), (CLASSIC, 6_000_103), (CONSUMER, 6_000_014), (CONSUMER, 6_000_083)],
)
def test_draws_with_a_cut_log_that_were_false_once_hold_the_truth(protocol: str, number: int, tmp_path: Path) -> None:
    found = checked(replace(draw(number, protocol), damage="a cut log"), tmp_path)
    assert found is not None
    assert not found.broken
