"""Reference timelines: whole runs with a latency of 1 ms."""

from __future__ import annotations

from itertools import pairwise

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.network import LinkCut, LinkHealed
from groupsim.events.types import moved
from groupsim.scenarios.dsl import Application, World, minutes, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import LATENCY, FinishedRun, play

LINGER = 10
"""How long an answer that wrote a record is held back."""


def test_two_founders_a_second_apart_rebalance_once_and_are_done_six_seconds_after_the_first() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing")
        group.join(2, topics=[orders], spread=seconds(1))
        yield group.stable(members=2, within=seconds(10))

    finished = play(story, minutes(2))
    first, _ = finished.each(c.MemberAdded)[0]
    assert finished.at(c.JoinPhaseCompleted) == [first + 6_000]
    assert finished.at(c.RebalanceStarted) == [first]
    assert finished.generations == [1]
    assert finished.at(c.AssignmentStored) == [first + 6_000 + 2 * LATENCY]


@pytest.mark.parametrize("phase_ms", [0, 700, 1_500, 2_300, 2_999])
def test_a_killed_dynamic_member_is_removed_one_session_after_its_last_heartbeat(phase_ms: int) -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", assignor="cooperative-sticky")
        members = group.join(2, topics=[orders])
        yield group.stable(members=2, within=seconds(20))
        yield world.sleep(seconds(20) + phase_ms)
        members[1].kill()
        yield group.stable(members=1, within=seconds(60))

    finished = play(story, minutes(3))
    killed = finished.at(p.Crashed)[0]
    removed, fact = finished.one(c.MemberRemoved)
    assert fact.cause == "session-expired"
    assert 42_000 < removed - killed <= 45_000 + LATENCY
    owner = [m for m, given in finished.each(c.AssignmentStored)[0][1].assignment.items() if m.startswith("m2")]  # type: ignore[union-attr]
    mine = finished.each(c.AssignmentStored)[0][1].assignment[owner[0]]  # type: ignore[index]
    assert len(mine) == 2
    for partition in (tp.partition for tp in mine):
        dead = [i for i in finished.intervals(partition, killed) if i.label == "OWNER_DEAD"]
        assert (dead[0].from_ms, dead[0].member) == (killed, "m2.0")
        assert dead[-1].to_ms == removed
        assert finished.labels(partition, removed + 1)[-1] == "OK"


def _scale_out(assignor: str) -> FinishedRun:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", assignor=assignor)
        group.join(1, topics=[orders])
        yield group.stable(members=1, within=seconds(20))
        yield world.sleep(seconds(20))
        group.join(1, topics=[orders])
        yield group.stable(members=2, within=seconds(20))
        yield world.sleep(seconds(20))

    return play(story, minutes(2))


def test_a_cooperative_scale_out_takes_two_generations_and_never_stops_what_stays() -> None:
    finished = _scale_out("cooperative-sticky")
    assert finished.generations == [1, 2, 3]
    since = finished.at(p.ProcessStarted)[1]
    first, last = finished.each(c.AssignmentStored)[0][1], finished.each(c.AssignmentStored)[-1][1]
    assert first.assignment is not None
    assert last.assignment is not None
    changed = moved(first.assignment, last.assignment)
    assert len(changed) == 2
    for partition in range(4):
        stays = all(tp.partition != partition for tp in changed)
        assert (finished.unavailable_ms(partition, since) == 0) is stays
        if stays:
            assert finished.labels(partition, since) == ["OK"]


def test_an_eager_scale_out_stops_everything_from_revocation_until_the_answer_to_the_sync() -> None:
    finished = _scale_out("range")
    assert finished.generations == [1, 2]
    since = finished.at(p.ProcessStarted)[1]
    revoked = finished.at(p.RevocationPending)[0]
    for partition in range(4):
        stops = [i for i in finished.intervals(partition, since) if i.unavailable]
        assert stops[0].from_ms == revoked
        assert all(a.to_ms == b.from_ms for a, b in pairwise(stops)), "without a gap"
        owner = stops[-1].member
        ready = max(at for at, fact in finished.each(p.PositionReady) if fact.process == owner)
        synced = max(at for at, fact in finished.each(p.SyncOk) if fact.process == owner)
        assert stops[-1].to_ms == ready == synced + 2 * LATENCY


