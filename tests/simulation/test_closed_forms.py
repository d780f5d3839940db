"""Outages that can be calculated by hand, to the millisecond."""

from __future__ import annotations

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import LATENCY, FinishedRun, play

LINGER = 10
PHASE = 700


def _grow(assignor: str, application: Application, *, members: int = 2, heartbeat_ms: int = 3_000) -> FinishedRun:
    """A settled group gets one more member."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=6)
        group = world.group("billing", assignor=assignor, config={"heartbeat.interval.ms": heartbeat_ms})
        group.join(members, topics=[orders], application=application)
        yield group.stable(members=members, within=seconds(30))
        yield world.sleep(seconds(20) + PHASE)
        group.join(1, topics=[orders], application=application)
        yield group.stable(members=members + 1, within=seconds(60))

    return play(story, 120_000)


def _after_the_last_join(application: Application) -> int:
    """From the last JoinGroup until all serve: there and back, assignor, sync and its record, callback, offsets."""
    assigned = application.callback_ms.get("assigned", 0)
    return 2 * LATENCY + application.assignor_ms + 2 * LATENCY + LINGER + assigned + 2 * LATENCY


@pytest.mark.parametrize(
    "application",
    [
        Application(),
        Application(assignor_ms=400),
        Application(callback_ms={"assigned": 300}),
        Application(assignor_ms=250, callback_ms={"assigned": 120, "revoked": 330}),
    ],
)
def test_an_eager_member_stands_still_from_its_revocation_until_all_have_joined_and_synced(
    application: Application,
) -> None:
    finished = _grow("range", application)
    since = finished.at(p.ProcessStarted)[-1]
    revoked = {f.process: (at, f.partitions) for at, f in finished.each(p.RevocationPending) if at > since}
    assert sorted(revoked) == ["m1.0", "m2.0"]
    last_join = finished.at(p.JoinSent)[-1]
    for at, partitions in revoked.values():
        for tp in partitions:
            assert finished.unavailable_ms(tp.partition, since) == last_join - at + _after_the_last_join(application)


@pytest.mark.parametrize("heartbeat_ms", [500, 1_000, 3_000])
def test_the_second_cooperative_round_lasts_one_heartbeat_interval(heartbeat_ms: int) -> None:
    """Whoever lost nothing, the newcomer at least, hears of it only by its heartbeat, re-armed at the join's answer."""
    finished = _grow("cooperative-sticky", Application(), members=1, heartbeat_ms=heartbeat_ms)
    _, first, second = finished.at(c.JoinPhaseCompleted)
    assert second - first == heartbeat_ms + 4 * LATENCY


@pytest.mark.parametrize("application", [Application(), Application(callback_ms={"assigned": 200}, assignor_ms=150)])
def test_a_moved_cooperative_partition_is_unavailable_from_the_first_round_until_the_second_is_over(
    application: Application,
) -> None:
    """The coordinator takes it at once; its owner is answered when the record is written, and revokes."""
    finished = _grow("cooperative-sticky", application, members=1)
    since = finished.at(p.ProcessStarted)[-1]
    (revoked, fact), *rest = [(at, f) for at, f in finished.each(p.CallbackStart, kind="revoked")]
    assert rest == []
    taken = finished.at(c.AssignmentStored)[1]
    assert revoked == taken + LINGER + LATENCY
    last_join = finished.at(p.JoinSent)[-1]
    pauses = application.callback_ms.get("assigned", 0)
    for partition in range(6):
        moved = any(tp.partition == partition for tp in fact.partitions)
        expected = last_join - taken + _after_the_last_join(application) if moved else 2 * pauses
        assert finished.unavailable_ms(partition, since) == expected


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
@pytest.mark.parametrize("phase_ms", [0, 1_000, 2_000])
def test_a_crash_costs_the_rest_of_a_session_and_one_rebalance(assignor: str, phase_ms: int) -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", assignor=assignor)
        members = group.join(3, topics=[orders])
        yield group.stable(members=3, within=seconds(30))
        yield world.sleep(seconds(20) + phase_ms)
        members[2].kill()
        yield group.stable(members=2, within=seconds(90))

    finished = play(story, 150_000)
    (killed,), (removed,) = finished.at(p.Crashed), finished.at(c.MemberRemoved)
    first = finished.each(c.AssignmentStored)[0][1].assignment
    (dead, _) = finished.one(c.MemberRemoved)
    orphans = (first or {})[finished.one(c.MemberRemoved)[1].member]
    last_join = finished.at(p.JoinSent)[-1]
    assert 42_000 < removed - killed <= 45_000 + LATENCY
    assert dead == removed < last_join <= removed + 3_000 + 4 * LATENCY
    for tp in orphans:
        outage = last_join - killed + _after_the_last_join(Application())
        assert finished.unavailable_ms(tp.partition, killed) == outage
