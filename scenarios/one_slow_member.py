"""One member with a long batch delays everybody, or nobody: its client library decides."""

from __future__ import annotations

from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.config import AIOKAFKA, JAVA, KAFKA_PYTHON, KAFKAJS, LIBRDKAFKA
from groupsim.simulation.clients.process import Script
from groupsim.wording.numbers import partition_seconds

WAITED_FOR_AT_MOST_MS: dict[str, int] = {KAFKAJS: 30_000, AIOKAFKA: 0}
"""By the busy member's library, where the others do not wait for the whole batch: for its session, or not at all."""
COOPERATIVE = (JAVA, LIBRDKAFKA, KAFKA_PYTHON)


@scenario(seed=1, lasts=minutes(5))
def one_slow_member(
    world: World, members: int = 3, partitions: int = 12, batch_ms: int = 60_000, client: str = JAVA
) -> Script:
    """A member joins while another processes a batch for a minute: an eager group is unavailable all that time.

    A cooperative group goes on with all it owns while it waits. `client` is the library of the busy member. The others
    have Java's, but for KafkaJS: no other library has its assignor.

    - `java`, `kafka-python`: it hears of the rebalance beside its batch, and joins at its next poll(). All wait for it.
    - `librdkafka`: in the eager group the same, as it gives up its partitions inside a poll(). In the cooperative one
      its own thread joins at once: the others give up what the new member is to have, and for that all wait until the
      busy one has given up its part, too, at its next poll().
    - `sarama`: it ends its session after the batch. All wait for it.
    - `kafkajs`: it sends no heartbeat while it works, and is removed when its session of 30 s ends. All wait for that.
      What it works on goes to others, and it joins once more after its batch.
    - `aiokafka`: it gives up its partitions beside the batch. Nobody waits; what it works on goes to others.

    Source: Kafka Connect, ETL jobs; ConsumerCoordinator.onJoinPrepare, rd_kafka_cgrp_group_is_rebalancing, Sarama's
    consumerGroupSession.release, KafkaJS's Runner.heartbeat, aiokafka's GroupCoordinator._on_join_prepare.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    alike = client == KAFKAJS
    groups = {"eager": world.group("eager", assignor="RoundRobinAssigner" if alike else "range")}
    if client in COOPERATIVE:
        groups["cooperative"] = world.group("cooperative", assignor="cooperative-sticky")
    busy, others = Application(process_ms=200), client if alike else JAVA
    for group in groups.values():
        group.join(1, topics=[orders], application=busy, client=client)
        group.join(members - 1, topics=[orders], application=busy, client=others)
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))
        group.members[0].slow_batch(batch_ms)
    yield world.sleep(seconds(1))
    began = world.now
    for group in groups.values():
        group.join(1, topics=[orders], application=busy, client=others)
    for group in groups.values():
        yield group.stable(members=members + 1, within=batch_ms + minutes(1))
    lost = {name: probe.label_ms(since=began, group=name) for name in groups}
    waited_ms = min(batch_ms, WAITED_FOR_AT_MOST_MS.get(client, batch_ms))
    least, most = partitions * (members - 1) // members * (waited_ms - 10_000), partitions * (waited_ms + 5_000)
    world.check(least <= lost["eager"] <= most, f"eager: {partition_seconds(lost['eager'], 0)}")
    if client in COOPERATIVE:
        said = f"cooperative: {partition_seconds(lost['cooperative'], 0)}"
        withheld = client == LIBRDKAFKA
        less = lost["cooperative"] * (2 if withheld else 5) < lost["eager"]
        world.check(less and (lost["cooperative"] > batch_ms - 10_000) is withheld, said)
