"""The target of a group: when it is computed, and what its assignor gets (Kafka: TargetAssignmentBuilder)."""

from __future__ import annotations

from tests.coordinator.consumer.driven import Driven, parts


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
