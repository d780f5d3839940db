"""Partitions that change alike are looked at once: how sets of them are taken apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupsim.analysis.partition_sets import by_value, parts
from groupsim.events.types import TopicPartition

PARTITIONS = [TopicPartition("orders", number) for number in range(6)]


@given(st.lists(st.sets(st.sampled_from(PARTITIONS)), max_size=5))
def test_a_part_is_in_the_same_sets_and_no_partition_is_in_two_parts(sets: list[set[TopicPartition]]) -> None:
    before = [set(each) for each in sets]
    found = parts(sets)
    assert sorted(partition for part in found for partition in part) == sorted(set().union(*sets))
    for part in found:
        assert len({tuple(partition in each for each in sets) for partition in part}) <= 1
        part.clear()
    assert sets == before  # the parts are new sets


def test_partitions_of_one_value_are_together() -> None:
    found = by_value(PARTITIONS, lambda partition: partition.partition % 2)
    assert sorted(map(sorted, found)) == [PARTITIONS[::2], PARTITIONS[1::2]]
