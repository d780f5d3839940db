"""Where a recorded log does not support a total, the total is unknown: no 0.0, and no figure beside it, but bounds."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from groupsim.analysis.availability.labels import Interval, Label, SubLabel
from groupsim.analysis.tables.bounds import Supported, open_ended, support, supported
from groupsim.analysis.tables.summary import unavailable
from groupsim.storage.log_gaps import EXACT, Doubt, Precision, log_gaps


def interval(label: Label, from_ms: int, to_ms: int, partition: int = 0, sub_label: SubLabel | None = None) -> Interval:
    return Interval("billing", "orders", partition, label, sub_label, None, "start", from_ms, to_ms)


OUTAGE = [interval(Label.OK, 0, 90_000), interval(Label.WITHHELD, 90_000, 100_000)]


def numbers(found: list[Interval]) -> dict[str, Any]:
    return {"unavailable": unavailable(found), "groups": {"billing": {"rebalances": 3}}}


def with_unknown(ms: int) -> list[Interval]:
    return [*OUTAGE, interval(Label.UNKNOWN, 0, ms, 1), interval(Label.OK, ms, 100_000, 1)]


def test_a_figure_that_the_log_supports_stays() -> None:
    found = with_unknown(200)
    shown = supported({}, numbers(found), found)["unavailable"]
    assert (shown["partition_ms"], shown["known_share"]) == (10_000, 0.999)
    assert "unknown" not in shown


@pytest.mark.parametrize(
    ("stored", "found", "reason"),
    [
        ({}, [], "no log names a partition"),
        ({}, [*OUTAGE, interval(Label.UNKNOWN, 0, 150_000, 1)], "60 % of all partition time unknown"),
        ({}, with_unknown(700), "0.7 partition-seconds unknown"),
        (log_gaps(["a.json: its records are in no order"], [], []), OUTAGE, "in no order"),
        (log_gaps([], [Doubt("billing", 0, 600, (("orders", 0),), "c1 fell silent")], []), OUTAGE, "c1 fell silent"),
        (log_gaps([], [Doubt("billing", 0, 600, None, "no broker's log")], []), OUTAGE, "no broker's log"),
    ],
)
def test_a_figure_that_it_does_not_support_is_unknown(
    stored: dict[str, Any], found: list[Interval], reason: str
) -> None:
    shown = supported(stored, numbers(found), found)["unavailable"]
    assert reason in shown["unknown"]
    assert (shown["partition_ms"], shown["share"], shown["by_label"]) == (None, None, {})


@pytest.mark.parametrize(
    "doubt",
    [
        Doubt("other", 0, 50_000, None, "of another group"),
        Doubt("billing", 0, 50_000, (("orders", 7),), "of another partition"),
        Doubt("billing", 0, 400, None, "4 % of the total"),
    ],
)
def test_doubts_that_hardly_change_the_total_leave_it_known(doubt: Doubt) -> None:
    assert support(log_gaps([], [doubt], []), OUTAGE).unknown is None


def test_doubtful_time_is_between_the_bounds() -> None:
    doubt = Doubt("billing", 80_000, 95_000, None, "silent")
    found = support(log_gaps([], [doubt], []), OUTAGE)
    assert (found.at_least_ms, found.at_most_ms, found.known_share) == (5_000, 20_000, 0.85)


def test_doubts_that_overlap_count_once() -> None:
    twice = [Doubt("billing", 0, 10_000, None, "a"), Doubt("billing", 5_000, 15_000, None, "b")]
    assert support(log_gaps([], twice, []), OUTAGE).at_most_ms == 25_000


def test_there_is_no_upper_bound_where_members_have_no_log() -> None:
    found = [*with_unknown(700), interval(Label.OK, 0, 100_000, 2, SubLabel.COORDINATOR_ONLY)]
    bounds = support({}, found)
    assert (bounds.at_least_ms, bounds.at_most_ms) == (10_000, None)


def test_what_a_client_says_of_itself_is_certain_whoever_else_is_in_the_group() -> None:
    found = [interval(Label.PAUSED_CALLBACK, 0, 1_000), interval(Label.WITHHELD, 1_000, 9_000)]
    doubt = Doubt("billing", 0, 9_000, None, "others may be in it", own_word=True)
    assert support(log_gaps(["others"], [doubt], []), found).at_least_ms == 1_000


def test_the_time_before_the_first_assignment_of_a_new_group_is_no_loss() -> None:
    found = with_unknown(700)
    assert support(log_gaps([], [], ["billing"]), found).unknown is None


def test_nothing_unavailable_is_zero() -> None:
    found = [interval(Label.OK, 0, 1_000)]
    assert support({}, found).unknown is None


def test_what_lasts_to_the_end_is_said_only_of_a_part_that_reaches_the_end() -> None:
    assert (open_ended(OUTAGE) or "").startswith("10.0 partition-seconds")
    assert open_ended(OUTAGE, (0, 99_999)) is None
    assert (open_ended(OUTAGE, (95_000, 100_000)) or "").startswith("5.0 partition-seconds")
    assert (open_ended(OUTAGE, (95_000, 200_000)) or "").startswith("5.0 partition-seconds")


SECONDS = Precision(resolution_ms=1_000)


def test_coarse_times_do_not_make_more_unavailable_than_there_was_time() -> None:
    found = [interval(Label.WITHHELD, from_ms, from_ms + 10) for from_ms in range(0, 100, 20)]
    found += [interval(Label.OK, from_ms + 10, from_ms + 20) for from_ms in range(0, 100, 20)]
    rests_on = Supported(log_gaps([], [], ["billing"], SECONDS), sorted(found, key=lambda each: each.from_ms))
    assert rests_on.support().at_most_ms == 100 + 1_000  # the record itself may be a second longer
    assert rests_on.support((20, 80)).at_most_ms == 60  # the edges of a part are exact


def test_what_is_just_outside_of_a_part_may_have_been_in_it() -> None:
    rests_on = Supported(log_gaps([], [], ["billing"], SECONDS), OUTAGE)
    assert (rests_on.support((89_500, 95_000)).at_least_ms, rests_on.support((89_500, 95_000)).at_most_ms) == (
        4_000,
        5_500,
    )
    before = rests_on.support((80_000, 89_500))
    assert (before.at_least_ms, before.at_most_ms, before.inexact) == (0, 1_000, True)
    assert not rests_on.support((10_000, 80_000)).inexact


def outages(found: list[Interval], *doubt: Doubt, exact: Precision = EXACT, new: str = "g") -> list[object]:
    """Between what the outage lies, and the longest of one partition."""
    shown = Supported(log_gaps([], list(doubt), [new], exact), found).unavailable()
    names = [f"{end}_{name}" for name in ("outage_ms", "longest_partition_ms") for end in ("at_least", "at_most")]
    return [shown[name] for name in names]


def test_outages_are_between_what_is_sure_and_what_may_be() -> None:
    found = [*OUTAGE, interval(Label.OK, 0, 80_000, 1), interval(Label.WITHHELD, 80_000, 95_000, 1)]
    found += [interval(Label.OK, 95_000, 100_000, 1)]
    assert outages(found) == [20_000, 20_000, 15_000, 15_000]
    unsure = Doubt("billing", 92_000, 98_000, (("orders", 0), ("orders", 1)), "dated in bounds", inexact=True)
    assert outages(found, unsure) == [12_000 + 2_000, 20_000, 12_000, 18_000]
    unknown = [*found, interval(Label.UNKNOWN, 70_000, 70_500, 2), interval(Label.OK, 70_500, 100_000, 2)]
    assert outages(unknown) == [20_000, 20_500, 15_000, 15_000]
    assert outages(unknown, new="billing") == outages(found)  # before it had anything to do


def test_coarse_times_make_outages_shorter_and_longer() -> None:
    assert outages(OUTAGE, exact=SECONDS) == [9_000, 11_000, 9_000, 11_000]
    moved = [structs.replace(interval(Label.OK, 0, 50_000), member="a"), interval(Label.OK, 50_000, 100_000)]
    assert outages(moved, exact=SECONDS) == [0, 1_000, 0, 1_000]


def test_outages_have_no_upper_bound_where_the_total_has_none_and_are_null_where_it_is_unknown() -> None:
    found = [*with_unknown(700), interval(Label.OK, 0, 100_000, 2, SubLabel.COORDINATOR_ONLY)]
    assert outages(found) == [10_000, None, 10_000, None]
    shown = supported({}, numbers(found), found)["unavailable"]
    assert (shown["outage_ms"], shown["longest_partition_ms"]) == (None, None)
    assert outages(found, exact=SECONDS)[0] == 9_000
