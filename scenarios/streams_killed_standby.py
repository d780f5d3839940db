"""An instance with state is killed: its tasks are away for the session, and without a standby for the restore, too."""

from __future__ import annotations

from groupsim.scenarios.dsl import Part, Store, World, minutes, scenario
from groupsim.scenarios.probe import watch
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(14))
def streams_killed_standby(
    world: World,
    instances: int = 3,
    partitions: int = 12,
    changelog: int = 1_500_000,
    restore_rate: int = 50_000,
    session_ms: int = 10_000,
    standbys: int = 0,
) -> Script:
    """Without a standby its tasks run again minutes later; with `standbys` 1 when the session is over.

    Source: KLIP-12 (confluentinc/ksql #4022): when an active server fails, what it served is unavailable for ten
    seconds and more, up to a few minutes, because of the rebalance of Kafka Streams. session.timeout.ms was 10 s by
    default then. The classic protocol; `standbys` is num.standby.replicas. `changelog`: records of one task;
    `restore_rate`: records per second.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config: dict[str, int | str | bool] = {
        "group.protocol": "classic",
        "session.timeout.ms": session_ms,
        "num.standby.replicas": standbys,
    }
    part = Part((orders,), Store(changelog=changelog, restore=restore_rate))
    app = world.streams("queries", part, config=config)
    app.join(instances)
    yield app.stable(members=instances)
    yield world.sleep(minutes(5))  # until standbys have caught up

    killed = world.now
    app.members[-1].kill()
    yield world.sleep(session_ms)
    yield app.stable(members=instances - 1)
    away = (probe.all_served_ms(killed, app.name) or world.now) - killed
    if standbys:
        world.check(session_ms / 2 < away < 2 * session_ms, f"its tasks were away for {away:,} ms")
        return
    each_gets = -(-(partitions // instances) // (instances - 1))
    restored = session_ms + 1_000 * changelog / restore_rate * each_gets
    world.check(near(away, restored), f"its tasks were away for {away:,} ms")
