"""How many partitions were unavailable when, by the account: callbacks, missing lines, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.events.types import TopicPartition
from groupsim.incidents.account.accounts import accounts_of
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.spans import INF, Spans, union
from groupsim.incidents.account.unavailable import counts, paused, surely_served, unavailable
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from tests.incidents.imported import C1, adding, joined, revoking
from tests.incidents.lines import AT, CLASS, JAVA_BROKER, NEW, stamped, write

TEN = instant("2024-03-01T10:00:00.000Z")
ORDERS = TopicPartition("orders", 0)


STARTS = stamped(0.501, C1 + "Subscribed to topic(s): orders (org.apache.kafka.clients.consumer.KafkaConsumer)")
FIRST = (STARTS, *joined(1.003, 1), adding(1.207, "orders-0"))
SECOND = (*joined(9.003, 2), adding(9.207, "orders-0"))


def offset(second: float) -> str:
    return stamped(second, C1 + "Setting offset for partition orders-0 to the committed offset FetchPosition{offset=1}")


def again(second: float) -> str:
    return stamped(second, C1 + "(Re-)joining group" + CLASS)


def account(folder: Path, *lines: str, other: tuple[str, ...] = ()) -> Account:
    """Of one client's lines, or two clients'."""
    logs = [write(folder, *lines)] + ([write(folder, *other, name="b.log")] if other else [])
    (found,) = accounts_of(read_files(logs))
    return found


@pytest.mark.parametrize(
    ("lines", "spans"),
    [
        ([adding(1.207, "orders-0"), revoking(5, "orders-0"), again(7)], [(5_000, 7_000)]),
        (
            [adding(1.207, "orders-0"), offset(4), revoking(5, "orders-0"), again(5.5)],
            [(1_203, 4_000), (5_000, 5_500)],
        ),
        ([adding(1.207, "orders-0"), revoking(5, "orders-0")], [(5_000, INF - TEN)]),  # the log ends in it
        ([adding(1.207, "orders-0")], []),  # no line on an offset: over at once
        ([again(9)], [(1_203, 9_000)]),  # what it took is in a line that is missing
    ],
)
def test_a_callback_lasts_until_a_line_shows_it_over(
    lines: list[str], spans: list[tuple[int, int]], tmp_path: Path
) -> None:
    (own,) = account(tmp_path, STARTS, *joined(1.003, 1), *lines).incarnations
    assert [(since - TEN, until - TEN) for since, until in paused(own) if until - since > 50] == spans


def served(found: Account) -> list[tuple[int, int]]:
    """When the one partition surely was, ms from ten o'clock."""
    return [(since - TEN, until - TEN) for since, until in surely_served(found, ORDERS, _paused(found))]


def _paused(found: Account) -> dict[str, Spans]:
    return {own.name: paused(own) for own in found.incarnations}


def test_an_eager_member_has_nothing_when_it_asks_to_join_although_the_line_that_it_gave_it_up_is_missing(
    tmp_path: Path,
) -> None:
    said = account(tmp_path, *FIRST, revoking(8.999, "orders-0"), *SECOND)
    assert served(said) == [(1_207, 8_999), (9_207, INF - TEN)]
    unsaid = account(tmp_path, *FIRST, *SECOND)
    assert served(unsaid) == [(9_207, INF - TEN)]
    assert unavailable(unsaid, (TEN + 1_207, TEN + 12_000)).least == [(TEN + 9_003, 1), (TEN + 9_207, 0)]


def test_what_a_member_took_in_a_line_that_is_missing_it_may_have_had(tmp_path: Path) -> None:
    found = account(tmp_path, STARTS, *joined(1.003, 1), *SECOND)
    possibly = found.incarnations[0].holding(ORDERS).possibly(True)
    assert [(since - TEN, until - TEN) for since, until in possibly] == [(1_203, 9_003), (9_207, INF - TEN)]


def test_a_generation_that_clients_have_counts_although_the_broker_s_line_is_missing(tmp_path: Path) -> None:
    begun = "Preparing to rebalance group billing in state PreparingRebalance with old generation {} (reason: x)."
    stored = (
        "Assignment received from leader c1-1 for group billing for generation {}. The group has 1 members, 0 of which"
    )
    lines = {
        1.004: begun.format(0),
        1.201: stored.format(1) + " are static.",
        8.903: begun.format(1),
        14.901: begun.format(2),
        15.202: stored.format(3) + " are static.",
    }
    whole = [*FIRST, revoking(8.999, "orders-0"), *SECOND, revoking(15, "orders-0"), *joined(15.003, 3)]
    broker = [stamped(second, f"{JAVA_BROKER[len(AT) :]}{line} {NEW}") for second, line in lines.items()]
    found = account(tmp_path, *whole, other=tuple(broker))
    assert [one.number for one in found.stored] == [1, 2, 3]


@given(st.lists(st.tuples(st.integers(1, 5), st.lists(st.tuples(st.integers(-5, 30), st.integers(1, 9)), max_size=4))))
def test_counts_add_up_what_spans_have_at_each_instant(counted: list[tuple[int, list[tuple[int, int]]]]) -> None:
    spans = [(many, union((since, since + long) for since, long in each)) for many, each in counted]
    found = counts(spans, (0, 20))
    assert [at for at, _ in found] == sorted({at for at, _ in found})
    for at in range(20):
        said = next((count for since, count in reversed(found) if since <= at), 0)
        assert said == sum(many for many, each in spans if any(since <= at < until for since, until in each))
