"""What a process did, from its facts: simulated, folded, compared with what was done to it."""

from __future__ import annotations

import pytest

from groupsim.replay.reconstruct.incarnation import StallKind
from groupsim.replay.reconstruct.member_history import MemberHistory
from groupsim.replay.reconstruct.old_imports import completed
from groupsim.simulation.clients.process import Script
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

GROUP, MAX_POLL_MS = "billing", 9_000
BEGINS_MS = 15_000


@pytest.mark.parametrize("joins_after_ms", [-4_000, 500, 4_000, 8_000, 11_000])
@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
def test_one_batch_that_is_too_long_is_one_however_often_a_rebalance_is_heard_meanwhile(
    assignor: str, joins_after_ms: int
) -> None:
    def story(world: World) -> Script:
        world.host("ideal")
        world.configure_broker({"group.initial.rebalance.delay.ms": 0})
        topic = world.topic("orders", 6, rate=10)
        own = world.group(GROUP, assignor=assignor, config={"max.poll.interval.ms": MAX_POLL_MS})
        (slow,) = own.join("m1", topics=[topic])
        (other,) = own.join("m2", topics=[topic], after=None)
        yield world.sleep(BEGINS_MS + min(0, joins_after_ms))
        if joins_after_ms < 0:
            yield other.start()
            yield world.sleep(-joins_after_ms)
        slow.slow_batch(14_000)
        if joins_after_ms >= 0:
            yield world.sleep(joins_after_ms)
            yield other.start()
        yield world.sleep(25_000)

    store = MemoryStore()
    result = run(Scenario(name="slow", story=story, seed=1, lasts_ms=60_000), store, record="facts")
    assert result.failure is None, result.failure
    history = MemberHistory(GROUP)
    history.apply(completed(list(store.read(result.info.id))))
    (stall,) = next(each for each in history.incarnations if each.name == "m1.0").stalls
    assert stall.kind is StallKind.BUSY
    assert stall.expired_ms == pytest.approx(BEGINS_MS + MAX_POLL_MS, abs=300)
    assert stall.to_ms == pytest.approx(BEGINS_MS + 14_000, abs=300)
