"""One instance of Kafka Streams is closed and started again: it waits for its own old session, unless it left."""

from __future__ import annotations

from groupsim.scenarios.dsl import Part, Store, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script

SAVED_MS = 45_000


@scenario(seed=1, lasts=minutes(4))
def streams_restart_waits(world: World, partitions: int = 2, changelog: int = 1_000) -> Script:
    """The new process joins within a second, and gets its tasks when the session of the old one is over.

    Source: KAFKA-20786, apache/kafka #22824 and #23272: tests that close an application and start it again took 45 s
    less for each restart when close() left the group (50 s became 5 s), because by default a classic instance stays a
    member for session.timeout.ms. Two applications beside each other: `stays`, and `leaves`, which is closed with
    LEAVE_GROUP (CloseOptions; internal.leave.group.on.close).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    part = Part((orders,), Store(changelog=changelog))
    apps = {}
    for name, leaves in (("stays", False), ("leaves", True)):
        config: dict[str, int | str | bool] = {"group.protocol": "classic", "internal.leave.group.on.close": leaves}
        apps[name] = world.streams(name, part, config=config)
    for app in apps.values():
        app.join(1)
    for app in apps.values():
        yield app.stable(members=1)
    yield world.sleep(seconds(20))

    closed = world.now
    for app in apps.values():
        app.members[0].restart(downtime=0)
    yield world.sleep(seconds(1))
    for app in apps.values():
        yield app.stable(members=1)
    waited = {name: (probe.all_served_ms(closed, name) or world.now) - closed for name in apps}
    session_ms = apps["stays"].config.session_timeout_ms
    saved = waited["stays"] - waited["leaves"]
    world.check(near(saved, SAVED_MS * session_ms / 45_000), f"leaving saves {saved:,} ms of a restart: {waited}")