def test_an_application_that_does_not_poll_leaves_at_max_poll_interval_and_its_late_commit_is_refused() -> None:
    """The expiry counts from the last poll before the batch; nobody else is in the group."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2, rate=10)
        group = world.group("billing", config={"max.poll.interval.ms": 20_000, "enable.auto.commit": False})
        (member,) = group.join(1, topics=[orders], application=Application(process_ms=100, commit_sync=True))
        yield group.stable(members=1, within=seconds(20))
        yield world.sleep(seconds(5))
        member.slow_batch(seconds(30))
        yield world.sleep(seconds(60))

    finished = play(story, minutes(2))
    slow = next(at for at, fact in finished.each(p.PollEnd) if fact.process_ms > 30_000)
    assert finished.at(p.PollExpired) == finished.at(p.LeaveSent) == [slow + 20_000]
    removed, fact = finished.one(c.MemberRemoved)
    assert (removed, fact.cause, fact.reason) == (slow + 20_001, "left", "consumer poll timeout has expired.")
    refused = finished.each(p.CommitFailed)
    assert [(at, f.error, f.local) for at, f in refused] == [(slow + 30_100, "COMMIT_FAILED", True)]
    assert finished.each(CommitRefused) == []
    assert finished.labels(0, removed, slow + 30_000) == ["ZOMBIE_ONLY"]
    lost = finished.each(p.CallbackStart, kind="lost")
    assert [at for at, _ in lost] == [slow + 30_100]


def _zombie(assignor: str) -> FinishedRun:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", assignor=assignor)
        members = group.join(2, topics=[orders])
        yield group.stable(members=2, within=seconds(20))
        yield world.sleep(seconds(10))
        with world.network.cut(members[0], world.broker):
            yield world.sleep(seconds(70))
        yield group.stable(members=2, within=seconds(60))

    return play(story, minutes(4))


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
def test_a_member_cut_off_past_its_session_is_a_zombie_until_it_is_back(assignor: str) -> None:
    finished = _zombie(assignor)
    (cut, _), (healed, _) = finished.one(LinkCut), finished.one(LinkHealed)
    removed, gone = finished.one(c.MemberRemoved)
    assert gone.cause == "session-expired"
    assert cut + 42_000 < removed <= cut + 45_000 + LATENCY
    back = min(at for at in finished.at(p.CallbackStart, kind="lost") if at >= healed)
    plan = finished.each(c.AssignmentStored)[0][1].assignment
    assert plan is not None
    for tp in plan[gone.member]:
        assert finished.labels(tp.partition, cut, removed) == ["OK"]
        assert set(finished.labels(tp.partition, removed + 1, back)) <= {"DOUBLE", "ZOMBIE_ONLY"}
    refused = [f for at, f in finished.each(CommitRefused) if at >= removed]
    assert [(f.member, f.error) for f in refused] == [(gone.member, "UNKNOWN_MEMBER_ID")]
    assert [f for at, f in finished.each(CommitAccepted, member=gone.member) if at >= removed] == []
    assert back > finished.at(CommitRefused)[-1] - LATENCY


def test_a_static_member_that_restarts_within_its_session_disturbs_nobody() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing")
        members = group.join(3, topics=[orders], static=True)
        yield group.stable(members=3, within=seconds(20))
        yield world.sleep(seconds(10))
        generation = group.generation
        for member in members:
            yield member.restart(downtime=seconds(20))
            yield group.stable(members=3, within=seconds(5))
        world.check(group.generation == generation, "no rebalance")

    finished = play(story, minutes(3))
    assert finished.generations == [1]
    assert finished.at(c.RebalanceStarted) == finished.at(c.RebalanceStarted)[:1]
    assert len(finished.each(c.MemberReplaced)) == 3
    closed = finished.at(p.Closed)
    for partition in range(4):
        assert 20_000 <= finished.unavailable_ms(partition, closed[0] - 1_000) <= 20_000 + 12 * LATENCY + LINGER
