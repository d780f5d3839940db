"""SyncGroup."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.coordinator.classic.commands import SyncTimedOut
from groupsim.events import classic as facts
from groupsim.events.base import Event
from tests.coordinator.given import (
    COMPLETING,
    CREATED,
    DEAD,
    FOLLOWER_WAITS,
    INITIAL,
    PREPARING,
    REBALANCE,
    SESSION,
    STABLE,
    Then,
    after,
    sync,
    tps,
    when,
)

PLAN = (("a", tps(0)), ("b", tps(1, 2)))


@pytest.mark.parametrize(
    ("given", "error"),
    [((), "UNKNOWN_MEMBER_ID"), (CREATED, "UNKNOWN_MEMBER_ID"), (DEAD, "COORDINATOR_NOT_AVAILABLE")],
)
def test_where_nobody_is_a_member_nobody_can_sync(given: tuple[Event, ...], error: str) -> None:
    assert when(given, sync("a")).error == error


@pytest.mark.parametrize("missing", [{"protocol": None}, {"protocol_type": None}])
@pytest.mark.parametrize("id", ["g", ""])
def test_from_version_5_a_missing_protocol_is_refused_before_everything_else(missing: dict[str, Any], id: str) -> None:
    assert Then(after(id=id), sync("x", **missing)).error == "INCONSISTENT_GROUP_PROTOCOL"


def test_before_version_5_no_protocol_is_expected() -> None:
    then = when(STABLE, sync("b", protocol=None, protocol_type=None, version=4))
    assert then.error == "NONE"


def test_the_empty_group_id_is_refused() -> None:
    assert Then(after(id=""), sync("x")).error == "INVALID_GROUP_ID"


@pytest.mark.parametrize("generation", [0, 2, -1])
def test_another_generation_is_illegal(generation: int) -> None:
    assert when(STABLE, sync("b", generation)).error == "ILLEGAL_GENERATION"


@pytest.mark.parametrize("other", [{"protocol": "sticky"}, {"protocol_type": "connect"}])
def test_another_protocol_is_inconsistent(other: dict[str, Any]) -> None:
    assert when(STABLE, sync("b", **other)).error == "INCONSISTENT_GROUP_PROTOCOL"


def test_a_founder_in_the_initial_delay_has_no_protocol_to_differ_from() -> None:
    assert when(INITIAL, sync("a", 0, protocol="anything")).error == "REBALANCE_IN_PROGRESS"


def test_while_the_group_prepares_everybody_is_sent_to_join() -> None:
    then = when(PREPARING, sync("b"))
    assert (then.error, then.facts, then.timers) == ("REBALANCE_IN_PROGRESS", [], {})


def test_a_follower_waits_for_the_assignment_of_the_leader() -> None:
    then = when(COMPLETING, sync("b"))
    assert then.outcome.events == (facts.SyncParked(member="b", request=9),)
    assert (then.errors, then.timers, set(then.group.pending_sync)) == ({}, {}, {"a"})


def test_when_the_leader_speaks_everybody_who_waits_is_answered() -> None:
    then = when(FOLLOWER_WAITS, sync("a", assignment=PLAN))
    assert (then.facts, then.state) == (["SyncParked", "AssignmentStored"], "Stable")
    assert {r: answer.assignment for r, answer in then.answers.items()} == {3: tps(1, 2), 9: tps(0)}
    assert then.timers == {"heartbeat/a": SESSION, "heartbeat/b": SESSION, "sync": None}


def test_who_has_not_synced_when_the_leader_speaks_is_still_expected() -> None:
    then = when(COMPLETING, sync("a", assignment=PLAN))
    assert (then.state, set(then.group.pending_sync)) == ("Stable", {"b"})
    assert then.timers == {"heartbeat/a": SESSION}
    late = Then(then.group, sync("b", request=10))
    assert (late.answers[10].assignment, late.timers, late.facts) == (tps(1, 2), {"sync": None}, ["MemberSynced"])


def test_a_member_that_the_leader_left_out_gets_nothing_and_strangers_are_dropped() -> None:
    then = when(FOLLOWER_WAITS, sync("a", assignment=(("a", tps(0)), ("stranger", tps(1)))))
    assert then.fact(facts.AssignmentStored).assignment == {"a": tps(0), "b": ()}


def test_a_sync_in_a_stable_group_gets_the_assignment_and_does_not_restart_the_session() -> None:
    then = when(STABLE, sync("b"))
    assert (then.answers[9].assignment, then.facts) == (tps(2), ["MemberSynced"])
    assert "heartbeat/b" not in then.timers


def test_a_leader_alone_is_stable_at_once() -> None:
    given = (*INITIAL, facts.JoinPhaseCompleted(generation=1, protocol="range", leader="a", size=1))
    assert when(given, sync("a", assignment=(("a", tps(0)),))).state == "Stable"


def test_a_sync_sent_again_takes_the_place_of_the_parked_one() -> None:
    then = when(FOLLOWER_WAITS, sync("b", request=10))
    assert (then.errors, then.group.members["b"].sync_request) == ({}, 10)


def test_whoever_has_not_synced_in_time_is_removed_and_the_rest_rebalances() -> None:
    then = when(FOLLOWER_WAITS, SyncTimedOut(1))
    assert then.facts == ["SyncTimeout", "MemberRemoved", "LeaderElected", "RebalanceStarted"]
    assert (then.errors, sorted(then.group.members), then.group.leader) == ({3: "REBALANCE_IN_PROGRESS"}, ["b"], "b")
    assert then.timers == {"heartbeat/a": None, "heartbeat/b": SESSION, "sync": None, "join": REBALANCE}


def test_if_nobody_synced_in_time_the_group_is_empty() -> None:
    then = when(COMPLETING, SyncTimedOut(1))
    assert (then.state, then.group.generation) == ("Empty", 2)


@pytest.mark.parametrize(("given", "generation"), [(COMPLETING, 0), (STABLE, 1), (PREPARING, 1), (CREATED, 0)])
def test_a_sync_alarm_of_another_time_does_nothing(given: tuple[Event, ...], generation: int) -> None:
    assert when(given, SyncTimedOut(generation)).facts == []


def test_a_late_member_of_a_stable_group_is_removed_too() -> None:
    given = (*COMPLETING, facts.SyncParked(member="a", request=4), facts.AssignmentStored(generation=1, assignment={}))
    then = when(given, SyncTimedOut(1))
    assert (then.fact(facts.MemberRemoved).member, then.state) == ("b", "PreparingRebalance")
