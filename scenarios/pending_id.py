"""A member id that was issued and never used delays a rebalance."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.join_request_client import JoinRequestClient
from groupsim.simulation.clients.process import Script

SENT_MS = 100
"""A request takes less than that to the coordinator."""


@scenario(seed=1, lasts=minutes(2))
def pending_id(world: World, members: int = 2, session_ms: int = 10_000) -> Script:
    """A client asks for a member id and disappears; the next rebalance waits for it until the id expires.

    Source: KAFKA-7909. All members have rejoined at once; the join phase ends with the pending id's session.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=4)
    group = world.group("billing", assignor="range")
    joined = group.join(members, topics=[orders])
    yield group.stable(members=members, within=minutes(1))

    asked = world.now
    stranger = JoinRequestClient(world.context, "billing", "stranger", "orders")
    stranger.join(version=9, session_ms=session_ms)
    yield world.sleep(SENT_MS)
    stranger.kill()
    joined[0].enforce_rebalance()
    yield world.sleep(seconds(1))
    yield group.stable(members=members, within=minutes(1))
    (expired, forgotten) = probe.each(c.PendingMemberRemoved)[0]
    rejoined = probe.each(c.MemberUpdated)[-1][0]
    completed = probe.each(c.JoinPhaseCompleted)[-1][0]
    world.check(forgotten.cause == "expired", "the pending id expired")
    world.check(session_ms <= expired - asked <= session_ms + SENT_MS, "a session after it was asked for")
    world.check(completed == expired, f"the rebalance waited {completed - rejoined:,} ms for it alone")
