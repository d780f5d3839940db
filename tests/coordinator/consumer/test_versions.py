"""One group under Kafka 4.0 and 4.4: each row of the table of differences that the machine reads changes an answer."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from groupsim.coordinator.config import Configs
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.server_assignors import Problem
from groupsim.coordinator.topics import Topic
from groupsim.events.consumer import MemberState
from groupsim.events.types import Partitions
from tests.coordinator.consumer.driven import TOPICS, Driven, parts

STABLE, UNREVOKED, UNRELEASED = (
    MemberState.STABLE,
    MemberState.UNREVOKED_PARTITIONS,
    MemberState.UNRELEASED_PARTITIONS,
)


def differ(old: object, new: object) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("version", "found"), [("4.0", old), ("4.4", new)])


def driven(version: str, **settings: str) -> Driven:
    return Driven(**{"broker_version": version, "group_consumer_assignment_interval_ms": "0"} | settings)


def two_members(version: str, **settings: str) -> Driven:
    """m1 has a-0 to a-3 and has to give two of them up, since m2 joined."""
    kafka = driven(version, **settings)
    kafka.beat("m1", kafka.beat("m1", 0).epoch)
    kafka.beat("m2", 0)
    kafka.beat("m1", kafka.group.members["m1"].epoch)
    assert kafka.group.members["m1"].state is UNREVOKED
    return kafka


def give_up(kafka: Driven) -> None:
    """m1 says that it has given up what it had to."""
    m1 = kafka.group.members["m1"]
    kafka.beat("m1", m1.epoch, owned=tuple(m1.assigned))


def test_a_version_brings_its_defaults_and_is_4_4_if_not_said() -> None:
    older = Configs().with_settings({"broker.version": "4.0"})
    assert older.consumer.group_consumer_assignment_interval_ms == 0
    assert Configs().coordinator.broker_version == "4.4"
    given = Configs().with_settings({"broker.version": "4.0", "group.consumer.assignment.interval.ms": 5})
    assert given.consumer.group_consumer_assignment_interval_ms == 5


@differ(1, 2)
def test_the_epoch_of_the_first_member(version: str, found: int) -> None:
    answer = driven(version).beat("m1", 0)
    assert (answer.epoch, answer.assignment) == (found, parts(a=range(4)))


@differ(Error.FENCED_MEMBER_EPOCH, Error.NONE)
def test_a_known_member_joins_again(version: str, found: Error) -> None:
    kafka = two_members(version)
    give_up(kafka)
    assert kafka.beat("m1", 0).error is found


@differ(STABLE, UNREVOKED)
def test_a_topic_no_longer_subscribed_while_the_target_stands(version: str, found: MemberState) -> None:
    kafka = driven(version, group_consumer_assignment_interval_ms="15000")
    epoch = kafka.beat("m1", 0).epoch
    kafka.beat("m1", epoch, topics=("b",))
    assert kafka.group.members["m1"].state is found


@differ(UNRELEASED, STABLE)
def test_what_a_member_gives_up_comes_back_to_its_target(version: str, found: MemberState) -> None:
    kafka = two_members(version)
    kafka.beat("m2", -1)
    give_up(kafka)
    assert kafka.group.members["m1"].state is found


@differ(1, 0)
def test_a_member_gives_up_and_has_to_give_up_more(version: str, found: int) -> None:
    kafka = two_members(version)
    before = kafka.group.members["m1"].epoch
    kafka.beat("m3", 0)
    kafka.beat("m4", 0)
    give_up(kafka)
    assert kafka.group.members["m1"].state is UNREVOKED
    assert kafka.group.members["m1"].epoch - before == found


@differ(0, 1)
def test_another_assignor_wins(version: str, found: int) -> None:
    kafka = driven(version)
    epoch = kafka.beat("m1", 0).epoch
    assert kafka.beat("m1", epoch, assignor="range").epoch - epoch == found


@differ(0, 1)
def test_the_racks_of_a_topic_change(version: str, found: int) -> None:
    kafka = driven(version)
    kafka.beat("m1", 0, rack="r1")
    before = kafka.group
    moved = TOPICS.with_topic(Topic("a", "a", 4, racks=(("r1",), ("r1",), ("r2",), ("r2",))))
    kafka.beat("m1", before.epoch, broker=moved)
    assert kafka.group.epoch - before.epoch == found
    assert kafka.group.targets == before.targets


@differ(1, 0)
def test_the_last_member_leaves(version: str, found: int) -> None:
    kafka = driven(version)
    kafka.beat("m1", 0)
    kafka.beat("m1", -1)
    assert kafka.group.epoch - kafka.group.target_epoch == found


@differ(Error.GROUP_MAX_SIZE_REACHED, Error.NONE)
def test_a_static_member_comes_back_into_a_full_group(version: str, found: Error) -> None:
    kafka = driven(version, group_consumer_max_size="1")
    kafka.beat("m1", 0, instance_id="i")
    kafka.beat("m1", -2, instance_id="i")
    assert kafka.beat("m2", 0, instance_id="i").error is found


@differ("uniform", "uniform-4.1")
def test_the_server_side_assignor(version: str, found: str) -> None:
    asked: list[str] = []

    def assign(problem: Problem) -> Mapping[str, Partitions]:
        asked.append(problem.assignor)
        return {}

    kafka = driven(version)
    kafka.beat("m1", 0)
    kafka.state = replace(kafka.group, assign=assign)
    kafka.beat("m2", 0)
    assert asked == [found]
