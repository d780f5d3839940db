"""Delays of records: closed forms, and a naive queue that moves record by record, millisecond by millisecond."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import groupsim
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.tables.delays import EVERY_MEMBER, Delays, Load, Served, record_delays
from groupsim.events.types import TopicPartition
from tests.incidents.recordings import FAMILIES, logs_of

P = [TopicPartition("orders", number) for number in range(3)]


def of(*times: tuple[int, str | None, int, int], rate: float = 100, capacity: float | None = None) -> Delays:
    return record_delays(
        [Served(P[number], member, begin, end) for number, member, begin, end in times],
        Load({"orders": rate}, capacity),
    )


def test_records_of_an_outage_wait_until_its_end() -> None:
    found = of((0, "a", 0, 1_000), (0, None, 1_000, 5_000), (0, "b", 5_000, 10_000))
    assert found.records == pytest.approx(1_000)
    assert found.longest_ms == 4_000
    assert found.later_than(0) == pytest.approx(400)
    assert found.later_than(3_000) == pytest.approx(100)
    assert found.quantile(0.5) == 0
    assert found.quantile(0.99) == pytest.approx(3_900, abs=0.2)
    assert (found.waiting, found.catch_up_ms) == (0, 0)


def test_a_slow_member_is_late_for_longer_than_the_outage() -> None:
    """100 come a second, 200 are taken: what came in 4 s is taken in 4 s, and what comes meanwhile in as many more."""
    found = of((0, None, 0, 4_000), (0, "a", 4_000, 20_000), capacity=200)
    assert found.catch_up_ms == pytest.approx(4_000)
    assert found.longest_ms == 4_000
    assert found.later_than(0) == pytest.approx(800)
    assert found.later_than(2_000) == pytest.approx(400)


def test_members_share_what_they_take() -> None:
    """Both partitions of a member waited 2 s; it takes 300 a second of the 200 that come."""
    found = of(
        *((number, None, 0, 2_000) for number in (0, 1)), *((number, "a", 2_000, 20_000) for number in (0, 1)),
        capacity=300,
    )  # fmt: skip
    assert found.catch_up_ms == pytest.approx(4_000)
    alone = of((0, None, 0, 2_000), (0, "a", 2_000, 20_000), (1, "b", 0, 20_000), capacity=300)
    assert alone.catch_up_ms == pytest.approx(1_000)


def test_a_busy_member_takes_a_record_with_the_poll_after_next() -> None:
    times = [Served(P[0], "m1.0", 0, 10_000), Served(P[1], "m2.0", 0, 10_000)]
    found = record_delays(times, Load({"orders": 100}, batches={"m2": 500, EVERY_MEMBER: 100}))
    assert found.longest_ms == 1_000
    assert found.later_than(199.9) == pytest.approx(1_000, rel=0.01), "m2's: 500 to 1,000 ms"
    assert found.quantile(0.25) == pytest.approx(150, abs=1), "m1's: 100 to 200 ms"
    assert record_delays(times, Load({"orders": 100}, batches={"m2.0": 500})).quantile(0.5) == 0


def test_what_waited_is_taken_a_batch_at_a_time() -> None:
    """100 come a second; 1,000 have come, and 500 are taken every 250 ms: 2,000 a second."""
    times = [Served(P[0], None, 0, 10_000), Served(P[0], "m1.0", 10_000, 20_000)]
    found = record_delays(times, Load({"orders": 100}, batches={"m1": 250}))
    assert found.catch_up_ms == pytest.approx(1_000 / 1.9, rel=0.01)
    assert found.longest_ms == 10_000


def test_a_busy_member_that_loses_a_partition_leaves_what_came_in_its_last_two_batches() -> None:
    """It had fetched them, and no poll had given them away: the next one reads them."""
    times = [Served(P[0], "m1.0", 0, 5_000), Served(P[0], None, 5_000, 6_000), Served(P[0], "m2.0", 6_000, 10_000)]
    found = record_delays(times, Load({"orders": 100}, batches={"m1": 200}))
    assert found.records == pytest.approx(1_000)
    assert found.longest_ms == pytest.approx(1_400)
    assert found.later_than(400) == pytest.approx(100)
    assert record_delays(times, Load({"orders": 100})).longest_ms == 1_000
    quick = [Served(P[0], "m1.0", 0, 5_000), Served(P[0], "m2.0", 5_000, 5_100), Served(P[0], "m1.0", 5_100, 10_000)]
    taken = record_delays(quick, Load({"orders": 100}, batches={"m1": 200}))
    assert taken.longest_ms == pytest.approx(400)


def test_a_busy_member_that_reads_on_has_the_first_records_of_a_new_partition_with_its_third_poll() -> None:
    times = [Served(P[0], "m1.0", 0, 9_000), Served(P[1], "m2.0", 0, 4_000), Served(P[1], "m1.0", 4_000, 9_000)]
    load = Load({"orders": 100}, batches={"m1": 200})
    assert record_delays(times, load, frozenset({"m1.0"})).longest_ms == pytest.approx(600)
    assert record_delays(times, load).longest_ms == pytest.approx(400), "two batches, as all others"
    alone = [Served(P[0], "m2.0", 0, 4_000), Served(P[0], "m1.0", 4_000, 9_000), Served(P[1], "m1.0", 4_010, 9_000)]
    assert record_delays(alone, load, frozenset({"m1.0"})).longest_ms == pytest.approx(400), "it had nothing to read"


def test_what_nobody_took_is_counted() -> None:
    found = of((0, "a", 0, 1_000), (0, None, 1_000, 3_000))
    assert found.waiting == pytest.approx(200)
    assert found.longest_ms == 2_000
    assert found.catch_up_ms == 0
    too_slow = of((0, None, 0, 1_000), (0, "a", 1_000, 9_000), capacity=50)
    assert too_slow.catch_up_ms is None
    assert too_slow.waiting == pytest.approx(500)


def test_without_a_rate_there_are_no_records() -> None:
    found = of((0, None, 0, 1_000), rate=0)
    assert (found.records, found.longest_ms, found.quantile(0.99), found.catch_up_ms) == (0, 0, 0, 0)


BUSY = [folder for folder in FAMILIES if folder.name.startswith("S11-slow-poller__cooperative-sticky__d0-f01")]


@pytest.mark.parametrize("folder", BUSY, ids=lambda path: path.name)
def test_bounds_hold_the_figure_where_a_process_reads_on_whose_work_does_not_count(folder: Path) -> None:
    """A slow member keeps what it has while it is late for two rebalances: it takes records all the time."""
    run = groupsim.import_logs(logs_of(folder))
    load = Load({interval.topic: 20 for interval in run.intervals}, batches={EVERY_MEMBER: 100})
    (known,) = run.record_delays(load).values()
    assert known.at_most is not None
    assert any(interval.label == Label.ZOMBIE_ONLY for interval in run.intervals)
    for share in (0.5, 0.9, 0.99, 1):
        least, figure, most = (each.quantile(share) for each in (known.at_least, known.by_labels, known.at_most))
        assert least - 1 <= figure <= most + 1


@st.composite
def stories(draw: st.DrawFn) -> list[tuple[int, str | None, int, int]]:
    """Who serves three partitions in 2 s, in pieces of 100 ms or more."""
    times: list[tuple[int, str | None, int, int]] = []
    for number in range(len(P)):
        edges = sorted({0, 20, *draw(st.lists(st.integers(1, 19), max_size=4))})
        for begin, end in pairwise(edges):
            times.append((number, draw(st.sampled_from([None, "a", "b"])), 100 * begin, 100 * end))
    return times


@given(stories(), st.sampled_from([20, 70, 300]))
def test_what_members_leave_unread_is_neither_lost_nor_read_twice(
    story: list[tuple[int, str | None, int, int]], batch_ms: int
) -> None:
    times = [Served(P[number], member, begin, end) for number, member, begin, end in story]
    found = record_delays(times, Load({"orders": 100}, batches={"a": batch_ms}), frozenset({"a"}))
    assert found.records == pytest.approx(600, abs=1e-3)
    assert found.longest_ms <= 2_000
    assert all(piece.records >= 0 and min(piece[1:]) >= 0 for piece in found.pieces)


@given(stories(), st.sampled_from([None, 150, 400, 900]))
def test_the_same_as_a_naive_queue(story: list[tuple[int, str | None, int, int]], capacity: float | None) -> None:
    found = of(*story, rate=100, capacity=capacity)
    naive = _naive(story, 2_000, 0.1, None if capacity is None else capacity / 1_000)
    assert found.records == pytest.approx(600, abs=1e-3)
    for ms in (0, 50, 200, 500, 1_000):
        late = sum(delay > ms for delay in naive) / 10
        assert found.later_than(ms - 12) >= late - 4, ms
        assert found.later_than(ms + 12) <= late + 4, ms


def _naive(
    story: Sequence[tuple[int, str | None, int, int]], end: int, grain: float, capacity: float | None
) -> list[int]:
    """The delays (ms) of tenths of records, which come one a millisecond in each partition; a member takes in turn."""
    waiting: list[deque[int]] = [deque() for _ in P]
    turn: defaultdict[str, deque[int]] = defaultdict(lambda: deque(range(len(P))))
    may_take: defaultdict[str, float] = defaultdict(float)
    delays: list[int] = []
    for now in range(end):
        serves = {number: member for number, member, begin, to in story if begin <= now < to}
        for number in serves:
            waiting[number].append(now)
        for member in {each for each in serves.values() if each is not None}:
            own = [number for number, each in serves.items() if each == member]
            left = float("inf") if capacity is None else may_take[member] + capacity
            while left >= grain and any(waiting[number] for number in own):
                number = turn[member][0]
                turn[member].rotate(-1)
                if number in own and waiting[number]:
                    delays.append(now - waiting[number].popleft())
                    left -= grain
            may_take[member] = min(left, grain)
    return delays + [end - came for queue in waiting for came in queue]
