"""Only static members are left in a group, and none of them is running."""

from __future__ import annotations

from groupsim.events.group import GroupEmptied
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def only_absent_statics(world: World, rebalance_ms: int = 10_000, session_ms: int = 45_000) -> Script:
    """The last dynamic member leaves a group whose static ones are dead: the join phase is repeated until they expire.

    Source: Kafka's GroupMetadataManager.completeClassicGroupJoin, which logs an error each time. Nothing is owned
    meanwhile.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=6)
    config = {"max.poll.interval.ms": rebalance_ms, "session.timeout.ms": session_ms}
    group = world.group("billing", assignor="range", config=config)
    statics = group.join(2, topics=[orders], static=True)
    (dynamic,) = group.join(1, topics=[orders])
    yield group.stable(members=3, within=minutes(1))
    for member in statics:
        member.kill()
    killed = world.now
    yield dynamic.close()

    yield world.sleep(3 * rebalance_ms)
    state = world.broker.group("billing")
    world.check(state.phase.value == "PreparingRebalance", "three rebalance timeouts later it is still preparing")
    world.check(len(state.members) == 2, "with nobody but the two absent members")
    yield world.sleep(session_ms - 3 * rebalance_ms + seconds(1))
    emptied = probe.each(GroupEmptied)[-1][0]
    world.check(emptied - killed <= session_ms + 10, "their sessions end it: the group is empty")
