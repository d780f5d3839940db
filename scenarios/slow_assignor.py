"""2,100 consumers of 2,100 partitions, and a leader that takes minutes to assign them."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(6.5))
def slow_assignor(
    world: World, members: int = 2_100, partitions: int = 2_100, assignor_ms: int = 150_000, beat_ms: int = 15_000
) -> Script:
    """One of very many members leaves; its partition waits for an assignor that takes 150 s, or no time, to answer.

    Source: the rejected KIP for a constrained cooperative assignor, whose users saw 2.5 minutes for this size; ours
    (`groupsim assign`) takes a small part of a second. Set assignor_ms=0 to compare. Cooperative members go on with
    what they keep; only partitions without an owner wait. With a shorter session or request timeout the group would
    never become stable: see assignor_slower_than_session.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions, rate=0.1)
    settings = {
        "session.timeout.ms": assignor_ms + 60_000,
        "request.timeout.ms": assignor_ms + 60_000,
        "heartbeat.interval.ms": beat_ms,
        "auto.commit.interval.ms": 60_000,
    }
    group = world.group("billing", assignor="cooperative-sticky", config=settings)
    slow = Application(assignor_ms=assignor_ms)
    joined = group.join(members, topics=[orders], application=slow)
    yield group.stable(members=members, within=assignor_ms + minutes(1))
    yield world.sleep(beat_ms)

    left = world.now
    follower = next(m for m in joined if not m.leads)
    follower.close()
    yield world.sleep(seconds(1))
    yield group.stable(members=members - 1, within=assignor_ms + minutes(2))
    took = probe.each(p.AssignorRan, since=left)[0][1].duration_ms
    stood = [i for i in probe.intervals(left) if i.unavailable]
    longest = max(i.to_ms for i in stood) - left
    world.check(took == assignor_ms, f"the assignor took {took:,} ms")
    world.check(
        assignor_ms <= longest <= assignor_ms + 3 * beat_ms,
        f"what had lost its owner stood still for {longest:,} ms: the assignor, and heartbeats to hear of it",
    )
    world.check(len({i.partition for i in stood}) == 1, "all other partitions went on")
