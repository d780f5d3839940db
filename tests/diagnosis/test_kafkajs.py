"""What KafkaJS prints of its group, as JSON and as loggers of applications print it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Code
from tests.diagnosis.small_logs import explained

Line = Callable[[int, str], str]
MEMBER = "web-1d9a2b3c-1111-4222-8333-944455556666"
REBALANCING = "[Runner] The group is rebalancing, re-joining"
NOT_KNOWN = "[Runner] The coordinator is not aware of this member, re-joining the group"
HAS_JOINED = "[ConsumerGroup] Consumer has joined the group"


def codes(folder: Path, *lines: str) -> list[Code]:
    return [finding.code for finding in explained(folder, *lines).groups[0].findings]


def said(second: int, message: str, **fields: object) -> str:
    """A line of KafkaJS's own logger."""
    return json.dumps(
        {"level": "INFO", "timestamp": f"2025-04-01T08:00:{second:02}.000Z", "logger": "kafkajs", "message": message}
        | {"groupId": "billing", "memberId": MEMBER}
        | fields
    )


def nest(second: int, message: str) -> str:
    """The same behind the head of Nest's logger."""
    fields = {"timestamp": f"2025-04-01T08:00:{second:02}.000Z", "logger": "kafkajs", "groupId": "billing"}
    return f"[Nest] 1  - 04/01/2025, 8:00:{second:02} AM   ERROR [ServerKafka] ERROR {message} {json.dumps(fields)}"


def plain(second: int, message: str) -> str:
    """The message alone, as a logger of the application's own prints it."""
    return f"2025-04-01 08:00:{second:02} error: {message}"


def inspected(_: int, message: str) -> str:
    """A record as Node's console prints an object."""
    return f"{{ level: 'ERROR', groupId: 'billing', message: '{message}' }}"


LAYOUTS = pytest.mark.parametrize("line", [said, nest, plain, inspected])


@LAYOUTS
def test_a_runner_that_rejoins_because_the_group_rebalances_did_not_start(tmp_path: Path, line: Line) -> None:
    assert codes(tmp_path, line(1, REBALANCING)) == [Code.OTHERS]


@LAYOUTS
def test_a_runner_whose_member_the_coordinator_does_not_know_has_lost_its_session(tmp_path: Path, line: Line) -> None:
    assert codes(tmp_path, line(1, NOT_KNOWN)) == [Code.SESSION_EXPIRED]


def test_a_consumer_that_joins_again_after_a_rebalance_did_not_start(tmp_path: Path) -> None:
    lines = (said(1, REBALANCING), said(4, HAS_JOINED, memberAssignment={"orders": [1]}))
    assert codes(tmp_path, *lines) == [Code.OTHERS]


def test_the_rebalances_after_a_start_come_before_the_start(tmp_path: Path) -> None:
    lines = [said(1, HAS_JOINED, memberAssignment={"orders": [0, 1]})]
    lines += [said(20, REBALANCING), said(23, HAS_JOINED, memberAssignment={"orders": [1]})]
    assert codes(tmp_path, *lines)[0] is Code.OTHERS


def test_a_join_alone_is_a_start(tmp_path: Path) -> None:
    assert codes(tmp_path, plain(1, HAS_JOINED)) == [Code.START_UP]


def test_a_heartbeats_answer_and_what_the_runner_says_of_it_are_one_lost_session(tmp_path: Path) -> None:
    error = "The coordinator is not aware of this member"
    answer = said(1, "[Connection] Response Heartbeat(key: 12, version: 3)", clientId="web", error=error)
    found = explained(tmp_path, answer, said(1, NOT_KNOWN, error=error)).groups[0].findings
    assert [(each.code, each.times) for each in found] == [(Code.SESSION_EXPIRED, 1)]
