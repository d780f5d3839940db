"""The brokers are restarted one after another while a group rebalances."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def coordinator_moves_again_and_again(
    world: World, members: int = 2, partitions: int = 12, times: int = 5, every_ms: int = 1_000
) -> Script:
    """Each move answers waiting requests with NOT_COORDINATOR and restarts the rebalance; nothing gets an owner.

    Source: librdkafka #2944. A member that joins meanwhile loses its id with every move. A SyncGroup that meets a
    coordinator that loads ends a Java consumer (poll() raises it): its process is started again.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="range")
    group.join(members, topics=[orders])
    yield group.stable(members=members, within=minutes(1))
    took = []
    for moves in (0, times):
        began = world.now
        group.join(1, topics=[orders])
        for _ in range(moves):
            yield world.sleep(every_ms)
            world.broker.move(loading_ms=200)
        yield world.sleep(10)
        for member in group.members:
            if member.failed:
                yield member.start()
        yield group.stable(members=len(group.members), within=minutes(1))
        took.append(world.now - began)
        yield world.sleep(seconds(3.2))  # the next heartbeats, for which a member that joins waits, are far
    codes = ("NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "UNKNOWN_MEMBER_ID")
    errors = sum(probe.count(p.RequestFailed, error=code) for code in codes)
    world.check(errors >= times, f"{errors} requests met a coordinator that was gone, loading, or did not know them")
    world.check(took[1] > took[0] + every_ms, f"a member was {took[1]:,} ms in joining instead of {took[0]:,} ms")
