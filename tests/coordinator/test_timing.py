"""How long a join phase lasts and how it ends (docs/model/timers.md)."""

from __future__ import annotations

import pytest

from groupsim.coordinator.classic.commands import InitialDelayElapsed, JoinTimeout
from groupsim.coordinator.config import ClassicGroupConfig
from groupsim.events import classic as facts
from groupsim.events.base import Event
from groupsim.events.group import GroupEmptied
from tests.coordinator.given import (
    CREATED,
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
    join,
    offer,
    started,
    updated,
    when,
)


def test_a_delay_in_which_nobody_came_ends_the_join_phase() -> None:
    then = when(INITIAL, InitialDelayElapsed(3_000, 57_000))
    assert (then.errors, then.state) == ({1: "NONE"}, "CompletingRebalance")
    assert (then.answers[1].generation, then.answers[1].leader) == (1, "a")


@pytest.mark.parametrize(("rebalance_ms", "rings"), [(10_000, [3_000, 6_000, 9_000, 10_000]), (4_000, [3_000, 4_000])])
def test_the_delay_is_waited_out_again_while_members_arrive_but_never_beyond_the_founders_timeout(
    rebalance_ms: int, rings: list[int]
) -> None:
    group = after(*CREATED, issued("n0"))
    then = Then(group, join("n0", rebalance_timeout_ms=rebalance_ms))
    now, seen = 0, []
    for i in range(1, 9):
        (alarm,) = [t for t in then.outcome.timers if t.key == "join"]
        now += alarm.after_ms  # type: ignore[union-attr]
        seen.append(now)
        newcomer = Then(then.group, join(version=3, new_member=f"n{i}", request=i))
        then = Then(newcomer.group, alarm.command)  # type: ignore[union-attr]
        if then.state == "CompletingRebalance":
            break
    assert seen == rings


def test_a_pending_id_does_not_lengthen_the_delay_and_is_not_waited_for() -> None:
    then = when((*INITIAL, issued("p")), InitialDelayElapsed(3_000, 57_000))
    assert then.state == "CompletingRebalance"
    assert then.group.pending == {"p"}


def test_a_stale_flag_lengthens_the_next_initial_rebalance_of_a_single_founder() -> None:
    given = (*INITIAL, added("b", 2), facts.JoinPhaseCompleted(generation=1, protocol="range", leader="a", size=2))
    gone = (started(1), facts.MemberRemoved(member="a", cause="left"), facts.MemberRemoved(member="b", cause="left"))
    again = (*given, *gone, GroupEmptied(generation=2), added("c", 3), started(2, initial=True))
    then = when(again, InitialDelayElapsed(3_000, 57_000))
    assert (then.facts, then.timers) == (["JoinDelayExtended"], {"join": 3_000})


def test_an_alarm_of_an_initial_delay_that_is_over_does_nothing() -> None:
    assert when(STABLE, InitialDelayElapsed(3_000, 57_000)).facts == []


def test_whoever_did_not_join_in_time_is_dropped() -> None:
    then = when((*PREPARING, updated("a", 5)), JoinTimeout())
    assert then.facts == ["MemberRemoved", "JoinPhaseCompleted"]
    assert then.fact(facts.JoinPhaseCompleted).dropped == ("b",)
    assert then.timers == {"join": None, "heartbeat/b": None, "heartbeat/a": SESSION, "sync": REBALANCE}


def test_a_leader_that_did_not_join_in_time_is_followed_by_one_that_did() -> None:
    then = when((*PREPARING, updated("b", 5)), JoinTimeout())
    assert (then.group.leader, then.errors) == ("b", {5: "NONE"})
    assert [m.member for m in then.answers[5].members] == ["b"]


def test_a_join_phase_that_nobody_joined_empties_the_group_at_a_new_generation() -> None:
    then = when(PREPARING, JoinTimeout())
    assert (then.state, then.group.generation, then.group.leader) == ("Empty", 2, None)


def test_absent_static_members_are_kept_and_given_a_session_from_now() -> None:
    then = when((*STATIC, started(1), updated("a", 5, protocols=offer("range"))), JoinTimeout())
    fact = then.fact(facts.JoinPhaseCompleted)
    assert (fact.members, fact.absent, fact.dropped) == (("a", "b"), ("b",), ())
    assert then.timers["heartbeat/b"] == SESSION
    assert then.group.pending_sync == {"a", "b"}


def test_an_absent_static_leader_gives_way_to_a_member_that_is_here() -> None:
    assert when((*STATIC, started(1), updated("b", 5)), JoinTimeout()).group.leader == "b"


def test_if_only_static_members_are_left_and_none_is_here_the_phase_is_waited_out_again() -> None:
    then = when((*STATIC, started(1)), JoinTimeout())
    assert (then.facts, then.state, then.timers["join"]) == ([], "PreparingRebalance", REBALANCE)


def test_completion_gives_everybody_its_session_and_the_group_a_sync_timer() -> None:
    then = when((*PREPARING, updated("a", 5, session_timeout_ms=7_000)), join("b", rebalance_timeout_ms=70_000))
    assert then.timers == {"join": None, "heartbeat/a": 7_000, "heartbeat/b": SESSION, "sync": 70_000}
    assert not any(m.is_new for m in then.group.members.values())


def test_the_leader_stays_if_it_joins() -> None:
    assert when((*PREPARING, updated("b", 5)), join("a")).group.leader == "a"


@pytest.mark.parametrize("given", [STABLE, CREATED])
def test_a_join_alarm_that_rings_too_late_does_nothing(given: tuple[Event, ...]) -> None:
    assert when(given, JoinTimeout()).facts == []


def test_without_a_delay_the_founder_still_waits_for_its_alarm() -> None:
    then = when((*CREATED, issued("n")), join("n"), ClassicGroupConfig(group_initial_rebalance_delay_ms=0))
    assert (then.errors, then.timers["join"]) == ({}, 0)
