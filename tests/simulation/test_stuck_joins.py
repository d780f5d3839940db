"""Joins that used to come to nothing for good; each was found by `groupsim fuzz swarm` under the seed named."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.network import LinkCut
from groupsim.scenarios.dsl import Application, World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import play

SHORT = {"session.timeout.ms": 8_000, "heartbeat.interval.ms": 2_000, "max.poll.interval.ms": 8_000}


def test_a_leader_that_is_reset_while_its_assignor_runs_joins_anew() -> None:
    """Seed 44: it was no member any more, and waited forever for a SyncGroup it had never sent."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", assignor="range", config=SHORT)
        group.join(1, topics=[orders], application=Application(assignor_ms=20_000))
        group.join(1, topics=[orders])
        yield group.stable(members=2, within=seconds(60))

    finished = play(story, seconds(90))
    (late,) = [at for at, f in finished.each(p.AssignorRan, process="m1.0")]
    assert finished.at(c.SyncTimeout)[0] < late
    assert finished.at(p.JoinSent, process="m1.0")[-1] >= late
    assert finished.at(p.SyncSent, process="m1.0")[0] > late


def test_a_listener_that_raises_is_called_again_at_once_even_if_nothing_else_happens() -> None:
    """Seed 118: without auto-commit an idle application had no reason to poll again."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2)
        group = world.group("billing", config={**SHORT, "enable.auto.commit": False})
        members = group.join(2, topics=[orders])
        yield group.stable(members=2, within=seconds(20))
        members[1].raise_in("assigned")
        members[0].enforce_rebalance()
        yield group.stable(members=2, within=seconds(10))

    finished = play(story, seconds(60))
    (raised,) = [at for at, f in finished.each(p.CallbackEnd) if f.error]
    assert raised in finished.at(p.CallbackStart, process="m2.0", kind="assigned", partitions=())
    assert finished.at(c.AssignmentStored)[-1] <= raised


def test_librdkafka_cut_from_its_coordinator_gives_everything_up_after_a_session_not_when_it_is_found_again() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2)
        group = world.group("billing", assignor="range", config=SHORT)
        members = group.join(2, topics=[orders], client="librdkafka")
        yield group.stable(members=2, within=seconds(20))
        with world.network.cut(members[0], world.broker):
            yield world.sleep(seconds(30))
        yield group.stable(members=2, within=seconds(60))

    finished = play(story, seconds(120))
    (cut,) = finished.at(LinkCut)
    (lost,) = finished.at(p.CallbackStart, process="m1.0", kind="lost")
    assert cut + 6_000 <= lost <= cut + 8_000
    assert finished.at(p.CoordinatorFound, process="m1.0")[-1] > cut + 30_000
