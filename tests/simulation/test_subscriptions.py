"""What makes a consumer rejoin of its own accord: topics that grow or appear, other subscriptions, the application."""

from __future__ import annotations

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import FinishedRun, play

SHORT = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000, "metadata.max.age.ms": 5_000}


def causes(finished: FinishedRun) -> list[str]:
    """Why each rebalance after the first began."""
    return [e.cause for _, e in finished.each(c.RebalanceStarted)][1:]


def test_the_leader_sees_new_partitions_when_its_metadata_is_refreshed() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", config=SHORT, assignor="range")
        group.join(2, topics=[orders])
        yield group.stable(members=2, within=seconds(10))
        yield world.sleep(seconds(3))
        world.add_partitions(orders, 6)
        yield world.sleep(seconds(7))
        yield group.stable(members=2, within=seconds(10))
        owned = sum(len(world.broker.group("billing").assignment[m.member_id]) for m in group.members)
        world.check(owned == 6, "all six partitions are owned")

    finished = play(story, 40_000)
    assert causes(finished) == ["leader-rejoined"]
    reasons = {e.reason for _, e in finished.each(p.RejoinRequested)}
    assert "cached metadata has changed" in reasons


def test_nobody_but_the_leader_cares_for_partition_counts() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", config=SHORT)
        members = group.join(3, topics=[orders])
        yield group.stable(members=3, within=seconds(10))
        world.add_partitions(orders, 5)
        yield world.sleep(seconds(10))
        asked = [m for m in members if m.leads]
        world.check(len(asked) == 1, "one leads")

    finished = play(story, 30_000)
    assert len(finished.each(p.RejoinRequested, reason="cached metadata has changed")) == 1


def test_a_pattern_finds_topics_that_appear_later() -> None:
    def story(world: World) -> Script:
        world.topic("orders-eu", partitions=2)
        world.topic("payments", partitions=2)
        group = world.group("billing", config=SHORT)
        group.join(1, pattern="orders-.*")
        yield group.stable(members=1, within=seconds(10))
        world.topic("orders-us", partitions=3)
        yield world.sleep(seconds(8))
        yield group.stable(members=1, within=seconds(10))

    finished = play(story, 30_000)
    views = [{tp.topic for tp in e.partitions} for _, e in finished.each(p.ViewChanged)]
    assert views[0] == {"orders-eu"}
    assert views[-1] == {"orders-eu", "orders-us"}


def test_what_changes_while_a_join_is_on_its_way_is_joined_with_afterwards() -> None:
    def story(world: World) -> Script:
        orders, payments = world.topic("orders", partitions=2), world.topic("payments", partitions=2)
        group = world.group("billing", config={**SHORT, "heartbeat.interval.ms": 3_000}, assignor="range")
        group.join("first", topics=[orders])
        yield group.stable(members=1, within=seconds(10))
        late = group.join("late", topics=[orders])[0]
        yield world.sleep(500)  # its JoinGroup waits for the first member's heartbeat
        late.subscribe(orders, payments)
        yield world.sleep(seconds(10))
        world.check(len(group.owners(payments)) == 1, "who has subscribed to it has it")

    finished = play(story, 30_000)
    assert len(finished.each(p.RejoinRequested, reason="subscription has changed")) == 2


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
def test_a_changed_subscription_gives_up_what_is_no_longer_wanted(assignor: str) -> None:
    def story(world: World) -> Script:
        orders, payments = world.topic("orders", partitions=2), world.topic("payments", partitions=2)
        group = world.group("billing", config=SHORT, assignor=assignor)
        alice, bob = group.join("alice", "bob", topics=[orders, payments])
        yield group.stable(members=2, within=seconds(10))
        alice.subscribe(orders)
        yield world.sleep(seconds(5))
        yield group.stable(members=2, within=seconds(10))
        world.check(not alice.believes_it_owns(payments), "alice has no payments")
        world.check(group.owners(payments) == {bob}, "bob has them")

    finished = play(story, 30_000)
    assert any("subscription has changed" in e.reason for _, e in finished.each(p.RejoinRequested))


def test_unsubscribing_leaves_the_group_and_keeps_the_process() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2)
        group = world.group("billing", config=SHORT)
        alice, _ = group.join("alice", "bob", topics=[orders])
        yield group.stable(members=2, within=seconds(10))
        yield alice.unsubscribe()
        yield group.stable(members=1, within=seconds(10))
        world.check(alice.running, "alice runs")
        alice.subscribe(orders)
        yield group.stable(members=2, within=seconds(10))

    finished = play(story, 60_000)
    (_, left) = finished.one(p.LeaveSent)
    assert left.reason == "the consumer unsubscribed from all topics"
    assert causes(finished)[0] == "member-left"


def test_an_enforced_rebalance_is_one_rebalance_more() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        (alice, _) = group.join("alice", "bob", topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=2, within=seconds(10))
        alice.enforce_rebalance()
        yield world.sleep(seconds(3))
        yield group.stable(members=2, within=seconds(10))

    assert len(causes(play(story, 30_000))) == 1


def test_a_listener_that_raises_keeps_the_view_and_is_called_once_more_for_nothing() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        (alice,) = group.join("alice", topics=[world.topic("orders", partitions=2)])
        yield world.sleep(1)
        alice.raise_in("assigned")
        yield group.stable(members=1, within=seconds(20))

    finished = play(story, 30_000)
    assigned = [len(e.partitions) for _, e in finished.each(p.CallbackStart, kind="assigned")]
    assert assigned == [2, 0]
    assert [e.error is not None for _, e in finished.each(p.CallbackEnd, kind="assigned")] == [True, False]
    assert len(finished.each(p.ViewChanged)) == 1
