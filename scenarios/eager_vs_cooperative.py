"""The same deploy twice at once: one group rebalances eagerly, the other cooperatively."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.rolling import roll
from groupsim.simulation.clients.process import Script


@scenario(seed=3, lasts=minutes(6))
def eager_vs_cooperative(
    world: World,
    members: int = 4,
    partitions: int = 24,
    downtime_ms: int = 8_000,
    eager: str = "range",
    cooperative: str = "cooperative-sticky",
) -> Script:
    """Restart every member of two equal groups, eager and cooperative, at the same instants."""
    orders = world.topic("orders", partitions=partitions)
    groups = [world.group("eager", assignor=eager), world.group("cooperative", assignor=cooperative)]
    for group in groups:
        group.join(members, topics=[orders], spread=seconds(2))
    for group in groups:
        yield group.stable(members=members, within=minutes(1))

    yield from roll(world, groups, downtime=downtime_ms, within=minutes(1))
