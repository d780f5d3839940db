"""A leader whose assignor takes longer than the session timeout: no generation is ever completed."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(6))
def assignor_slower_than_session(
    world: World, members: int = 3, partitions: int = 6, assignor_ms: int = 20_000, session_ms: int = 10_000
) -> Script:
    """While SyncGroup waits, its connection is muted: heartbeats queue behind it, and followers time out and rejoin.

    Source: KAFKA-10134, librdkafka #4629. The broker expires nobody (members whose requests it holds cannot
    expire), but each follower's own session timer runs out. The group joins again and again until the session
    timeout is made longer.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    settings = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    group = world.group("billing", assignor="range", config=settings)
    slow = Application(assignor_ms=assignor_ms)
    joined = group.join(members, topics=[orders], application=slow)
    yield world.sleep(8 * assignor_ms)
    rounds = probe.rebalances()
    world.check(rounds >= 3, f"{rounds} join phases were completed")
    world.check(probe.count(c.AssignmentStored) == 0, "and not one assignment came into force")
    gave_up = [fact for _, fact in probe.each(p.CoordinatorLost) if fact.cause.startswith("session timed out")]
    world.check(len(gave_up) >= rounds - 1, "every time because a follower had heard nothing for a session")
    world.check(probe.count(c.MemberRemoved, cause="session-expired") == 0, "the broker itself expired nobody")

    for member in joined:
        member.configure({"session.timeout.ms": 3 * assignor_ms})
        yield member.restart()
    yield group.stable(members=members, within=minutes(2))
    world.check(probe.count(c.AssignmentStored) > 0, "with a longer session the group is formed")
