"""Which protocol wins, and who leads."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.assignors.java.hash_order import string_hash, string_set
from groupsim.coordinator.classic.votes import candidates, elect_by_hash, vote

NAMES = st.lists(st.sampled_from(["range", "roundrobin", "sticky", "cooperative-sticky"]), min_size=1, unique=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("range", 108280125), ("polygenelubricants", 0x80000000), ("\U0001f600", 1772899)],
)
def test_strings_hash_as_in_java(text: str, expected: int) -> None:
    assert string_hash(text) == expected


def test_the_protocol_most_members_prefer_wins() -> None:
    assert vote([["sticky", "range"], ["range", "sticky"], ["range", "sticky"]]) == "range"


def test_only_what_all_members_list_can_win() -> None:
    offers = [["sticky", "range"], ["sticky", "range"], ["range"]]
    assert (vote(offers), candidates(offers)) == ("range", {"range"})


def test_nothing_wins_where_nothing_is_common() -> None:
    assert vote([["sticky"], ["range"]]) is None
    assert vote([]) is None


def test_a_name_listed_twice_by_one_member_is_not_two_members() -> None:
    assert candidates([["range", "range"], ["sticky"]]) == set()


@pytest.mark.parametrize(
    ("first", "second"),
    [("range", "roundrobin"), ("sticky", "cooperative-sticky"), ("range", "cooperative-sticky")],
)
def test_a_tie_goes_to_the_first_name_in_java_hash_order_whoever_asked(first: str, second: str) -> None:
    for offers in permutations([[first, second], [second, first]]):
        assert vote(list(offers)) == first


@given(st.lists(NAMES, min_size=1, max_size=6))
def test_the_winner_is_common_to_all_and_has_the_most_votes(offers: list[list[str]]) -> None:
    won = vote(offers)
    common = candidates(offers)
    assert (won is None) == (not common)
    if won is not None:
        votes = [next(name for name in offer if name in common) for offer in offers]
        assert won in common
        assert all(votes.count(won) >= votes.count(name) for name in votes)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=30, unique=True))
def test_hash_order_loses_nobody(names: list[str]) -> None:
    assert sorted(string_set(names)) == sorted(names)
    assert elect_by_hash(3, tuple(names)) in names


def test_a_map_of_more_than_twelve_names_has_more_buckets() -> None:
    few, many = [f"m-{i}" for i in range(12)], [f"m-{i}" for i in range(13)]
    assert [n for n in string_set(many) if n in few] != string_set(few)
