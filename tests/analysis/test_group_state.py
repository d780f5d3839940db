"""The state of a classic group, and its replay."""

from __future__ import annotations

from typing import Any

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.events import classic as c
from groupsim.events.classic import StoredMember
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded
from groupsim.events.types import Subscription
from tests.analysis.log import GROUP, Log, replay, serving_pair, tps


def group_at(log: Log, until_ms: int | None = None) -> dict[str, Any]:
    group: dict[str, Any] = replay(log.facts, until_ms)["groups"][GROUP]
    return group


def test_replay_gives_the_contracts_shape() -> None:
    assert group_at(serving_pair()) == {
        "state": "Stable",
        "generation": 1,
        "leader": "a-id",
        "members": {"a-id": {"assigned": [["orders", 0]]}, "b-id": {"assigned": [["orders", 1]]}},
    }


def test_replay_can_stop_at_an_instant_and_includes_its_facts() -> None:
    log = serving_pair()
    assert group_at(log, 5)["state"] == "Dead"
    assert [group_at(log, ms)["state"] for ms in (10, 20, 29, 30)] == [
        "PreparingRebalance",
        "CompletingRebalance",
        "CompletingRebalance",
        "Stable",
    ]


def test_a_failover_forgets_what_was_never_written() -> None:
    log = serving_pair().preparing(200, 1).added(200, "n").completing(210, 2, "a", "b", "n")
    before = group_at(log)
    assert (before["generation"], len(before["members"])) == (2, 3)
    log.group(220, CoordinatorUnloaded())
    assert group_at(log)["state"] == "Dead"
    assert group_at(log.group(230, CoordinatorLoaded())) == group_at(serving_pair())


def test_a_failover_keeps_a_static_swap_that_was_answered_at_once_and_no_other() -> None:
    now = c.MemberReplaced(instance_id="b", old="b-id", member="b2-id")
    log = serving_pair().group(200, now, CoordinatorLoaded())
    assert sorted(group_at(log)["members"]) == ["a-id", "b2-id"]
    parked = c.MemberReplaced(instance_id="b", old="b-id", member="b2-id", request=9)
    for log in (
        serving_pair().group(200, parked, CoordinatorLoaded()),
        serving_pair().preparing(190, 1).group(200, parked, CoordinatorLoaded()),
        serving_pair().preparing(190, 1).group(200, now, CoordinatorLoaded()),
    ):
        assert (group_at(log)["state"], sorted(group_at(log)["members"])) == ("Stable", ["a-id", "b-id"])


def test_members_come_back_from_the_record_with_their_topics() -> None:
    stored = StoredMember(
        member="a-id",
        client_id="a",
        client_host="a",
        session_timeout_ms=1,
        rebalance_timeout_ms=1,
        subscription=Subscription(topics=("orders",)),
    )
    state = ClassicGroupState()
    state.apply(c.AssignmentStored(generation=4, assignment={"a-id": tps(0)}, members=(stored,)))
    state.apply(CoordinatorLoaded())
    assert state.subscribed("orders")
    assert not state.subscribed("payments")
    assert state.entitled("a-id", tps(0)[0])


def test_recorded_facts_with_gaps_are_accepted() -> None:
    state = ClassicGroupState()
    for event in (
        c.RebalanceStarted(generation=12, cause="unknown", reason="?"),
        c.JoinPhaseCompleted(generation=13, size=3),
        c.AssignmentStored(generation=13),
        c.MemberReplaced(instance_id="i", old="never-seen"),
        c.MemberRemoved(member="never-seen-either", cause="left"),
    ):
        assert state.apply(event)
    assert (state.state, state.generation, state.assignment_known) == ("Stable", 13, False)
    assert not state.apply(c.HeartbeatReceived(member="x", generation=13, error="NONE"))
