"""What is answered in place of an answer: while the coordinator loads, and where a write was superseded."""

from __future__ import annotations

import pytest

from groupsim.coordinator.commands import Request
from groupsim.coordinator.config import ClassicGroupConfig, Configs, CoordinatorKind
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from tests.coordinator.given import beat, commit, join, leave, sync

JAVA = Configs()
SCALA = Configs(classic=ClassicGroupConfig(coordinator=CoordinatorKind.SCALA))
REQUESTS: dict[str, Request] = {
    "join": join(),
    "sync": sync("a"),
    "heartbeat": beat("a"),
    "leave": leave("a"),
    "commit": commit("a", 1),
}


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("configs", [JAVA, SCALA], ids=["java", "scala"])
def test_while_the_coordinator_loads_a_client_is_to_try_again_and_heartbeats_are_accepted(
    name: str, configs: Configs
) -> None:
    expected = "NONE" if name == "heartbeat" else "COORDINATOR_LOAD_IN_PROGRESS"
    if name == "sync" and configs is SCALA:
        expected = "REBALANCE_IN_PROGRESS"
    assert REQUESTS[name].answer.while_loading(configs).error.name == expected


def test_only_an_assignment_is_cancelled_by_a_rebalance_that_begins_before_it_is_durable() -> None:
    cancelled = {name: request.answer.when_cancelled() for name, request in REQUESTS.items()}
    assert {name: answer.error.name for name, answer in cancelled.items() if answer} == {
        "sync": "REBALANCE_IN_PROGRESS"
    }


def test_a_new_member_is_named_after_its_instance_or_its_client() -> None:
    drawn = "01234567-89ab-4cde-8f01-23456789abcd"
    named = [join(client_id="c", instance_id=instance).with_new_id(lambda: drawn) for instance in (None, "i")]
    assert [request.new_member for request in named] == [f"c-{drawn}", f"i-{drawn}"]


def test_in_a_consumer_group_a_new_id_is_a_bare_uuid_of_22_characters() -> None:
    """Its first character is no `-`, so that tools take it for no option (Kafka: Uuid.randomUuid)."""
    beat = ConsumerHeartbeat(request=1, member="", epoch=0, version=0)
    assert beat.with_new_id(lambda: "01234567-89ab-4cde-8f01-23456789abcd").new_member == "ASNFZ4mrTN6PASNFZ4mrzQ"
    assert beat.with_new_id(lambda: "f8000000-0000-4000-8000-000000000001").new_member == "_AAAAAAAQACAAAAAAAAAAQ"
    assert join().with_new_id(lambda: "01234567-89ab-4cde-8f01-23456789abcd").new_uuid == "ASNFZ4mrTN6PASNFZ4mrzQ"


def test_other_requests_take_no_id() -> None:
    drawn: list[str] = []
    for name, request in REQUESTS.items():
        if name != "join":
            assert request.with_new_id(lambda: drawn.append("") or "") is request  # type: ignore[func-returns-value]
    assert drawn == []
