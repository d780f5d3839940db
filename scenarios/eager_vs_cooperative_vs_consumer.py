"""The same deploy three times at once: the classic protocol, eager and cooperative, and the consumer protocol."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.rolling import roll
from groupsim.simulation.clients.process import Script


@scenario(seed=3, lasts=minutes(2))
def eager_vs_cooperative_vs_consumer(
    world: World, members: int = 3, partitions: int = 12, downtime_ms: int = 8_000, assignor: str = "uniform"
) -> Script:
    """Restart every member of three equal groups at the same instants: range, cooperative-sticky, consumer protocol.

    Source: KIP-848. The eager group stops as a whole, for a short time. In the consumer group only what moves is
    unavailable, and it waits for heartbeats: the next one of anybody, so that there is a new target, and the next one
    of its new owner. These are 5 s by default, 3 s in classic groups, so that the restart costs most partition time.
    With `--set group.consumer.min.heartbeat.interval.ms=1000 --set group.consumer.heartbeat.interval.ms=1000` it costs
    less than a quarter of that.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    groups = {
        "eager": world.group("eager", assignor="range"),
        "cooperative": world.group("cooperative", assignor="cooperative-sticky"),
        "consumer": world.group("consumer", protocol="consumer", assignor=assignor),
    }
    for group in groups.values():
        group.join(members, topics=[orders], spread=seconds(2))
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))

    deployed = world.now
    yield from roll(world, groups.values(), downtime=downtime_ms, within=minutes(1))
    most = {name: probe.most_at_once(since=deployed, group=name) for name in groups}
    world.check(most["eager"] == partitions, "eager: at some instant no partition was available")
    share = -(-partitions // members)
    world.check(most["consumer"] <= share, f"consumer: never more than {most['consumer']}, a member's share, at once")
    double = {name: probe.label_ms("DOUBLE", since=deployed, group=name) for name in groups}
    world.check(double["consumer"] == 0, "consumer: no partition had two readers")
