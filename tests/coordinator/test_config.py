"""Settings by Kafka's names: defaults, bounds, and sentences for what can't be."""

from __future__ import annotations

import pytest

from groupsim.coordinator.config import BOUNDS, BadSetting, ClassicGroupConfig, Configs


def test_the_defaults_are_kafkas() -> None:
    config = ClassicGroupConfig()
    assert (config.group_min_session_timeout_ms, config.group_max_session_timeout_ms) == (6_000, 1_800_000)
    assert (config.group_initial_rebalance_delay_ms, config.group_max_size) == (3_000, 2_147_483_647)
    assert config.coordinator == "java"


def test_every_setting_has_bounds_but_a_list_of_any_names() -> None:
    assert set(Configs().names()) - set(BOUNDS) == {"group.streams.rack.aware.assignment.tags"}
    assert set(BOUNDS) <= set(Configs().names())


def test_a_text_becomes_a_number() -> None:
    assert Configs().with_settings({"group.max.size": "3"}).classic.group_max_size == 3


def test_a_session_outlasts_a_heartbeat_interval() -> None:
    equal = {"group.consumer.min.session.timeout.ms": 5_000, "group.consumer.session.timeout.ms": 5_000}
    with pytest.raises(BadSetting, match=r"session.timeout.ms must be greater than group.consumer.heartbeat.interval"):
        Configs().with_settings(equal)
    longer = Configs().with_settings(equal | {"group.consumer.session.timeout.ms": 5_001})
    assert longer.consumer.group_consumer_session_timeout_ms == 5_001


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("group.max.sise", 3, r"unknown setting 'group.max.sise'; near names: group.max.size"),
        ("group.max.size", 0, r"group.max.size must be from 1 to 2147483647, not 0"),
        ("group.max.size", "many", r"group.max.size must be a whole number, not 'many'"),
        ("group.max.size", 2.5, r"group.max.size must be a whole number, not 2.5"),
        ("group.initial.rebalance.delay.ms", -1, r"group.initial.rebalance.delay.ms must be from 0"),
        (
            "group.coordinator.rebalance.protocols",
            "consumer",
            "group.coordinator.rebalance.protocols must have classic",
        ),
        ("group.consumer.assignors", "", "group.consumer.assignors must have at least one assignor"),
        (
            "group.consumer.assignors",
            "range,range",
            "group.consumer.assignors must have at least one .*, and none twice",
        ),
        ("group.consumer.session.timeout.ms", 9_000, r"session.timeout.ms must be from 45000 to 60000 \(min and max"),
        (
            "group.consumer.min.heartbeat.interval.ms",
            6_000,
            "heartbeat.interval.ms must be from 6000 to 15000 .*not 5000",
        ),
        ("group.consumer.max.assignment.interval.ms", 9, "assignment.interval.ms must be from 0 to 9 .*not 1000"),
        ("coordinator", "zookeeper", r"coordinator must be one of java, scala, not 'zookeeper'"),
    ],
)
def test_what_can_not_be_is_said_in_a_sentence(name: str, value: object, sentence: str) -> None:
    with pytest.raises(BadSetting, match=sentence):
        Configs().with_settings({name: value})
