"""JoinGroup: entry checks in the broker's order, admission, new and pending members."""

from __future__ import annotations

import pytest

from groupsim.coordinator.config import ClassicGroupConfig
from groupsim.events import classic as facts
from groupsim.events.base import Event
from tests.coordinator.given import (
    COMPLETING,
    CREATED,
    DEAD,
    INITIAL,
    NEW_MEMBER,
    PREPARING,
    SESSION,
    STABLE,
    Then,
    added,
    after,
    issued,
    join,
    joined,
    offer,
    started,
    updated,
    when,
)

FULL = ClassicGroupConfig(group_max_size=2)


def test_the_empty_group_id_is_refused_before_anything_else() -> None:
    assert Then(after(id=""), join(session_timeout_ms=1)).error == "INVALID_GROUP_ID"


@pytest.mark.parametrize(("session", "error"), [(5_999, "INVALID_SESSION_TIMEOUT"), (6_000, "MEMBER_ID_REQUIRED")])
def test_a_session_timeout_must_lie_within_the_brokers_bounds(session: int, error: str) -> None:
    assert when((), join(session_timeout_ms=session)).error == error


def test_a_session_timeout_out_of_bounds_is_refused_before_the_group_is_made() -> None:
    then = when((), join(session_timeout_ms=1_800_001))
    assert (then.error, then.facts) == ("INVALID_SESSION_TIMEOUT", [])


def test_a_dead_group_is_not_available() -> None:
    assert when(DEAD, join()).error == "COORDINATOR_NOT_AVAILABLE"


def test_an_id_means_nothing_where_there_is_no_group() -> None:
    then = when((), join("x"))
    assert (then.error, then.facts) == ("UNKNOWN_MEMBER_ID", [])
    assert then.answers[9].member == "x"


def test_a_join_without_protocols_is_refused_and_leaves_an_empty_group_behind() -> None:
    then = when((), join(protocols=()))
    assert (then.error, then.facts, then.state) == ("INCONSISTENT_GROUP_PROTOCOL", ["GroupCreated"], "Empty")


def test_a_join_without_protocol_type_is_refused_by_an_empty_group() -> None:
    assert when(CREATED, join(protocol_type="")).error == "INCONSISTENT_GROUP_PROTOCOL"


def test_a_newcomer_is_given_an_id_and_nothing_else_happens() -> None:
    then = when(STABLE, join())
    assert (then.error, then.facts, then.state) == ("MEMBER_ID_REQUIRED", ["MemberIdIssued"], "Stable")
    assert then.answers[9].member == "n"
    assert then.timers == {"heartbeat/n": SESSION}


@pytest.mark.parametrize("given", [CREATED, INITIAL, PREPARING, COMPLETING, STABLE])
def test_every_state_hands_ids_out(given: tuple[Event, ...]) -> None:
    then = when(given, join())
    assert (then.error, then.state) == ("MEMBER_ID_REQUIRED", after(*given).phase.value)


@pytest.mark.parametrize("command", [join("n"), join(version=3), join(instance_id="i")])
def test_the_founder_waits_for_the_initial_delay_however_it_comes(command: object) -> None:
    then = when((*CREATED, issued("n")), command)
    assert (then.errors, then.facts) == ({}, ["MemberAdded", "RebalanceStarted"])
    assert then.timers["heartbeat/n"] == NEW_MEMBER
    assert then.timers["join"] == 3_000
    assert (then.group.leader, then.group.initial) == ("n", True)


def test_an_id_nobody_was_given_is_unknown_to_an_empty_group() -> None:
    assert when(CREATED, join("x")).error == "UNKNOWN_MEMBER_ID"


def test_a_newcomer_in_the_initial_delay_makes_it_longer() -> None:
    then = when((*INITIAL, issued("n")), join("n"))
    assert (then.errors, then.facts, then.state) == ({}, ["MemberAdded"], "PreparingRebalance")
    assert then.group.new_member_added


def test_the_founder_alone_does_not_make_the_initial_delay_longer() -> None:
    assert not after(*INITIAL, issued("n")).new_member_added


def test_a_newcomer_makes_a_stable_group_rebalance() -> None:
    then = when((*STABLE, issued("n")), join("n", reason="hello"))
    assert (then.errors, then.facts, then.state) == ({}, ["MemberAdded", "RebalanceStarted"], "PreparingRebalance")
    fact = then.fact(facts.RebalanceStarted)
    assert (fact.cause, fact.generation, fact.member, fact.initial) == ("member-joined", 1, "n", False)
    assert fact.reason == "Adding new member n with group instance id null; client reason: hello"
    assert then.timers["join"] == 60_000


def test_a_newcomer_with_a_longer_rebalance_timeout_sets_how_long_the_join_phase_may_last() -> None:
    then = when((*STABLE, issued("n")), join("n", rebalance_timeout_ms=90_000))
    assert then.timers["join"] == 90_000


