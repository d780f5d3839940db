"""Where the total is unknown, it has the narrower of the import's bounds and of those that the account proves."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.tables.bounds import Supported, support
from groupsim.analysis.tables.proved_bounds import ProvedBounds, inside, proved_bounds
from groupsim.storage.log_gaps import Doubt, Proved, by_account, check, log_gaps, proved, without_account
from tests.analysis.test_support import OUTAGE, interval

LEAST = [(91_000, 1), (98_000, 0)]
MOST = [(85_000, 1), (99_000, 0)]
OPEN = [interval(Label.OK, 0, 50_000), interval(Label.UNKNOWN, 50_000, 100_000)]


def stored(
    least: list[tuple[int, int]], most: list[tuple[int, int]] | None, why: str = "no log of m2"
) -> dict[str, Any]:
    return log_gaps([why], [], []) | by_account([Proved("billing", least, most)])


def test_an_unknown_total_has_bounds_that_the_account_proves() -> None:
    found = support(stored(LEAST, MOST), OPEN)
    assert (found.at_least_ms, found.at_most_ms) == (7_000, 14_000)
    assert (found.unknown or "").startswith("no log of m2")
    without = support(without_account(stored(LEAST, MOST)), OPEN)
    assert (without.at_least_ms, without.at_most_ms) == (0, None)


@pytest.mark.parametrize(
    ("least", "most", "bounds"),
    [
        ([(0, 1), (1_000, 0)], [(0, 1), (90_000, 0)], (5_000, 20_000)),  # the import's are narrower
        ([(0, 1), (7_000, 0)], None, (7_000, 20_000)),
        ([(0, 1), (1_000, 0)], [(0, 1), (12_000, 0)], (5_000, 12_000)),
        ([(0, 1), (60_000, 0)], [(0, 1), (12_000, 0)], (5_000, 20_000)),  # they contradict each other: one is false
    ],
)
def test_the_narrower_of_both_counts(
    least: list[tuple[int, int]], most: list[tuple[int, int]] | None, bounds: tuple[int, int]
) -> None:
    gaps = log_gaps([], [Doubt("billing", 80_000, 95_000, None, "silent")], [])
    found = support(gaps | by_account([Proved("billing", least, most)]), OUTAGE)
    assert (found.at_least_ms, found.at_most_ms) == bounds


def test_a_total_that_is_known_has_no_other_bounds() -> None:
    known = by_account([Proved("billing", [(0, 1), (60_000, 0)], [(0, 1), (70_000, 0)])])
    assert support(known, OUTAGE) == support({}, OUTAGE)


def test_a_part_of_the_run_has_its_part_of_the_bounds() -> None:
    logs = Supported(stored(LEAST, MOST), OPEN)
    part = logs.support((95_000, 98_500))
    assert (part.at_least_ms, part.at_most_ms) == (3_000, 3_500)


def test_an_upper_bound_of_several_groups_needs_one_of_each() -> None:
    other = Interval("payments", "orders", 0, Label.UNKNOWN, None, None, "start", 0, 100_000)
    found = support(stored(LEAST, MOST), [*OPEN, other])
    assert (found.at_least_ms, found.at_most_ms) == (7_000, None)
    both = log_gaps(["x"], [], []) | by_account([Proved(name, LEAST, MOST) for name in ("billing", "payments")])
    assert support(both, [*OPEN, other]).at_most_ms == 28_000


def test_outages_have_the_bounds_too() -> None:
    shown = Supported(stored([(91_000, 2), (98_000, 0)], MOST), OPEN).unavailable()
    assert (shown["at_least_outage_ms"], shown["at_most_outage_ms"]) == (7_000, 14_000)
    assert shown["at_most_longest_partition_ms"] == 14_000


def test_an_outage_is_at_least_no_longer_than_at_most() -> None:
    """One of two that contradict each other is false."""
    gaps = log_gaps([], [Doubt("billing", 80_000, 95_000, None, "silent")], [])
    shown = Supported(gaps | by_account([Proved("billing", [(0, 1), (60_000, 0)], None)]), OUTAGE).unavailable()
    assert shown["at_least_outage_ms"] == shown["at_most_outage_ms"] == 20_000


def test_counts_inside_a_period() -> None:
    steps = [(10, 2), (20, 1), (30, 0), (40, 3)]
    assert inside(steps, 0, 50) == [(2, (10, 20)), (1, (20, 30)), (3, (40, 50))]
    assert inside(steps, 15, 25) == [(2, (15, 20)), (1, (20, 25))]
    assert inside(steps, 31, 39) == []
    assert inside([], 0, 50) == []


def test_a_store_of_before_has_none() -> None:
    assert proved({}) == {}
    assert proved_bounds(OPEN, {}) == ProvedBounds()


@pytest.mark.parametrize(
    "bad",
    [
        {"group": 3},
        {"group": "g", "least": [[1, "x"]], "most": None},
        7,
        {"group": "g", "least": [[1, -1]], "most": None},
    ],
)
def test_what_is_no_such_list_is_refused(bad: object) -> None:
    with pytest.raises(msgspec.MsgspecError):
        check({"proved": [bad]})
