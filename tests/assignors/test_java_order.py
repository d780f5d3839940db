"""Java's hash codes and the order of its hash tables, trees of colliding keys included."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.assignors.java.hash_map import literal_order
from groupsim.assignors.java.hash_order import (
    computed_order,
    hash_order,
    java_sorted,
    partition_hash,
    string_hash,
    string_hashes,
    string_order,
    string_set,
)


def test_strings_hash_as_in_java() -> None:
    assert string_hash("") == 0
    assert string_hash("hello") == 99162322
    assert string_hash("polygenelubricants") == 1 << 31, "Java's Integer.MIN_VALUE"
    assert string_hash("Aa") == string_hash("BB") == 2112
    assert string_hash("😀") == 31 * 0xD83D + 0xDE00


@settings(deadline=None)
@given(st.lists(st.text(max_size=8), max_size=120))
def test_hashing_many_at_once_is_hashing_each(texts: list[str]) -> None:
    assert string_hashes(texts) == [string_hash(text) for text in texts]


def test_a_partitions_hash_mixes_number_and_topic() -> None:
    assert partition_hash(string_hash("t"), 3) == 31 * (31 + 3) + 116


def test_a_thirteenth_key_doubles_the_table() -> None:
    assert hash_order([16, 1, *range(2, 12)])[:2] == [0, 1]
    assert hash_order([16, 1, *range(2, 13)])[0] == 1


def test_keys_of_one_bin_keep_the_order_in_which_they_came() -> None:
    assert hash_order([32, 0, 16]) == [0, 1, 2]
    assert hash_order([0, 32, 16]) == [0, 1, 2]


def test_computing_a_key_puts_it_in_front_and_grows_the_table_one_call_later() -> None:
    assert computed_order([32, 0, 16], growing=False) == [2, 1, 0]
    thirteen = [16, *range(1, 13)]
    assert computed_order(thirteen, growing=True)[0] == 0
    assert computed_order(thirteen, growing=False)[0] == 1


@settings(deadline=None)
@given(st.lists(st.text("abcd", min_size=1, max_size=6), unique=True, max_size=150))
def test_the_short_way_and_the_literal_way_give_one_order(texts: list[str]) -> None:
    assert string_order(texts) == literal_order(texts, string_hashes(texts))


def test_twelve_keys_of_one_hash_code_make_a_tree() -> None:
    """Read off a HashMap of JDK 17 filled in this order."""
    texts = ["".join(pairs) for pairs in product(("Aa", "BB"), repeat=4)]
    assert len(set(string_hashes(texts))) == 1
    assert string_order(texts[:9]) == list(range(9))
    assert string_order(texts[:12]) == [3, 0, 1, 2, *range(4, 12)]
    assert string_order(texts[::-1]) == [3, 0, 1, 2, *range(4, 16)]


def test_a_set_forgets_repeats() -> None:
    assert string_set(["b", "a", "b"]) == ["a", "b"]


def test_strings_sort_by_utf_16_units() -> None:
    assert java_sorted(["\uffff", "😀", "a"]) == ["a", "😀", "\uffff"]
