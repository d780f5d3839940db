"""JoinGroup of a member that is known."""

from __future__ import annotations

import pytest

from groupsim.events import classic as facts
from groupsim.events.base import Event
from tests.coordinator.given import (
    COMPLETING,
    FOLLOWER_WAITS,
    PREPARING,
    STABLE,
    STATIC,
    join,
    joined,
    offer,
    updated,
    when,
)

OTHER = offer("range", topic="payments")


def test_a_leader_that_joins_a_stable_group_always_starts_a_rebalance() -> None:
    then = when(STABLE, join("a"))
    assert (then.facts, then.errors) == (["MemberUpdated", "RebalanceStarted"], {})
    fact = then.fact(facts.RebalanceStarted)
    assert fact.cause == "leader-rejoined"
    assert fact.reason == "Leader a re-joining group during Stable; client reason: not provided"


def test_a_follower_with_the_same_metadata_gets_the_present_generation() -> None:
    then = when(STABLE, join("b"))
    assert (then.facts, then.errors, then.state) == ([], {9: "NONE"}, "Stable")
    answer = then.answers[9]
    assert (answer.generation, answer.protocol, answer.leader, answer.members) == (1, "range", "a", ())


def test_a_follower_with_other_metadata_starts_a_rebalance() -> None:
    then = when(STABLE, join("b", protocols=OTHER))
    assert (then.errors, then.state) == ({}, "PreparingRebalance")
    assert then.fact(facts.RebalanceStarted).reason.startswith("Updating metadata for member b during Stable")


def test_the_order_of_the_offered_protocols_is_part_of_the_metadata() -> None:
    both, swapped = offer("range", "sticky"), offer("sticky", "range")
    given = (*PREPARING, updated("a", 5), updated("b", 6, protocols=both), joined(2, "a", "b"))
    assert when(given, join("b", protocols=both)).state == "CompletingRebalance"
    assert when(given, join("b", protocols=swapped)).state == "PreparingRebalance"


@pytest.mark.parametrize(("member", "listed"), [("a", ["a", "b"]), ("b", [])])
def test_a_join_sent_again_while_the_group_completes_gets_the_same_answer(member: str, listed: list[str]) -> None:
    then = when(FOLLOWER_WAITS, join(member))
    assert (then.facts, then.errors) == ([], {9: "NONE"})
    assert [m.member for m in then.answers[9].members] == listed


def test_other_metadata_while_the_group_completes_starts_all_over() -> None:
    then = when(FOLLOWER_WAITS, join("a", protocols=OTHER))
    assert (then.errors, then.state) == ({3: "REBALANCE_IN_PROGRESS"}, "PreparingRebalance")
    assert then.timers == {"heartbeat/b": 10_000, "sync": None, "join": 60_000}


def test_assignments_of_a_generation_that_never_became_stable_are_forgotten() -> None:
    again = (*PREPARING, joined(2, "a", "b"))
    then = when(again, join("b", protocols=OTHER))
    assert then.group.assignment == {"a": (), "b": ()}


def test_assignments_of_a_stable_group_stay_visible_while_it_rebalances() -> None:
    then = when(STABLE, join("a"))
    assert [len(given) for given in then.group.assignment.values()] == [2, 1]


@pytest.mark.parametrize("given", [PREPARING, COMPLETING, STABLE])
def test_an_id_that_is_no_member_is_unknown(given: tuple[Event, ...]) -> None:
    then = when(given, join("x"))
    assert (then.error, then.answers[9].member, then.facts) == ("UNKNOWN_MEMBER_ID", "x", [])


@pytest.mark.parametrize(
    ("member", "instance", "error"),
    [("a", "nobody", "UNKNOWN_MEMBER_ID"), ("a", "ib", "FENCED_INSTANCE_ID"), ("x", "ia", "FENCED_INSTANCE_ID")],
)
def test_an_instance_id_must_stand_for_the_id(member: str, instance: str, error: str) -> None:
    assert when(STATIC, join(member, instance_id=instance)).error == error


def test_a_static_member_with_its_own_id_is_a_member_like_any_other() -> None:
    assert when(STATIC, join("b", instance_id="ib")).errors == {9: "NONE"}


def test_new_timeouts_are_taken_over() -> None:
    member = when(PREPARING, join("a", session_timeout_ms=7_000, rebalance_timeout_ms=8_000)).group.members["a"]
    assert (member.session_timeout_ms, member.rebalance_timeout_ms) == (7_000, 8_000)
