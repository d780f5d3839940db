"""A rebalance that begins before an assignment is durable is the answer to everybody who waits for it."""

from __future__ import annotations

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import play

APPEND_MS = 200


@pytest.mark.parametrize(("comes_after_ms", "refused"), [(APPEND_MS // 2, True), (APPEND_MS * 2, False)])
def test_a_member_that_comes_while_an_assignment_is_appended_sends_all_back_at_once(
    comes_after_ms: int, refused: bool
) -> None:
    """Else the others learn of the newcomer with their next heartbeats (S02: a third member 8 ms after a SyncGroup)."""

    def story(world: World) -> Script:
        world.configure_broker({"group.initial.rebalance.delay.ms": 0, "group.coordinator.append.linger.ms": APPEND_MS})
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", assignor="range")
        group.join(1, topics=[orders])
        yield world.sleep(comes_after_ms)
        group.join(1, topics=[orders])
        yield group.stable(members=2, within=seconds(30))

    finished = play(story, seconds(40))
    stored, began = finished.at(c.AssignmentStored)[0], finished.at(c.RebalanceStarted)[1]
    assert (began < stored + APPEND_MS) is refused
    failed = [at for at, f in finished.each(p.RequestFailed, process="m1.0", api="SyncGroup")]
    assert bool(failed) is refused
    again = finished.at(p.JoinSent, process="m1.0")[2]
    assert (again - began < 100) is refused
