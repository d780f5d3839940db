"""Static members are replaced by pods that have other names."""

from __future__ import annotations

from groupsim.events import consumer as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def consumer_static_new_names(world: World, partitions: int = 4, replaced: int = 2) -> Script:
    """Each pod closes and one with another instance id starts: the partitions of the old name wait for its session.

    Source: KIP-345, KIP-848. Kubernetes gives the pods of a Deployment new names; only a StatefulSet keeps them. A
    static member that closes says that it will be back (epoch -2), so its partitions stay with it.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", protocol="consumer")
    old = group.join(replaced, topics=[orders], static=True)
    yield group.stable(members=replaced, within=minutes(1))
    yield world.sleep(seconds(5))

    closed = world.now
    for member in old:
        yield member.close()
    group.join(*(f"{member.label}-x7k2p" for member in old), topics=[orders], static=True)
    yield group.stable(members=replaced, within=minutes(2))
    removed = [at for at, _ in probe.each(c.ConsumerMemberRemoved, since=closed, cause=c.LossCause.SESSION_EXPIRED)]
    world.check(len(removed) == replaced, "every old name expired")
    lasted, configs = min(removed) - closed, world.configs.consumer
    # A session counts from the last heartbeat, which a member that closes may have sent an interval ago.
    shortest = configs.group_consumer_session_timeout_ms - configs.group_consumer_heartbeat_interval_ms
    world.check(lasted > shortest - seconds(1), f"after {lasted:,} ms, the session of the group")
    dead = probe.label_ms("OWNER_DEAD", since=closed)
    least = partitions * (lasted - seconds(1))
    world.check(dead >= least, f"meanwhile {dead:,} ms with a dead owner, beside members with nothing")
