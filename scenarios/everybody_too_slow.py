"""Every batch takes longer than max.poll.interval.ms."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def everybody_too_slow(
    world: World, members: int = 3, partitions: int = 6, poll_interval_ms: int = 10_000, batch_ms: int = 12_000
) -> Script:
    """Members leave and rejoin without end, all work is done again and again, and committed offsets never advance.

    Source: KIP-62.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config: dict[str, int | str | float | bool] = {
        "max.poll.interval.ms": poll_interval_ms,
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
    }
    group = world.group("billing", assignor="range", config=config)
    slow = Application(process_ms=batch_ms, commit_sync=True)
    group.join(members, topics=[orders], application=slow)
    yield world.sleep(minutes(2))
    expired = probe.count(p.PollExpired)
    world.check(expired >= 2 * members, f"{expired} times a member was thrown out for not polling")
    world.check(group.generation >= 4, f"the group is at generation {group.generation}")
    world.check(world.broker.committed("billing") == {}, "not one offset was committed")
    world.check(probe.reprocessed() > 0, "the same records were read again and again")
    for member in group.members:
        member.kill()
