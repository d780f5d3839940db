"""What a heartbeat is refused for before its group is looked at (Kafka 4.4's order of checks)."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.outcome import Error
from tests.coordinator.consumer.driven import Driven

DISABLED = {"group_coordinator_rebalance_protocols": "classic"}


def test_a_broker_that_does_not_speak_the_protocol_answers_nothing_else() -> None:
    kafka = Driven(**DISABLED)
    assert kafka.beat("", 0).error is Error.UNSUPPORTED_VERSION
    assert kafka.beat("m1", 0).error is Error.UNSUPPORTED_VERSION
    assert kafka.state == Driven(**DISABLED).state


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"member": "", "epoch": 0, "version": 1}, Error.INVALID_REQUEST),
        ({"member": "", "epoch": 5, "version": 0}, Error.INVALID_REQUEST),
        ({"member": "", "epoch": -1, "version": 0}, Error.INVALID_REQUEST),
        ({"member": "", "epoch": -2, "version": 0, "instance_id": "i"}, Error.GROUP_ID_NOT_FOUND),
        ({"member": "", "epoch": 0, "version": 0}, Error.NONE),
        ({"member": "m1", "epoch": 0, "instance_id": "", "assignor": "none"}, Error.INVALID_REQUEST),
        ({"member": "m1", "epoch": 5, "rack": ""}, Error.INVALID_REQUEST),
        ({"member": "m1", "epoch": 0, "rebalance_timeout_ms": -1}, Error.INVALID_REQUEST),
        ({"member": "m1", "epoch": 0, "rebalance_timeout_ms": -2}, Error.NONE),
        ({"member": "m1", "epoch": 0, "owned": None}, Error.INVALID_REQUEST),
        ({"member": "m1", "epoch": 0, "topics": None}, Error.INVALID_REQUEST),
        ({"member": "m1", "epoch": 0, "topics": None, "expression": ""}, Error.NONE),
        ({"member": "m1", "epoch": -2}, Error.INVALID_REQUEST),
        ({"member": "m1", "epoch": -3, "instance_id": "i"}, Error.INVALID_REQUEST),
        ({"member": "m1", "epoch": 5, "assignor": ""}, Error.UNSUPPORTED_ASSIGNOR),
        ({"member": "m1", "epoch": -1, "assignor": "Range"}, Error.UNSUPPORTED_ASSIGNOR),
        ({"member": "m1", "epoch": 5}, Error.GROUP_ID_NOT_FOUND),
        ({"member": "m1", "epoch": -1}, Error.GROUP_ID_NOT_FOUND),
        ({"member": "m1", "epoch": -2, "instance_id": "i"}, Error.GROUP_ID_NOT_FOUND),
    ],
)
def test_what_a_request_must_look_like(sent: dict[str, Any], error: Error) -> None:
    kafka = Driven()
    fields: dict[str, Any] = {"new_member": "n1"} | sent
    assert kafka.beat(fields.pop("member"), fields.pop("epoch"), **fields).error is error


@pytest.mark.parametrize("epoch", [0, 2, -1])
def test_a_group_that_is_not_here_is_named_after_a_request_that_is_wrong(epoch: int) -> None:
    kafka = Driven()
    kafka.beat("m1", 0)
    kafka.send(Unload())
    assert kafka.beat("m1", epoch).error is Error.NOT_COORDINATOR
    assert kafka.beat("m1", epoch, rack="").error is Error.INVALID_REQUEST
    kafka.send(Load())
    assert kafka.beat("m1", epoch).error is Error.NONE


def test_a_member_that_is_away_has_no_epoch_before() -> None:
    kafka = Driven(group_consumer_assignment_interval_ms="0")
    epoch = kafka.beat("m1", 0, instance_id="i").epoch
    kafka.beat("m2", 0)
    kafka.beat("m1", epoch, instance_id="i")
    before = kafka.group.members["m1"].previous_epoch
    assert before > 0
    kafka.beat("m1", -2, instance_id="i")
    assert kafka.beat("m1", before, instance_id="i", owned=()).error is Error.FENCED_MEMBER_EPOCH


@pytest.mark.parametrize("epoch", [0, 2, -1])
def test_nor_is_one_that_does_not_exist(epoch: int) -> None:
    kafka = Driven()
    kafka.send(Unload())
    assert kafka.beat("m1", epoch).error is Error.NOT_COORDINATOR
