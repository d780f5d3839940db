"""The target of a group: when it is computed, and what its assignor gets (Kafka: TargetAssignmentBuilder)."""

from __future__ import annotations

import pytest

from groupsim.coordinator.classic.commands import Join
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.target import same_subscription
from groupsim.coordinator.context import Context
from groupsim.events.types import Protocol, Subscription
from tests.coordinator.consumer.driven import TOPICS, Driven, parts


def test_a_member_without_topics_that_joins_after_a_leave_takes_all_partitions_away() -> None:
    """Seen in Kafka 4.4: the group counts as one of equal subscriptions, since nobody looked again."""
    kafka = Driven(group_consumer_assignment_interval_ms="0")
    kafka.beat("m2", 0)
    kafka.beat("m1", 0, topics=())
    kafka.beat("m1", -1)
    assert kafka.group.targets["m2"] == parts(a=range(4))
    kafka.beat("m1", 0, topics=())
    assert kafka.group.targets == {"m1": (), "m2": ()}


def test_with_one_vote_for_each_of_two_assignors_every_heartbeat_of_one_voter_moves_partitions() -> None:
    """Seen in Kafka 4.4 (A.vote-tie-base): uniform is shown, range computes, the epoch grows for ever."""
    kafka = Driven(group_consumer_assignment_interval_ms="0")
    kafka.beat("m1", kafka.beat("m1", 0, assignor="uniform", topics=("a", "b")).epoch)
    kafka.beat("m2", 0, assignor="range", topics=("a", "b"))
    by_range = {"m1": parts(a=range(2), b=range(2)), "m2": parts(a=range(2, 4), b=2)}
    assert kafka.group.targets == by_range
    before = kafka.group.epoch
    for _ in range(3):
        kafka.beat("m2", kafka.group.members["m2"].epoch, owned=())
    assert (kafka.group.epoch, kafka.group.targets) == (before + 3, by_range)
    kafka.beat("m1", kafka.group.members["m1"].epoch)
    assert kafka.group.epoch == before + 3


def test_a_join_group_does_not_let_the_epoch_grow_for_a_tie() -> None:
    kafka = Driven(group_consumer_assignment_interval_ms="0")
    kafka.beat("m1", 0, assignor="uniform")
    kafka.beat("m2", 0, assignor="range")
    before = kafka.group.epoch
    offer = (Protocol("range", Subscription(topics=("a",))),)
    kafka.send(Join(request=1, member="m2", protocols=offer, context=Context(kafka.at_ms, TOPICS)))
    assert kafka.group.members["m2"].classic is not None
    assert kafka.group.epoch == before


@pytest.mark.parametrize(("later_ms", "computed"), [(4_999, False), (5_000, True)])
def test_a_target_stands_for_the_assignment_interval(later_ms: int, computed: bool) -> None:
    kafka = Driven(group_consumer_assignment_interval_ms="5000")
    kafka.beat("m1", 0)
    assert kafka.group.target_at_ms == kafka.at_ms
    kafka.at_ms += later_ms - 1_000
    kafka.beat("m2", 0)
    assert (kafka.group.target_epoch == kafka.group.epoch) is computed


@pytest.mark.parametrize(
    ("subscriptions", "same"),
    [
        ([], True),
        ([("a", ""), ("a", "")], True),
        ([("a", ""), ("b", "")], False),
        ([("", "a|b"), ("", "a|b")], True),
        ([("", "a|b"), ("", "a")], False),
        ([("a", "a|b"), ("a", "a|b")], False),
    ],
)
def test_members_with_names_and_an_expression_count_as_unequal(
    subscriptions: list[tuple[str, str]], same: bool
) -> None:
    """Kafka: ConsumerGroup.subscriptionType."""
    listed = [
        Member(id=f"m{i}", topics=tuple(topics), expression=expression)
        for i, (topics, expression) in enumerate(subscriptions)
    ]
    assert same_subscription(ConsumerGroup(id="g", members={m.id: m for m in listed})) is same


def test_a_tie_moves_partitions_also_where_every_member_is_at_its_target() -> None:
    kafka = Driven(group_consumer_assignment_interval_ms="0")
    kafka.beat("m1", 0, assignor="uniform", topics=())
    epoch = kafka.beat("m2", 0, assignor="range").epoch
    assert kafka.group.members["m2"].settled(kafka.group.target_epoch)
    assert kafka.beat("m2", epoch).epoch == epoch + 1
