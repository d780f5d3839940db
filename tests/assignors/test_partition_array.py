"""Lists of partitions that make their tuples on demand."""

from __future__ import annotations

import numpy as np
import pytest

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.metrics import metrics
from groupsim.assignors.partition_array import PartitionArray, code_of
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition

NAMES = ("a", "b")
ORDERED = PartitionArray(NAMES, np.array([code_of(1, 7), code_of(0, 2), code_of(0, 3)], np.int64))
TUPLES = (TopicPartition("b", 7), TopicPartition("a", 2), TopicPartition("a", 3))


def test_a_partition_array_is_a_sequence_of_partitions() -> None:
    assert tuple(ORDERED) == TUPLES
    assert ORDERED[0] == TUPLES[0]
    assert ORDERED[-1] == TUPLES[-1]
    assert ORDERED[1:] == TUPLES[1:]
    assert len(ORDERED) == 3
    assert TopicPartition("a", 2) in ORDERED
    assert sorted(ORDERED) == sorted(TUPLES)
    assert repr(ORDERED) == "PartitionArray(b-7, a-2, a-3)"
    with pytest.raises(IndexError):
        ORDERED[3]


def test_a_partition_array_equals_the_same_partitions_however_they_are_kept() -> None:
    other = PartitionArray(("b", "a"), np.array([code_of(0, 7), code_of(1, 2), code_of(1, 3)], np.int64))
    assert other == ORDERED == TUPLES
    assert list(TUPLES) == ORDERED
    assert hash(other) == hash(ORDERED) == hash(TUPLES)
    assert TUPLES[:2] != ORDERED
    assert ORDERED != "b-7"


@pytest.mark.parametrize("name", sorted(set(ASSIGNORS) - {"constrained-cooperative-sticky"}))
def test_an_answer_can_be_owned_as_it_is_even_when_topics_come_and_go(name: str) -> None:
    first = Spec((Member("m1", ("b", "c")), Member("m2", ("b",))), {"b": 4, "c": 3})
    answer = ASSIGNORS[name].assign(first)
    lazy, eager = (
        Spec(
            tuple(Member(m.id, (*m.topics, "a"), kind(answer[m.id]), 1) for m in first.members),
            {"a": 2, "b": 5},
        )
        for kind in (lambda assigned: assigned, tuple)
    )
    assert ASSIGNORS[name].assign(lazy) == ASSIGNORS[name].assign(eager)
    assert metrics(lazy, ASSIGNORS[name].assign(lazy)) == metrics(eager, ASSIGNORS[name].assign(eager))
