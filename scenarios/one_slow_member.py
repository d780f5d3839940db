"""One member with a long batch and a long max.poll.interval.ms delays everybody."""

from __future__ import annotations

from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script
from groupsim.wording.numbers import partition_seconds


@scenario(seed=1, lasts=minutes(5))
def one_slow_member(world: World, members: int = 3, partitions: int = 12, batch_ms: int = 60_000) -> Script:
    """A member joins while another processes a batch for a minute: an eager group is unavailable all that time.

    Source: Kafka Connect, ETL jobs. A cooperative group goes on with all it owns while it waits.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    groups = {"eager": world.group("eager", assignor="range")}
    groups["cooperative"] = world.group("cooperative", assignor="cooperative-sticky")
    busy = Application(process_ms=200)
    for group in groups.values():
        group.join(members, topics=[orders], application=busy)
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))
        group.members[0].slow_batch(batch_ms)
    yield world.sleep(seconds(1))
    began = world.now
    for group in groups.values():
        group.join(1, topics=[orders], application=busy)
    for group in groups.values():
        yield group.stable(members=members + 1, within=batch_ms + minutes(1))
    lost = {name: probe.label_ms(since=began, group=name) for name in groups}
    others = partitions * (members - 1) // members
    world.check(lost["eager"] >= others * (batch_ms - 10_000), f"eager: {partition_seconds(lost['eager'], 0)}")
    said = f"cooperative: {partition_seconds(lost['cooperative'], 0)}"
    world.check(lost["cooperative"] < lost["eager"] / 5, said)
