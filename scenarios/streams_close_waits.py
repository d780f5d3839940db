"""An instance of Kafka Streams is closed while a rebalance waits for another one: close() takes as long."""

from __future__ import annotations

from groupsim.scenarios.dsl import Part, World, minutes, scenario, seconds
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(8))
def streams_close_waits(world: World, partitions: int = 6, poll_ms: int = 300_000) -> Script:
    """A third instance is at work on one batch, so the rebalance and with it close() wait for max.poll.interval.ms.

    Source: littlehorse-enterprises/littlehorse #1151: where an instance joins and another one is closed before the
    rebalance is over, close() of that one blocks up to max.poll.interval.ms. A stream thread goes on polling until the
    rebalance it is in has ended (StreamThread.runLoop). What the rebalance waited for is not said there; here it is a
    long batch. `poll_ms` is max.poll.interval.ms.
    """
    orders = world.topic("orders", partitions=partitions)
    app = world.streams(
        "workflows", Part((orders,)), config={"group.protocol": "classic", "max.poll.interval.ms": poll_ms}
    )
    busy, closes, _ = app.join("busy", "closes", "other")
    yield app.stable(members=3)
    yield world.sleep(seconds(20))

    busy.slow_batch(2 * poll_ms)
    yield world.sleep(seconds(5))
    app.join("new")
    yield world.sleep(seconds(10))
    asked = world.now
    yield closes.close()
    took = world.now - asked
    world.check(near(took, poll_ms), f"close() took {took:,} ms; max.poll.interval.ms is {poll_ms:,}")
