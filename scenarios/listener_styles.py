"""The two listeners of the StickyAssignor's documentation: clean up when revoked, or after the assignment."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script

STYLES = ("clean-on-revoke", "clean-what-is-lost")


@scenario(seed=1, lasts=minutes(5))
def listener_styles(
    world: World,
    members: int = 3,
    partitions: int = 12,
    restore_ms: int = 2_000,
    assignors: str = "range,sticky,cooperative-sticky",
) -> Script:
    """A member leaves: how much state is rebuilt, under each assignor, by each of the two styles of listener.

    Source: documentation of StickyAssignor, KIP-54. The second style cleans up only what has really moved, and only
    a sticky assignor moves little. Under cooperative-sticky both styles cost the same: what stays is never revoked.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    groups = {}
    for assignor in assignors.split(","):
        for style in STYLES:
            name = f"{assignor} {style}"
            listener = Application(restore_ms=restore_ms, keep_state=style == STYLES[1])
            groups[name] = world.group(name, assignor=assignor)
            groups[name].join(members, topics=[orders], application=listener)
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))
    yield world.sleep(restore_ms * partitions)

    left = world.now
    for group in groups.values():
        group.members[-1].close()
    yield world.sleep(seconds(1))
    for group in groups.values():
        yield group.stable(members=members - 1, within=minutes(1))
    yield world.sleep(restore_ms * partitions)

    rebuilt = {name: sum(len(f.partitions) for _, f in probe.each(p.RestoreEnd, left, name)) for name in groups}
    lost_ms = {name: probe.label_ms("RESTORING", since=left, group=name) for name in groups}
    moved = partitions // members
    for assignor in assignors.split(","):
        old, new = (f"{assignor} {style}" for style in STYLES)
        said = f"{assignor}: {rebuilt[old]} states rebuilt by the old listener, {rebuilt[new]} by the new one"
        if assignor == "cooperative-sticky":
            world.check(rebuilt[old] == rebuilt[new] == moved, said)
        else:
            world.check(rebuilt[old] == partitions and rebuilt[new] < partitions, said)
            world.check(lost_ms[new] < lost_ms[old], f"{assignor}: {lost_ms[old]:,} against {lost_ms[new]:,} ms lost")
        if assignor == "sticky":
            world.check(rebuilt[new] == moved, "sticky: the new listener pays only for what had no owner")
