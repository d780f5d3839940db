"""Records, commits, local state, and leaders that do their job badly."""

from __future__ import annotations

import pytest

from groupsim import analysis
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.rng import Rng
from groupsim.simulation.topics import Constant, Poisson, Recorded
from tests.simulation.finished_run import play

SHORT = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000, "max.poll.interval.ms": 20_000}


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0, 7.0, 1_000.0])
def test_arrival_and_end_offset_say_the_same(rate: float) -> None:
    for arrivals in (Constant(rate), Poisson(rate, Rng(1), "t"), Recorded({0: [5, 5, 9]})):
        for offset in range(5):
            at = arrivals.arrival_ms(0, offset)
            if at is not None:
                assert arrivals.end_offset(0, at) > offset
                assert arrivals.end_offset(0, at - 1) <= offset


def test_poisson_arrivals_keep_their_rate_and_their_order_of_asking_does_not_matter() -> None:
    forward, backward = Poisson(50.0, Rng(3), "t"), Poisson(50.0, Rng(3), "t")
    times = [1_000, 60_000, 600_000]
    assert [forward.end_offset(0, t) for t in times] == [backward.end_offset(0, t) for t in reversed(times)][::-1]
    assert 29_000 < forward.end_offset(0, 600_000) < 31_000
    assert forward.end_offset(0, 600_000) != forward.end_offset(1, 600_000)


@pytest.mark.parametrize(("keep", "rebuilt"), [(False, 4), (True, 0)])
def test_state_that_is_kept_need_not_be_restored_when_a_partition_comes_back(keep: bool, rebuilt: int) -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", config=SHORT, assignor="range")
        streams = Application(restore_ms=500, keep_state=keep)
        (alice,) = group.join("alice", topics=[orders], application=streams)
        yield group.stable(members=1, within=seconds(20))
        yield world.sleep(seconds(10))
        alice.enforce_rebalance()
        yield world.sleep(seconds(10))

    finished = play(story, 40_000)
    starts = finished.each(p.RestoreStart)
    assert len(starts[0][1].partitions) == 4
    assert [len(e.partitions) for _, e in starts[1:]] == ([rebuilt] if rebuilt else [])
    (began, _) = starts[0]
    ends = finished.at(p.RestoreEnd)[:4]
    assert ends == [began + 500 * (i + 1) for i in range(4)], "one after the other"
    assert finished.intervals(3, began, began + 2_000)[0].label == "RESTORING"


def test_a_commit_after_each_batch_loses_nothing_to_the_next_owner() -> None:
    def reprocessed(working: Application) -> int:
        def story(world: World) -> Script:
            orders = world.topic("orders", partitions=2, rate=5.0)
            group = world.group("billing", config={**SHORT, "enable.auto.commit": False}, assignor="range")
            alice, _ = group.join("alice", "bob", topics=[orders], application=working)
            yield group.stable(members=2, within=seconds(20))
            yield world.sleep(seconds(10))
            alice.kill()
            yield group.stable(members=1, within=seconds(30))

        finished = play(story, minutes(1))
        return int(analysis.load(finished.store, finished.info.id).summary()["reprocessed_records"])

    assert reprocessed(Application(process_ms=100, commit_sync=True)) <= 1
    assert reprocessed(Application(process_ms=100, commit_async=True)) <= 1
    assert reprocessed(Application(process_ms=100)) == 0, "without a commit the next owner starts at the end"


def test_a_leader_whose_assignor_throws_keeps_the_group_rebalancing() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        broken = Application(assignor_fails=True)
        group.join("alice", topics=[world.topic("orders", partitions=2)], application=broken)
        yield world.sleep(seconds(20))

    finished = play(story, minutes(1), green=False)
    assert finished.each(c.AssignmentStored) == []
    assert len(finished.generations) > 10, "each rejoin carries another generation, so each starts a rebalance"


def test_a_leader_that_never_syncs_is_removed_by_the_sync_timer() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2)
        group = world.group("billing", config={**SHORT, "session.timeout.ms": 30_000})
        group.join("alice", topics=[orders], application=Application(never_syncs=True))
        yield world.sleep(seconds(1))
        group.join("bob", topics=[orders])
        yield world.sleep(seconds(40))

    finished = play(story, minutes(1), green=False)
    (completed, first) = finished.each(c.JoinPhaseCompleted)[0]
    (timeout, late) = finished.each(c.SyncTimeout)[0]
    assert timeout == completed + 20_000
    assert late.members == (first.leader,)
    assert finished.each(c.MemberRemoved)[0][1].cause == "sync-timeout"


def test_heartbeats_behind_a_parked_sync_are_not_answered_and_the_follower_gives_its_coordinator_up() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        orders = world.topic("orders", partitions=2)
        group.join("alice", topics=[orders], application=Application(never_syncs=True))
        yield world.sleep(seconds(1))
        group.join("bob", topics=[orders])
        yield world.sleep(seconds(30))

    finished = play(story, minutes(1), green=False)
    (completed, _) = finished.each(c.JoinPhaseCompleted)[0]
    lost = [at for at, e in finished.each(p.CoordinatorLost) if e.process == "bob.0"]
    assert lost[0] == completed + 1 + 10_000, "the session timeout, counted from the join's answer"


def test_a_slow_assignor_holds_everybody_up() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        slow = Application(assignor_ms=3_000)
        group.join(2, topics=[world.topic("orders", partitions=2)], application=slow)
        yield group.stable(members=2, within=seconds(20))

    finished = play(story, minutes(1))
    (completed, _) = finished.one(c.JoinPhaseCompleted)
    (stored, _) = finished.one(c.AssignmentStored)
    assert 3_000 <= stored - completed <= 3_005


def test_a_process_cut_from_the_data_reads_nothing_and_is_said_to_stall() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=1, rate=10.0)
        group = world.group("billing", config={**SHORT, "auto.commit.interval.ms": 1_000})
        (alice,) = group.join("alice", topics=[orders])
        yield group.stable(members=1, within=seconds(20))
        yield world.sleep(seconds(5))
        with world.network.cut(alice, world.data):
            yield world.sleep(seconds(5))
        yield world.sleep(seconds(5))

    finished = play(story, 30_000)
    assert "OWNER_STALLED" in finished.labels(0)
    stalled = next(i for i in finished.intervals(0) if i.label == "OWNER_STALLED")
    offsets = [e.offsets[0][2] for at, e in finished.each(p.CommitSent) if stalled.from_ms < at < stalled.to_ms]
    assert len(set(offsets)) == 1
