"""Sessions that run out (docs/model/timers.md)."""

from __future__ import annotations

import pytest

from groupsim.coordinator.classic.commands import SessionExpired
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
    STATIC,
    added,
    issued,
    join,
    joined,
    started,
    updated,
    when,
)


def test_a_silent_member_is_removed_and_the_others_rebalance() -> None:
    then = when(STABLE, SessionExpired("b"))
    assert then.facts == ["MemberRemoved", "RebalanceStarted"]
    assert then.fact(facts.MemberRemoved).cause == "session-expired"
    assert then.fact(facts.RebalanceStarted).reason == "removing member b on heartbeat expiration."
    assert then.timers == {"sync": None, "join": REBALANCE}


def test_a_silent_leader_is_followed_by_another_member() -> None:
    assert when(STABLE, SessionExpired("a")).group.leader == "b"


def test_the_last_silent_member_leaves_an_empty_group_behind() -> None:
    alone = (*CREATED, added("a"), started(initial=True), joined(1, "a"))
    then = when(alone, SessionExpired("a"))
    assert (then.state, then.group.generation) == ("Empty", 2)


@pytest.mark.parametrize(
    ("given", "member"),
    [
        (DEAD, "a"),
        ((), "a"),
        (STABLE, "x"),
        (FOLLOWER_WAITS, "b"),
        ((*PREPARING, updated("a", 5)), "a"),
    ],
)
def test_nothing_happens_to_strangers_and_to_those_who_wait_for_us(given: tuple[Event, ...], member: str) -> None:
    then = when(given, SessionExpired(member))
    assert (then.facts, then.outcome.replies, then.timers) == ([], (), {})


def test_a_new_member_fails_even_while_it_waits() -> None:
    then = when((*PREPARING, added("n", 5)), SessionExpired("n"))
    assert (then.errors, then.state) == ({5: "UNKNOWN_MEMBER_ID"}, "PreparingRebalance")


def test_one_that_fails_can_be_the_last_one_awaited() -> None:
    then = when((*PREPARING, updated("a", 5)), SessionExpired("b"))
    assert (then.errors, then.state) == ({5: "NONE"}, "CompletingRebalance")


def test_a_leader_that_fails_while_the_group_completes_frees_the_followers() -> None:
    then = when(FOLLOWER_WAITS, SessionExpired("a"))
    assert (then.errors, then.state) == ({3: "REBALANCE_IN_PROGRESS"}, "PreparingRebalance")
    assert then.timers["heartbeat/b"] == SESSION


def test_a_failure_among_founders_ends_the_initial_delay_if_all_others_joined() -> None:
    then = when((*INITIAL, added("b", 2)), SessionExpired("b"))
    assert (then.errors, then.state) == ({2: "UNKNOWN_MEMBER_ID", 1: "NONE"}, "CompletingRebalance")


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (CREATED, "Empty"),
        (INITIAL, "CompletingRebalance"),
        ((*PREPARING, updated("a", 5), updated("b", 6)), "CompletingRebalance"),
        (PREPARING, "PreparingRebalance"),
        (COMPLETING, "CompletingRebalance"),
        (STABLE, "Stable"),
    ],
)
def test_a_pending_id_that_nobody_used_is_forgotten_and_holds_nothing_up_any_more(
    given: tuple[Event, ...], state: str
) -> None:
    then = when((*given, issued("p")), SessionExpired("p"))
    assert (then.facts[0], then.state) == ("PendingMemberRemoved", state)
    assert then.fact(facts.PendingMemberRemoved).cause == "expired"


def test_an_expired_id_can_not_join_any_more() -> None:
    given = (*STABLE, issued("p"), facts.PendingMemberRemoved(member="p", cause="expired"))
    assert when(given, join("p")).error == "UNKNOWN_MEMBER_ID"


def test_the_alarm_of_a_replaced_id_rings_without_effect() -> None:
    given = (*STATIC, *when(STATIC, join(instance_id="ib")).outcome.events)
    assert when(given, SessionExpired("b")).facts == []


def test_an_expired_static_member_gives_its_instance_id_back() -> None:
    assert dict(when(STATIC, SessionExpired("b")).group.statics) == {"ia": "a"}
