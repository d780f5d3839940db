"""LeaveGroup: a batch with one result per entry."""

from __future__ import annotations

import pytest

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
    Then,
    added,
    after,
    issued,
    leave,
    updated,
    when,
)


def _results(then: Then) -> list[str]:
    return [error.name for _, _, error in then.answers[9].members]


def test_a_dead_group_and_the_empty_id_are_refused_as_a_whole() -> None:
    assert when(DEAD, leave("a")).error == "COORDINATOR_NOT_AVAILABLE"
    assert Then(after(id=""), leave("a")).error == "INVALID_GROUP_ID"


@pytest.mark.parametrize("given", [(), CREATED, STABLE])
def test_a_stranger_is_unknown_entry_by_entry(given: tuple[Event, ...]) -> None:
    then = when(given, leave("x", "y"))
    assert (then.error, _results(then), then.facts) == ("NONE", ["UNKNOWN_MEMBER_ID"] * 2, [])


def test_the_last_leaver_empties_the_group_at_a_new_generation() -> None:
    then = when(STABLE, leave("a", "b"))
    assert (then.state, then.group.generation) == ("Empty", 2)
    assert then.facts == ["MemberRemoved", "LeaderElected", "MemberRemoved", "RebalanceStarted", "GroupEmptied"]
    assert then.timers["heartbeat/a"] is None


def test_a_batch_starts_one_rebalance() -> None:
    given = (*STABLE, added("c", None))
    then = when(given, leave("a", "x", "c"))
    assert _results(then) == ["NONE", "UNKNOWN_MEMBER_ID", "NONE"]
    fact = then.fact(facts.RebalanceStarted)
    assert (fact.cause, fact.reason) == ("member-left", "explicit `LeaveGroup` request for (a, c) members.")
    assert then.timers["join"] == REBALANCE


def test_a_pending_id_that_leaves_makes_even_a_stable_group_rebalance() -> None:
    then = when((*STABLE, issued("p")), leave("p"))
    assert (_results(then), then.state) == (["NONE"], "PreparingRebalance")
    assert then.facts == ["PendingMemberRemoved", "RebalanceStarted"]
    assert then.timers["heartbeat/p"] is None


def test_a_pending_id_that_leaves_an_empty_group_leaves_it_empty() -> None:
    then = when((*CREATED, issued("p")), leave("p"))
    assert (then.facts, then.state) == (["PendingMemberRemoved"], "Empty")


def test_a_leaver_can_be_the_last_one_awaited() -> None:
    then = when((*PREPARING, updated("a", 5)), leave("b"))
    assert (then.errors, then.state) == ({5: "NONE", 9: "NONE"}, "CompletingRebalance")


def test_a_leaver_never_ends_an_initial_delay() -> None:
    then = when((*INITIAL, added("b", 2)), leave("b"))
    assert (then.errors, then.state) == ({2: "UNKNOWN_MEMBER_ID", 9: "NONE"}, "PreparingRebalance")
    assert when((*INITIAL, issued("p")), leave("p")).state == "PreparingRebalance"


def test_what_a_leaver_has_parked_to_join_is_answered_as_unknown_without_an_id() -> None:
    then = when((*PREPARING, updated("b", 5)), leave("b"))
    assert (then.errors[5], then.answers[5].member) == ("UNKNOWN_MEMBER_ID", "")


def test_what_a_leaver_has_parked_to_sync_is_never_answered() -> None:
    then = when(FOLLOWER_WAITS, leave("b"))
    assert then.errors == {9: "NONE"}
    assert then.state == "PreparingRebalance"


def test_a_leader_that_leaves_sends_the_waiting_back_to_join() -> None:
    then = when(FOLLOWER_WAITS, leave("a"))
    assert then.errors == {3: "REBALANCE_IN_PROGRESS", 9: "NONE"}
    assert (then.group.leader, then.timers["heartbeat/b"]) == ("b", SESSION)


def test_an_administrator_removes_a_static_member_by_its_instance_id() -> None:
    then = when(STATIC, leave(("", "ib")))
    assert (_results(then), sorted(then.group.members)) == (["NONE"], ["a"])
    assert then.fact(facts.MemberRemoved).instance_id == "ib"
    assert when(STATIC, leave(("", "nobody"))).answers[9].members[0][2].name == "UNKNOWN_MEMBER_ID"


@pytest.mark.parametrize(
    ("entry", "error"), [(("x", "ia"), "FENCED_INSTANCE_ID"), (("a", "nobody"), "UNKNOWN_MEMBER_ID")]
)
def test_an_instance_id_must_stand_for_the_id(entry: tuple[str, str], error: str) -> None:
    assert _results(when(STATIC, leave(entry))) == [error]


def test_a_leave_while_the_group_completes_starts_all_over() -> None:
    then = when(COMPLETING, leave("b"))
    assert (then.facts, then.timers["sync"]) == (["MemberRemoved", "RebalanceStarted"], None)
