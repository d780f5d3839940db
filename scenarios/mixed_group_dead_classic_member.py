"""A classic member of a consumer group dies: its own session timeout counts, not the group's."""

from __future__ import annotations

from groupsim.events import consumer as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def mixed_group_dead_classic_member(
    world: World, partitions: int = 6, session_ms: int = 10_000, group_session_ms: int = 45_000
) -> Script:
    """Two members were upgraded, a third was not, and is killed: its partitions wait for its own session timeout.

    Source: KIP-848; Kafka's GroupMetadataManager.scheduleConsumerGroupSessionTimeout.
    """
    probe = watch(world)
    world.configure_broker({"group.consumer.session.timeout.ms": group_session_ms})
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", protocol="consumer")
    group.join("alice", "bob", topics=[orders])
    timeouts = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 3_000}
    (old,) = group.join("old", topics=[orders], config={"group.protocol": "classic", **timeouts})
    yield group.stable(members=3, within=minutes(1))
    yield world.sleep(seconds(5))
    share = -(-partitions // 3)

    old.kill()
    killed = world.now
    yield group.stable(members=2, within=minutes(1))
    removed = probe.each(c.ConsumerMemberRemoved, since=killed)[0][0]
    world.check(
        session_ms - 3_100 <= removed - killed <= session_ms, f"removed {removed - killed:,} ms after its death"
    )
    dead = probe.label_ms("OWNER_DEAD", since=killed)
    world.check(dead == share * (removed - killed), "until then its partitions had a dead owner")
    most = probe.most_at_once(since=killed, group="billing")
    world.check(most == share, f"the others kept all they had: {most} partitions were unavailable")
