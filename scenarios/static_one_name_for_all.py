"""Three pods have the same instance id, because it stands in a file that all of them read."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def static_one_name_for_all(world: World, members: int = 3, partitions: int = 6) -> Script:
    """Each pod that joins fences the one before it, which does not recover: one of them is left, with everything.

    Source: KIP-345, FENCED_INSTANCE_ID. `group.instance.id` must be another one in every process.
    """
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="range")
    joined = []
    for number in range(members):
        joined += group.join(f"pod-{number + 1}", topics=[orders], instance_id="billing")
        yield world.sleep(seconds(10))
    yield group.stable(members=1, within=minutes(1))
    fenced = [member.label for member in joined if member.failed == "FENCED_INSTANCE_ID"]
    world.check(len(fenced) == members - 1, f"{', '.join(fenced)} were fenced")
