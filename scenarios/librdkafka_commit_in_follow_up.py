"""librdkafka commits synchronously in the second rebalance of a cooperative pair."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def librdkafka_commit_in_follow_up(world: World, partitions: int = 12) -> Script:
    """The commit waits behind JoinGroup until the rebalance ends, and is refused with ILLEGAL_GENERATION.

    Source: librdkafka #4059, #3306; seen with 2.16. The Java client itself refuses such a commit at once.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    busy = Application(process_ms=100, commit_sync=True)
    groups = {}
    for client in ("java", "librdkafka"):
        groups[client] = world.group(client, assignor="cooperative-sticky", config={"enable.auto.commit": False})
        groups[client].join(2, topics=[orders], client=client, application=busy)
    for group in groups.values():
        yield group.stable(members=2, within=minutes(1))
    grew = world.now
    for client, group in groups.items():
        group.join(1, topics=[orders], client=client, application=busy)
    yield world.sleep(seconds(1))
    for group in groups.values():
        yield group.stable(members=3, within=minutes(1))
    sent = {
        name: probe.count(p.CommitFailed, since=grew, group=name, local=False, error="ILLEGAL_GENERATION")
        for name in groups
    }
    world.check(sent["librdkafka"] > 0, f"librdkafka: {sent['librdkafka']} commits came back with ILLEGAL_GENERATION")
    world.check(sent["java"] == 0, "java: none did")
    local = probe.count(p.CommitFailed, since=grew, group="java", local=True)
    world.check(local > 0, f"java: {local} were refused by the client, and the application went on")
