"""Two clients cannot reach the coordinator, but can reach their data: one goes on, one stops."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import World, minutes, scenario
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def cut_from_coordinator(world: World, partitions: int = 4, session_ms: int = 10_000, cut_ms: int = 40_000) -> Script:
    """Java works on as a zombie until it reaches a coordinator again; librdkafka revokes when its session times out.

    Source: Kafka's AbstractCoordinator.HeartbeatThread only marks the coordinator unknown; librdkafka's
    rd_kafka_cgrp_session_timeout_check revokes.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    groups = {client: world.group(client, assignor="range", config=config) for client in ("java", "librdkafka")}
    for client, group in groups.items():
        group.join(f"{client}-cut", f"{client}-other", topics=[orders], client=client)
    for group in groups.values():
        yield group.stable(members=2, within=minutes(1))

    cut = world.now
    heals = [world.network.cut_link(group.members[0], world.broker) for group in groups.values()]
    yield world.sleep(cut_ms)
    java, other = groups["java"].members[0], groups["librdkafka"].members[0]
    world.check(java.believes_it_owns(orders), "java: it still works on what the coordinator has given away")
    world.check(not other.believes_it_owns(orders), "librdkafka: it has given everything up by itself")
    gave_up = probe.each(p.CallbackStart, since=cut, process=other.address, kind="lost")[0][0]
    world.check(session_ms - 1_000 <= gave_up - cut <= session_ms + 1_000, "a session after the last word it heard")
    for heal in heals:
        heal()
    for group in groups.values():
        yield group.stable(members=2, within=minutes(1))
    double = {name: probe.label_ms("DOUBLE", since=cut, group=name) for name in groups}
    world.check(double["java"] > (cut_ms - 2 * session_ms) * partitions // 2, f"java: {double['java']:,} ms of DOUBLE")
    world.check(double["librdkafka"] < double["java"] / 5, f"librdkafka: {double['librdkafka']:,} ms")
    world.check(probe.reprocessed(group="java") > 0, "java: records were worked on twice")
