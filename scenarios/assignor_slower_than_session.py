"""A leader whose assignor takes longer than the session timeout: no generation is ever finished."""

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
    """While SyncGroup is parked its connection is muted: heartbeats wait behind it, and followers give up and rejoin.

    Source: rows C2 and L5 (KAFKA-10134, librdkafka 4629). The broker expires nobody (parked members cannot expire), but
    each follower's own session timer runs out; the group goes from join to join until the session is made longer.
    """
    seen = watch(world)
    orders = world.topic("orders", partitions=partitions)
    settings = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    group = world.group("billing", assignor="range", config=settings)
    slow = Application(assignor_ms=assignor_ms)
    joined = group.join(members, topics=[orders], application=slow)
    yield world.sleep(8 * assignor_ms)
    rounds = seen.rebalances()
    world.check(rounds >= 3, f"{rounds} join phases were completed")
    world.check(seen.count(c.AssignmentStored) == 0, "and not one assignment came into force")
    gave_up = [fact for _, fact in seen.each(p.CoordinatorLost) if fact.cause.startswith("session timed out")]
    world.check(len(gave_up) >= rounds - 1, "every time because a follower had heard nothing for a session")
    world.check(seen.count(c.MemberRemoved, cause="session-expired") == 0, "the broker itself expired nobody")

    for member in joined:
        member.configure({"session.timeout.ms": 3 * assignor_ms})
        yield member.restart()
    yield group.stable(members=members, within=minutes(2))
    world.check(seen.count(c.AssignmentStored) > 0, "with a longer session the group is formed")
