"""Corners that random scripts against Kafka 4.4 brought to light."""

from __future__ import annotations

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import Member, Spec
from groupsim.coordinator.classic.state import Member as ClassicMember
from groupsim.coordinator.classic.state import subscribed_topics
from groupsim.coordinator.commands import TopicDeleted
from groupsim.coordinator.consumer.commands import ConsumerHeartbeatAnswer
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES
from groupsim.coordinator.offsets import GroupOffsets
from groupsim.coordinator.outcome import Outcome
from groupsim.events.group import CommitAccepted, OffsetsDeleted
from groupsim.events.types import Protocol, Subscription, TopicPartition
from tests.coordinator.consumer.driven import TOPICS, Driven, parts


def test_a_member_that_takes_a_static_place_does_not_get_what_it_held_before_in_the_same_request() -> None:
    driven = Driven(group_consumer_assignment_interval_ms="0")
    driven.beat("m1", 0, instance_id="i1", topics=("a",))
    driven.beat("m2", 0, topics=("b",))
    assert driven.group.members["m2"].assigned.keys() == set(parts(b=range(3)))
    driven.beat("m1", -2, instance_id="i1")
    answer = driven.beat("m2", 0, instance_id="i1", topics=("b",))
    assert driven.group.targets["m2"] == parts(b=range(3))
    assert answer.assignment == ()  # what m2 held is free from the next heartbeat on
    assert driven.beat("m2", answer.epoch, instance_id="i1").assignment == parts(b=range(3))


def test_a_member_that_takes_a_static_place_still_has_its_former_vote_in_that_request() -> None:
    driven = Driven(group_consumer_assignment_interval_ms="0")
    driven.beat("m1", 0, instance_id="i1", topics=("a",))
    driven.beat("m2", 0, topics=("a",), assignor="range")
    driven.beat("m1", -2, instance_id="i1")
    before = driven.group.epoch
    driven.beat("m2", 0, instance_id="i1", topics=("a",), assignor="range")
    assert driven.group.epoch == before


def test_a_member_that_subscribes_to_nothing_and_holds_nothing_is_written_anew() -> None:
    driven = Driven(group_consumer_assignment_interval_ms="15000")
    driven.beat("m1", 0, topics=("a",))
    assert driven.beat("m2", 0, topics=("a",)).epoch == 2
    assert driven.group.members["m2"].previous_epoch == 0
    driven.beat("m2", 2, topics=("b",))
    assert driven.group.members["m2"].previous_epoch == 0
    driven.beat("m2", 2, topics=())
    assert driven.group.members["m2"].previous_epoch == 2


def test_range_looks_at_the_first_static_member_where_subscriptions_only_count_as_equal() -> None:
    members = (Member("m1", ("a",)), Member("m2", (), instance_id="i"))
    spec = Spec(members, {"a": 2}, equal_subscriptions=True)
    answer = ASSIGNORS["server-range"].assign(spec)
    assert {member: list(assigned) for member, assigned in answer.items()} == {"m1": [], "m2": []}


def _deleted(driven: Driven, offsets: GroupOffsets) -> Outcome[object]:
    command = TopicDeleted(topic="a", context=Context(topics=TOPICS, offsets=offsets))
    return MACHINES[type(driven.state)].decide(driven.state, command)


def test_offsets_of_a_deleted_topic_are_deleted_in_groups_of_both_protocols() -> None:
    offsets = GroupOffsets()
    offsets.apply(CommitAccepted(member="", generation=-1, offsets=(("a", 0, 5), ("b", 0, 5))))
    offsets.apply(CommitAccepted(member="", generation=-1, offsets=(("a", 2, 5),), transactional=True))
    gone = (OffsetsDeleted(partitions=(TopicPartition("a", 0), TopicPartition("a", 2))),)
    driven = Driven()
    assert _deleted(driven, offsets).events == gone
    assert isinstance(driven.beat("m1", 0), ConsumerHeartbeatAnswer)
    assert _deleted(driven, offsets).events == gone
    assert not _deleted(driven, GroupOffsets()).events


def test_topics_of_a_classic_group_are_those_of_all_its_members_or_unknown() -> None:
    def member(name: str, subscription: Subscription) -> ClassicMember:
        protocols = (Protocol("range", subscription),)
        return ClassicMember(
            id=name,
            instance_id=None,
            client_id=name,
            client_host="",
            session_timeout_ms=1,
            rebalance_timeout_ms=1,
            protocols=protocols,
        )

    readable = [member("a", Subscription(("t",))), member("b", Subscription(("u", "t")))]
    assert subscribed_topics(readable, "range") == frozenset(("t", "u"))
    assert subscribed_topics(readable, "other") == frozenset()
    unreadable = member("c", Subscription((), unreadable="00"))
    assert subscribed_topics([*readable, unreadable], "range") is None
