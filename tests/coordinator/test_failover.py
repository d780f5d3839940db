"""A coordinator gives a group up, another takes it over : only durable facts survive."""

from __future__ import annotations

import pytest

from groupsim.coordinator.classic import Phase, resume
from groupsim.coordinator.classic.commands import InitialDelayElapsed
from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.config import ClassicGroupConfig, CoordinatorKind
from groupsim.events import classic as facts
from groupsim.events.base import Event
from groupsim.events.group import CommitAccepted, CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupEmptied
from tests.coordinator.given import (
    COMPLETING,
    CREATED,
    EMPTIED,
    FOLLOWER_WAITS,
    INITIAL,
    PREPARING,
    SESSION,
    STABLE,
    STATIC,
    added,
    beat,
    commit,
    issued,
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

MOVED = (CoordinatorUnloaded(), CoordinatorLoaded())
SECOND = (*PREPARING, updated("a", 5), updated("b", 6), joined(2, "a", "b"))
"""Generation 2 has completed its join phase, and nobody has written anything yet."""


@pytest.mark.parametrize(
    ("given", "waiting"),
    [((*PREPARING, updated("b", 5)), {5: "NOT_COORDINATOR"}), (FOLLOWER_WAITS, {3: "NOT_COORDINATOR"})],
)
def test_every_parked_request_is_answered_not_coordinator(given: tuple[Event, ...], waiting: dict[int, str]) -> None:
    then = when(given, Unload())
    assert (then.errors, then.state) == (waiting, "Dead")
    assert {then.timers[key] for key in ("join", "sync", "heartbeat/a", "heartbeat/b")} == {None}


def test_nobody_is_answered_twice() -> None:
    given = (*FOLLOWER_WAITS, *when(FOLLOWER_WAITS, Unload()).outcome.events)
    assert when(given, Unload()).outcome.replies == ()


def test_a_stable_group_comes_back_as_it_was_and_everybody_has_a_session_again() -> None:
    then = when((*STABLE, CoordinatorUnloaded()), Load())
    assert (then.state, then.group.generation, then.group.leader) == ("Stable", 1, "a")
    assert then.group.assignment == {"a": tps(0, 1), "b": tps(2)}
    assert then.timers == {"heartbeat/a": SESSION, "heartbeat/b": SESSION}
    assert [alarm.key for alarm in resume(then.group)] == ["heartbeat/a", "heartbeat/b"]


def test_a_rebalance_between_join_and_sync_is_rolled_back() -> None:
    then = when((*SECOND, CoordinatorUnloaded()), Load())
    assert (then.state, then.group.generation) == ("Stable", 1)
    loaded = (*SECOND, *MOVED)
    assert when(loaded, beat("a", 2)).error == "ILLEGAL_GENERATION"
    assert when(loaded, sync("b", 2)).error == "ILLEGAL_GENERATION"
    assert when(loaded, commit("b", 1)).error == "NONE"


def test_members_of_the_lost_rebalance_and_pending_ids_are_unknown() -> None:
    given = (*STABLE, issued("p"), started(1), facts.MemberAdded(member="n", protocols=offer("range"), request=5))
    loaded = (*given, *MOVED)
    assert when(loaded, join("p")).error == "UNKNOWN_MEMBER_ID"
    assert when(loaded, beat("n")).error == "UNKNOWN_MEMBER_ID"


def test_a_member_that_was_removed_only_in_memory_is_back() -> None:
    gone = (*STABLE, facts.MemberRemoved(member="b", cause="left"), started(1), *MOVED)
    assert when(gone, beat("b")).error == "NONE"


@pytest.mark.parametrize("given", [INITIAL, COMPLETING])
def test_a_group_that_never_had_an_assignment_comes_back_empty(given: tuple[Event, ...]) -> None:
    """Seen on Kafka 4.4: the Java coordinator writes a new group's record at once; the old one did not."""
    then = when(given, Load())
    assert (then.group.exists, then.group.generation, dict(then.group.members)) == (True, 0, {})
    old = when(given, Load(), ClassicGroupConfig(coordinator=CoordinatorKind.SCALA))
    assert (old.group.exists, old.group.generation, dict(old.group.members)) == (False, 0, {})


def test_an_emptied_group_comes_back_empty_at_its_generation() -> None:
    then = when((*EMPTIED, CoordinatorUnloaded()), Load())
    assert (then.state, then.group.generation, then.group.exists) == ("Empty", 2, True)


def test_after_loading_only_the_selected_protocol_is_known() -> None:
    both = offer("range", "sticky")
    first = (*CREATED, facts.MemberAdded(member="a", protocol_type="consumer", protocols=both), started(initial=True))
    again = (*first, joined(1, "a"), facts.AssignmentStored(generation=1, assignment={"a": ()}), *MOVED)
    assert when(again, join(protocols=offer("sticky"))).error == "INCONSISTENT_GROUP_PROTOCOL"
    assert when(again, join(protocols=both)).error == "MEMBER_ID_REQUIRED"


def test_after_loading_a_follower_with_two_protocols_counts_as_changed() -> None:
    loaded = (*STABLE, *MOVED)
    assert when(loaded, join("b", protocols=offer("range"))).state == "Stable"
    assert when(loaded, join("b", protocols=offer("range", "sticky"))).state == "PreparingRebalance"


def test_a_static_replacement_that_was_answered_at_once_survives() -> None:
    replaced = (*STATIC, *when(STATIC, join(instance_id="ib")).outcome.events)
    assert dict(when(replaced, Load()).group.statics) == {"ia": "a", "ib": "n"}


def test_a_static_replacement_in_a_running_rebalance_is_forgotten() -> None:
    given = (*STATIC, started(1))
    replaced = (*given, *when(given, join(instance_id="ib")).outcome.events)
    assert dict(when(replaced, Load()).group.statics) == {"ia": "a", "ib": "b"}


def test_a_group_over_its_size_limit_rebalances_as_soon_as_it_is_loaded() -> None:
    then = when(STABLE, Load(), ClassicGroupConfig(group_max_size=1))
    assert (then.facts, then.state) == (["CoordinatorLoaded", "RebalanceStarted"], "PreparingRebalance")
    assert then.fact(facts.RebalanceStarted).reason == "Freshly-loaded group is over capacity (1)"
    assert then.timers["join"] == 60_000


def test_a_group_exactly_at_its_size_limit_stays_as_it_is_when_it_is_loaded() -> None:
    then = when(STABLE, Load(), ClassicGroupConfig(group_max_size=2))
    assert (then.facts, then.state) == (["CoordinatorLoaded"], "Stable")


def test_ids_that_are_pending_when_an_assignment_is_written_are_unknown_after_a_failover() -> None:
    given = (*FOLLOWER_WAITS, issued("p"), stored(1, a=tps(0), b=tps(1)), *MOVED)
    assert when(given, join("p")).error == "UNKNOWN_MEMBER_ID"


def test_members_that_joined_before_a_failover_do_not_extend_the_next_initial_delay() -> None:
    """Without a failover the flag stays: Kafka clears it only when a delay has been extended."""
    left = [facts.MemberRemoved(member=m, cause="left") for m in ("a", "b")]
    again = (started(1), *left, GroupEmptied(generation=2), added("c", 9), started(2, initial=True))
    elapsed = InitialDelayElapsed(3_000, 57_000)
    assert when((*STABLE, *again), elapsed).state == "PreparingRebalance"
    assert when((*STABLE, *MOVED, *again), elapsed).state == "CompletingRebalance"


def test_loading_twice_changes_nothing_more() -> None:
    once = when(STABLE, Load()).group
    assert when((*STABLE, CoordinatorLoaded()), Load()).group == once
    assert once.phase is Phase.STABLE


def test_a_group_known_by_its_commits_alone_comes_back_empty() -> None:
    committed = (GroupCreated(), CommitAccepted(member="", generation=-1, offsets=(("t", 0, 7),)))
    then = when((*committed, CoordinatorUnloaded()), Load())
    assert (then.state, then.group.exists) == ("Empty", True)
