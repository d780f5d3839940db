"""Static members that come back without their id (KIP-345, docs/model/static-members.md)."""

from __future__ import annotations

import pytest

from groupsim.events import classic as facts
from groupsim.events.base import Event
from tests.coordinator.given import (
    CREATED,
    PREPARING,
    STATIC,
    added,
    after,
    beat,
    commit,
    join,
    joined,
    offer,
    started,
    stored,
    sync,
    tps,
    updated,
    when,
)

BOTH = offer("range", "sticky")


def test_a_new_instance_id_is_added_without_a_second_round() -> None:
    then = when(STATIC, join(instance_id="ic"))
    assert (then.facts, then.errors) == (["MemberAdded", "RebalanceStarted"], {})
    assert dict(then.group.statics) == {"ia": "a", "ib": "b", "ic": "n"}


def test_a_restart_within_the_session_is_answered_at_once_and_nobody_rebalances() -> None:
    then = when(STATIC, join(instance_id="ib"))
    assert (then.facts, then.errors, then.state) == (["MemberReplaced"], {9: "NONE"}, "Stable")
    answer = then.answers[9]
    assert (answer.generation, answer.member, answer.leader, answer.members) == (1, "n", "a", ())
    assert not answer.skip_assignment
    assert then.group.members["n"].assignment == tps(2)


def test_the_returned_member_gets_what_its_former_id_had() -> None:
    then = when((*STATIC, *when(STATIC, join(instance_id="ib")).outcome.events), sync("n", instance_id="ib"))
    assert then.answers[9].assignment == tps(2)


def test_a_returning_leader_gets_the_list_and_must_not_assign() -> None:
    then = when(STATIC, join(instance_id="ia"))
    answer = then.answers[9]
    assert (answer.leader, answer.skip_assignment) == ("n", True)
    assert [m.member for m in answer.members] == ["b", "n"]
    assert then.group.leader == "n"


def test_before_version_9_the_answer_to_a_returning_leader_names_its_former_id_as_leader() -> None:
    answer = when(STATIC, join(instance_id="ia", version=8)).answers[9]
    assert (answer.leader, answer.skip_assignment, answer.members) == ("a", False, ())


def test_the_first_session_of_the_new_id_is_as_long_as_the_former_ones() -> None:
    then = when(STATIC, join(instance_id="ib", session_timeout_ms=20_000))
    assert then.timers == {"heartbeat/n": 10_000}
    again = when((*STATIC, *then.outcome.events), beat("n"))
    assert again.timers == {"heartbeat/n": 20_000}


def test_only_an_immediate_answer_is_written_down() -> None:
    assert when(STATIC, join(instance_id="ib")).fact(facts.MemberReplaced).request is None
    assert when((*STATIC, started(1)), join(instance_id="ib")).fact(facts.MemberReplaced).request == 9


@pytest.mark.parametrize("command", [beat("b", 1, "ib"), sync("b", instance_id="ib"), commit("b", 1, instance_id="ib")])
def test_the_former_id_is_fenced(command: object) -> None:
    given = (*STATIC, *when(STATIC, join(instance_id="ib")).outcome.events)
    assert when(given, command).error == "FENCED_INSTANCE_ID"


def test_the_former_id_without_its_instance_id_is_just_unknown() -> None:
    given = (*STATIC, *when(STATIC, join(instance_id="ib")).outcome.events)
    assert when(given, commit("b", 1)).error == "UNKNOWN_MEMBER_ID"


def test_a_changed_subscription_that_changes_no_vote_is_kept_and_starts_nothing() -> None:
    then = when(STATIC, join(instance_id="ib", protocols=offer("range", topic="payments")))
    assert (then.errors, then.state) == ({9: "NONE"}, "Stable")
    assert then.group.members["n"].metadata("range").topics == ("payments",)


def _voted_range() -> tuple[Event, ...]:
    a = added("a", 1, instance_id="ia", protocols=BOTH)
    b = added("b", 2, instance_id="ib", protocols=BOTH)
    return (*CREATED, a, started(initial=True), b, joined(1, "a", "b"), stored(1, a=tps(0), b=tps(1)))


def test_a_return_that_changes_the_vote_starts_a_rebalance() -> None:
    given = _voted_range()
    assert when(given, join(instance_id="ib", protocols=BOTH)).state == "Stable"
    then = when(given, join(instance_id="ib", protocols=offer("sticky")))
    assert (then.errors, then.state) == ({}, "PreparingRebalance")
    assert then.fact(facts.RebalanceStarted).cause == "static-replaced"


def test_a_return_while_the_group_completes_always_starts_all_over() -> None:
    given = (*STATIC, started(1), updated("a", 5), updated("b", 6), joined(2, "a", "b"))
    then = when((*given, facts.SyncParked(member="b", request=7)), join(instance_id="ia"))
    assert (then.errors, then.state) == ({7: "REBALANCE_IN_PROGRESS"}, "PreparingRebalance")
    assert then.group.leader == "n"


def test_what_the_former_id_had_parked_is_answered_as_fenced_with_its_own_id() -> None:
    given = (*STATIC, started(1), updated("b", 5))
    then = when(given, join(instance_id="ib"))
    assert then.errors == {5: "FENCED_INSTANCE_ID"}
    assert then.answers[5].member == "b"
    completing = (*given, updated("a", 6), joined(2, "a", "b"), facts.SyncParked(member="b", request=7))
    assert when(completing, join(instance_id="ib")).errors == {7: "FENCED_INSTANCE_ID"}


def test_a_return_can_be_the_last_one_awaited() -> None:
    then = when((*STATIC, started(1), updated("a", 5)), join(instance_id="ib"))
    assert (then.errors, then.state) == ({5: "NONE", 9: "NONE"}, "CompletingRebalance")


def test_in_the_initial_delay_a_return_ends_nothing() -> None:
    given = (*CREATED, added("a", 1, instance_id="ia"), started(initial=True))
    then = when(given, join(instance_id="ia"))
    assert (then.errors, then.state) == ({1: "FENCED_INSTANCE_ID"}, "PreparingRebalance")


def test_a_dynamic_member_never_stands_for_an_instance() -> None:
    assert dict(after(*PREPARING).statics) == {}
