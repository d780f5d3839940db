"""Lag of recorded runs: ends that are given, follow from a rate, or are estimated, and when a group had caught up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.tables.lag import (
    Ends,
    PartitionLag,
    catch_up_rows,
    end_notes,
    lag_rows,
    partition_lags,
    resolution_note,
)
from groupsim.analysis.tables.table_sentences import of_catch_up, of_lag, of_rebalances
from groupsim.analysis.timelines.rebalance import Phase, PhaseName, Rebalance
from groupsim.events.base import Recorded, group_stream
from groupsim.events.group import CommitAccepted
from groupsim.events.types import TopicPartition

_ORDERS = TopicPartition("orders", 0)


def _commits(*levels: tuple[int, int]) -> list[Recorded]:
    return [
        Recorded(
            "r", n, at, group_stream("g"), n, CommitAccepted(member="m", generation=1, offsets=(("orders", 0, o),))
        )
        for n, (at, o) in enumerate(levels)
    ]


def test_an_outage_shows_in_the_lag_and_the_first_commit_that_is_level_again_ends_it() -> None:
    facts = _commits((1_000, 100), (2_000, 200), (8_000, 300), (9_000, 700), (10_000, 1_000))
    lags = partition_lags(facts, Ends({}, {"orders": 100.0}))
    outage = Interval("g", "orders", 0, Label.WITHHELD, None, None, None, 2_500, 7_500)
    (row,) = catch_up_rows(lags, [outage])
    assert (row["lag_before"], row["highest_lag"]) == (0, 599)
    assert (row["caught_up_ms"], row["catch_up_ms"]) == (10_000, 2_500)
    assert row["catch_up_at_least_ms"] == 1_500, "at 9,000 it was still behind"
    assert "here they are 1,000 ms apart (median)" in resolution_note(lags)


def test_what_the_tables_begin_with() -> None:
    facts = _commits((1_000, 100), (2_000, 200), (8_000, 300), (9_000, 700), (10_000, 1_000))
    lags = partition_lags(facts, Ends({}, {"orders": 100.0}))
    assert of_lag(lags, 12_000) == "Commits were at most 599 records behind, in partition orders-0, and 200 at the end."
    assert of_lag(partition_lags(_commits((1_000, 100)), Ends({}, {})), 2_000).startswith("How far commits were behind")
    outages = [Interval("g", "orders", 0, Label.WITHHELD, None, None, None, *when) for when in ((2_500, 7_500),)]
    rows = list(catch_up_rows(lags, outages))
    assert of_catch_up(rows) == "Partitions had caught up at most 2.5 s after an outage (slowest: orders-0)."
    never = list(catch_up_rows(partition_lags(facts[:3], Ends({}, {"orders": 100.0})), outages))
    assert of_catch_up([*rows, *never]).endswith("; of 1 outage no commit shows it.")
    assert of_catch_up(never) == "After 1 outage of partitions no commit shows that they had caught up."


def test_what_the_table_of_rebalances_begins_with() -> None:
    def took(cause: str, from_ms: int, to_ms: int | None, slowest: str | None) -> Rebalance:
        return Rebalance("g", cause, [Phase(PhaseName.JOINING, from_ms, to_ms)], slowest_member=slowest)

    one, two = took("member-joined", 0, 9_000, "m1"), took("member-left", 10_000, 11_500, "m2")
    three = took("member-left", 20_000, None, None)
    assert of_rebalances([]) == "No rebalance."
    assert of_rebalances([one]) == "1 rebalance. It took 9.0 s, and waited longest for m1."
    assert of_rebalances([one, two]) == (
        "2 rebalances, start-up included: 1 because a member joined, 1 because a member left. The other one took 1.5 s,"
        " and waited longest for m2."
    )
    assert of_rebalances([one, two, three]) == (
        "3 rebalances, start-up included: 2 because a member left, 1 because a member joined. One of the others took"
        " 1.5 s, and waited longest for m2."
    )


def test_who_never_catches_up_has_no_catch_up_time() -> None:
    lags = partition_lags(_commits((1_000, 100), (2_000, 200), (8_000, 300)), Ends({}, {"orders": 100.0}))
    outage = Interval("g", "orders", 0, Label.UNOWNED, None, None, None, 2_500, 7_500)
    (row,) = catch_up_rows(lags, [outage])
    assert (row["caught_up_ms"], row["catch_up_ms"], row["catch_up_at_least_ms"]) == (None, None, 500)


def test_the_lag_is_not_known_where_no_end_is_or_one_lower_than_the_commit() -> None:
    outage = Interval("g", "orders", 0, Label.UNOWNED, None, None, None, 2_500, 7_500)
    once = partition_lags(_commits((1_000, 100)), Ends({}, {}))
    low = partition_lags(_commits((1_000, 100), (9_000, 700)), Ends({_ORDERS: [(1_000, 50), (9_000, 900)]}, {}))
    for lags in (once, low):
        (row,) = catch_up_rows(lags, [outage])
        assert (row["lag_before"], row["catch_up_ms"], row["catch_up_at_least_ms"]) == (None, None, None)
    assert [(row["end"], row["lag"]) for row in lag_rows(once, 1_000, 2_000)] == [(None, None)] * 3


def test_ends_that_are_missing_or_lower_than_a_commit_or_of_no_partition_are_named() -> None:
    facts = _commits((1_000, 100), (9_000, 700))
    low = Ends({_ORDERS: [(500, 10), (9_000, 650)], TopicPartition("order", 0): [(9_000, 5)]}, {})
    assert end_notes(partition_lags(facts, low), low.given, "ends.csv") == [
        "1 of the ends given is lower than what was committed, which can't be, and the lag is not known there: orders-0"
        " ends at 650 at 9,000 ms, and 700 was committed by then; are they of this cluster, and of these times?",
        "ends.csv has ends of partitions without a commit, 1 of them, not used: order-0",
    ]
    none = Ends({}, {})
    assert end_notes(partition_lags(facts, none), {}, "ends.csv") == [
        "ends.csv has no end of 1 of 1 partitions (orders-0); theirs are estimated from the commits"
    ]
    assert end_notes(partition_lags(facts, none), {}, None)[0].startswith("ends are estimated from the commits; --ends")
    whole = Ends({_ORDERS: [(9_000, 700)]}, {})
    assert end_notes(partition_lags(facts, whole), whole.given, "ends.csv") == []


def test_given_ends_count_and_between_them_the_end_grows_evenly() -> None:
    ends = Ends({_ORDERS: [(0, 50), (10_000, 150)]}, {})
    rows = list(lag_rows(partition_lags(_commits((2_000, 60), (6_000, 100)), ends), 2_000, 8_000))
    assert [(row["committed"], row["end"], row["lag"]) for row in rows] == [
        (None, 50, None),
        (60, 70, 10),
        (60, 90, 30),
        (100, 110, 10),
        (100, 130, 30),
    ]
    assert {row["end_is"] for row in rows} == {"given"}


@given(st.lists(st.tuples(st.integers(1, 60_000), st.integers(0, 500)), min_size=1, max_size=12), st.integers(1, 50))
def test_by_a_rate_no_commit_is_ahead_of_the_end_and_one_is_level_with_it(
    behind: list[tuple[int, int]], per_second: int
) -> None:
    commits = sorted((at, max(0, 10_000 + per_second * at // 1_000 - lag)) for at, lag in behind)
    found = PartitionLag(commits, (), float(per_second), simulated=False)
    left = [found.end(at) - offset for at, offset in commits]
    assert min(left) == 0


@given(st.lists(st.tuples(st.integers(0, 60_000), st.integers(0, 10_000)), min_size=1, max_size=12))
def test_estimated_ends_are_never_behind_a_commit(levels: list[tuple[int, int]]) -> None:
    commits = sorted(levels)
    found = PartitionLag(commits, (), None, simulated=False)
    assert all(found.end(at) >= offset for at, offset in commits)
