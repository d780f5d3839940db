"""A stream thread dies of an exception and is replaced at once: its tasks wait for the session of the dead one."""

from __future__ import annotations

from groupsim.scenarios.dsl import Part, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script

REPORTED_MS = 42_696
STARTS_MS = 1_000


@scenario(seed=1, lasts=minutes(4))
def streams_thread_replaced(world: World, partitions: int = 4) -> Script:
    """Kafka Streams 4.0 and later leave no group when a thread is replaced; 3.9 did, and went on at once.

    Source: users@kafka.apache.org (www.mail-archive.com, msg43935): with two threads, a session.timeout.ms of 45 s and
    a handler that answers REPLACE_THREAD, 4.1.2 recovered in 42.7 s and 3.9.0 in less than one. Each thread is an
    instance of its own here, as each is a member of its own in the group: a new one starts for about a second.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    apps = {}
    for name, leaves in (("4.1.2", False), ("3.9.0", True)):
        config: dict[str, int | str | bool] = {"group.protocol": "classic", "internal.leave.group.on.close": leaves}
        apps[name] = world.streams(name, Part((orders,)), config=config)
    for app in apps.values():
        app.join(2)
    for app in apps.values():
        yield app.stable(members=2)
    yield world.sleep(seconds(20))

    died = world.now
    apps["4.1.2"].members[0].kill()
    apps["3.9.0"].members[0].close()  # the thread that dies leaves the group
    for name, app in apps.items():
        app.join(f"{name}-thread-3")
    yield world.sleep(seconds(1))
    for app in apps.values():
        yield app.stable(members=2)
    took = {name: (probe.all_served_ms(died, name) or world.now) - died for name in apps}
    session_ms = apps["4.1.2"].config.session_timeout_ms
    world.check(near(took["4.1.2"], REPORTED_MS * session_ms / 45_000), f"4.1.2 recovers in {took['4.1.2']:,} ms")
    world.check(took["3.9.0"] < STARTS_MS + 1_000, f"3.9.0 recovers in {took['3.9.0']:,} ms")