def test_a_later_joiner_does_not_lengthen_a_running_join_phase() -> None:
    then = when((*PREPARING, issued("n")), join("n", rebalance_timeout_ms=90_000))
    assert "join" not in then.timers


def test_a_newcomer_while_the_group_completes_sends_the_waiting_back_to_join() -> None:
    given = (*COMPLETING, facts.SyncParked(member="b", request=3), issued("n"))
    then = when(given, join("n"))
    assert (then.errors, then.state) == ({3: "REBALANCE_IN_PROGRESS"}, "PreparingRebalance")
    assert then.timers["heartbeat/b"] == SESSION
    assert then.timers["sync"] is None
    assert then.group.pending_sync == frozenset()


def test_the_last_one_awaited_ends_the_join_phase() -> None:
    then = when((*PREPARING, updated("a", 5)), join("b"))
    assert (then.errors, then.state) == ({5: "NONE", 9: "NONE"}, "CompletingRebalance")
    assert (then.answers[9].generation, then.answers[9].members) == (2, ())
    assert [m.member for m in then.answers[5].members] == ["a", "b"]


def test_the_first_of_two_waits_for_the_other() -> None:
    then = when(PREPARING, join("a"))
    assert (then.errors, then.facts) == ({}, ["MemberUpdated"])


def test_an_id_that_was_given_out_and_not_used_yet_holds_the_join_phase_open() -> None:
    then = when((*PREPARING, issued("p"), updated("a", 5)), join("b"))
    assert (then.errors, then.state) == ({}, "PreparingRebalance")


def test_a_join_sent_again_takes_the_place_of_the_parked_one() -> None:
    then = when((*PREPARING, updated("a", 5)), join("a", 6))
    assert then.errors == {}
    assert then.group.members["a"].join_request == 6


def test_a_pending_id_with_an_instance_id_is_an_error_of_the_server() -> None:
    assert when((*STABLE, issued("p")), join("p", instance_id="i")).error == "UNKNOWN_SERVER_ERROR"


# group.max.size


def test_an_empty_group_admits_everybody() -> None:
    assert when(CREATED, join(), ClassicGroupConfig(group_max_size=1)).error == "MEMBER_ID_REQUIRED"


@pytest.mark.parametrize("given", [COMPLETING, STABLE])
def test_a_full_group_turns_strangers_away_and_keeps_its_own(given: tuple[Event, ...]) -> None:
    then = when(given, join(), FULL)
    assert (then.error, then.answers[9].member, then.facts) == ("GROUP_MAX_SIZE_REACHED", "", [])
    assert "GROUP_MAX_SIZE_REACHED" not in when(given, join("b"), FULL).errors.values()


def test_a_pending_id_turned_away_is_forgotten() -> None:
    then = when((*STABLE, issued("p")), join("p"), FULL)
    assert (then.error, then.group.pending) == ("GROUP_MAX_SIZE_REACHED", frozenset())
    assert then.fact(facts.PendingMemberRemoved).cause == "group-full"


def test_pending_ids_do_not_count() -> None:
    given = (*CREATED, added("a", 1), started(initial=True), issued("p"), issued("q"))
    assert when(given, join(), FULL).error == "MEMBER_ID_REQUIRED"


def test_a_rebalance_keeps_the_first_that_join_and_removes_who_comes_too_late() -> None:
    full = ClassicGroupConfig(group_max_size=1)
    given = (*PREPARING, updated("b", 5))
    then = when(given, join("a"), full)
    assert (then.error, sorted(then.group.members)) == ("GROUP_MAX_SIZE_REACHED", ["b"])
    assert then.group.leader == "b"
    assert when(given, join("b"), full).errors != {9: "GROUP_MAX_SIZE_REACHED"}


def test_a_static_member_that_restarts_is_turned_away_by_a_full_group() -> None:
    given = (
        *CREATED,
        added("a", 1, instance_id="i"),
        started(initial=True),
        joined(1, "a"),
        facts.SyncParked(member="a", request=2),
        facts.AssignmentStored(generation=1, assignment={"a": ()}),
    )
    assert when(given, join(instance_id="i"), ClassicGroupConfig(group_max_size=1)).error == "GROUP_MAX_SIZE_REACHED"


# protocols


def test_another_protocol_type_is_refused() -> None:
    assert when(STABLE, join(protocol_type="connect")).error == "INCONSISTENT_GROUP_PROTOCOL"


def test_a_protocol_that_not_all_members_list_is_refused() -> None:
    assert when(STABLE, join(protocols=offer("sticky"))).error == "INCONSISTENT_GROUP_PROTOCOL"


def test_one_protocol_common_to_all_is_enough() -> None:
    assert when(STABLE, join(protocols=offer("sticky", "range"))).error == "MEMBER_ID_REQUIRED"
