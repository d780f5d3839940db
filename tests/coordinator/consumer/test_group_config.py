"""What an administrator may set for one group (recorded from Kafka 4.4: scripts A.config-*)."""

from __future__ import annotations

import pytest

from groupsim.coordinator.config import Configs, ConsumerGroupConfig
from groupsim.coordinator.consumer.group_config import session_timeout_ms
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.group_config import altered
from groupsim.coordinator.outcome import Error

SESSION, HEARTBEAT = "consumer.session.timeout.ms", "consumer.heartbeat.interval.ms"
INTERVAL = "consumer.assignment.interval.ms"
WIDE = Configs(
    consumer=ConsumerGroupConfig(
        group_consumer_min_session_timeout_ms=200,
        group_consumer_min_heartbeat_interval_ms=50,
    )
)


@pytest.mark.parametrize(
    "changes",
    [
        {SESSION: "100"},
        {SESSION: "70000"},
        {SESSION: "abc"},
        {SESSION: "4e4"},
        {SESSION: "99999999999999999999"},
        {SESSION: "5000"},  # not longer than the heartbeat interval
        {SESSION: "1000", HEARTBEAT: "1000"},
        {HEARTBEAT: "20000"},
        {INTERVAL: "-1"},
        {INTERVAL: "15001"},
        {"consumer.foo": "1"},
        {"consumer.assignor.offload.enable": "maybe"},
    ],
)
def test_a_bad_value_is_refused_and_changes_nothing(changes: dict[str, str | None]) -> None:
    assert altered({INTERVAL: 7}, changes, WIDE) == (Error.INVALID_CONFIG, {INTERVAL: 7})


def test_a_name_that_nobody_knows_may_be_removed() -> None:
    assert altered({INTERVAL: 7}, {"consumer.foo": None}, WIDE) == (Error.NONE, {INTERVAL: 7})


def test_several_values_are_checked_together() -> None:
    assert altered({}, {SESSION: "1000"}, WIDE)[0] is Error.INVALID_CONFIG
    assert altered({}, {SESSION: "1000", HEARTBEAT: "900"}, WIDE) == (Error.NONE, {SESSION: 1000, HEARTBEAT: 900})


def test_one_bad_value_keeps_the_others_out() -> None:
    assert altered({}, {INTERVAL: "0", HEARTBEAT: "1"}, WIDE) == (Error.INVALID_CONFIG, {})


def test_a_removed_value_is_the_brokers_again() -> None:
    assert altered({HEARTBEAT: 300}, {HEARTBEAT: None}, WIDE) == (Error.NONE, {})
    assert altered({SESSION: 1000, HEARTBEAT: 300}, {HEARTBEAT: None}, WIDE)[0] is Error.INVALID_CONFIG


def test_true_and_false_are_values_of_the_offload() -> None:
    name = "consumer.assignor.offload.enable"
    assert altered({}, {name: "TRUE"}, WIDE) == (Error.NONE, {name: 1})


def test_a_value_outside_bounds_that_changed_later_is_clamped() -> None:
    narrow = Configs()
    assert session_timeout_ms(narrow, Context(settings={SESSION: 1000})) == 45_000
