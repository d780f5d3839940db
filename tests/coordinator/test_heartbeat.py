"""Heartbeat: what is answered, and that only a valid one prolongs the session."""

from __future__ import annotations

import pytest

from groupsim.events.base import Event
from tests.coordinator.given import (
    COMPLETING,
    CREATED,
    DEAD,
    INITIAL,
    PREPARING,
    SESSION,
    STABLE,
    STATIC,
    Then,
    after,
    beat,
    issued,
    when,
)


@pytest.mark.parametrize(
    ("given", "generation", "error"),
    [
        (INITIAL, 0, "REBALANCE_IN_PROGRESS"),
        (PREPARING, 1, "REBALANCE_IN_PROGRESS"),
        (COMPLETING, 1, "NONE"),
        (STABLE, 1, "NONE"),
    ],
)
def test_a_valid_heartbeat_prolongs_the_session_whatever_the_phase(
    given: tuple[Event, ...], generation: int, error: str
) -> None:
    then = when(given, beat("a", generation))
    assert (then.error, then.timers, then.facts) == (error, {"heartbeat/a": SESSION}, ["HeartbeatReceived"])
    assert then.group == after(*given)


@pytest.mark.parametrize(
    ("given", "command", "error"),
    [
        ((), beat("a"), "UNKNOWN_MEMBER_ID"),
        (CREATED, beat("a", 0), "UNKNOWN_MEMBER_ID"),
        (DEAD, beat("a"), "COORDINATOR_NOT_AVAILABLE"),
        (STABLE, beat("x"), "UNKNOWN_MEMBER_ID"),
        (STABLE, beat("x", 7), "UNKNOWN_MEMBER_ID"),
        (STABLE, beat("a", 0), "ILLEGAL_GENERATION"),
        (PREPARING, beat("a", 2), "ILLEGAL_GENERATION"),
        ((*STABLE, issued("p")), beat("p"), "UNKNOWN_MEMBER_ID"),
        (STATIC, beat("a", 1, "nobody"), "UNKNOWN_MEMBER_ID"),
        (STATIC, beat("x", 1, "ia"), "FENCED_INSTANCE_ID"),
    ],
)
def test_a_heartbeat_that_is_refused_prolongs_nothing(given: tuple[Event, ...], command: object, error: str) -> None:
    then = when(given, command)
    assert (then.error, then.timers) == (error, {})


def test_the_empty_group_id_is_refused() -> None:
    assert Then(after(id=""), beat("a")).error == "INVALID_GROUP_ID"
