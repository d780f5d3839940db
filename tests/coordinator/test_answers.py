"""What is answered in place of an answer: while the coordinator loads, and where a write was superseded."""

from __future__ import annotations

import pytest

from groupsim.coordinator.commands import Request
from groupsim.coordinator.config import ClassicGroupConfig, Configs, CoordinatorKind
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
    numbers = iter(["1", "2"])
    named = [join(client_id="c").with_new_id(lambda: next(numbers))]
    named.append(join(client_id="c", instance_id="i").with_new_id(lambda: next(numbers)))
    assert [request.new_member for request in named] == ["c-1", "i-2"]


def test_other_requests_take_no_id() -> None:
    drawn: list[str] = []
    for name, request in REQUESTS.items():
        if name != "join":
            assert request.with_new_id(lambda: drawn.append("") or "") is request  # type: ignore[func-returns-value]
    assert drawn == []
