"""The coordinator moves between the join phase and the sync phase."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def failover_between_join_and_sync(
    world: World, members: int = 3, partitions: int = 9, assignor_ms: int = 3_000
) -> Script:
    """The generation was not written and is rolled back; requests that carry it are refused, everything is lost.

    Source: seen on a real broker. Cooperative or not: the leader syncs with a generation that the new coordinator
    does not know. Followers whose SyncGroup was waiting get NOT_COORDINATOR, keep what they own and rejoin.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="cooperative-sticky")
    joined = group.join(members, topics=[orders], application=Application(assignor_ms=assignor_ms))
    yield group.stable(members=members, within=minutes(1))
    yield world.sleep(seconds(5))

    next(m for m in joined if m.leads).enforce_rebalance()
    completed = probe.rebalances()
    while probe.rebalances() == completed:
        yield world.sleep(10)
    yield world.sleep(assignor_ms // 2)  # the followers have sent SyncGroup, the leader has not
    moved, rolled_back = world.now, group.generation
    world.broker.move(loading_ms=300)
    yield world.sleep(1_000)
    world.check(group.generation == rolled_back - 1, "the group is back at the generation before")
    yield world.sleep(seconds(5))
    refused = probe.each(p.RequestFailed, since=moved, api="SyncGroup", error="ILLEGAL_GENERATION")
    lost = {fact.process for _, fact in probe.each(p.CallbackStart, since=moved, kind="lost")}
    world.check(
        lost == {fact.process for _, fact in refused} and len(lost) > 0, "who synced with the lost generation lost all"
    )
    yield group.stable(members=members, within=minutes(1))
    world.check(probe.count(c.JoinPhaseCompleted, since=moved, generation=rolled_back) == 1, "its number is used again")
