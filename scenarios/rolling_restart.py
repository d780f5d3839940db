"""A deploy: every member is restarted, one after the other."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=7, lasts=minutes(10))
def rolling_restart(
    world: World,
    members: int = 12,
    partitions: int = 48,
    assignor: str = "cooperative-sticky",
    downtime_ms: int = 8_000,
    static: bool = False,
    downtime_spread_ms: int = 0,
) -> Script:
    """Restart twelve members one after another; the group becomes stable between restarts."""
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor=assignor)
    joined = group.join(members, topics=[orders], spread=seconds(5), static=static)
    yield group.stable(members=members, within=minutes(1))

    slower = world.rng.stream("downtime")
    for member in joined:
        yield member.restart(downtime=downtime_ms + slower.randint(0, downtime_spread_ms))
        yield group.stable(members=members, within=minutes(1))
