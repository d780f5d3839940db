"""A stream-stream join with local state, under three assignors."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.events.types import Plan
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import moves, watch
from groupsim.simulation.clients.process import Script

JOINS = ("range", "sticky-stream-join")


@scenario(seed=1, lasts=minutes(5))
def stream_join(
    world: World, members: int = 4, partitions: int = 10, restore_ms: int = 2_000, scattered: str = "cooperative-sticky"
) -> Script:
    """Impressions and clicks are joined by key: equal partition numbers need one owner, and local state is rebuilt.

    Source: KIP-315. Range keeps equal numbers together and moves more than it has to; sticky-stream-join keeps them
    together and moves little; cooperative-sticky moves little and breaks the join.
    """
    probe = watch(world)
    topics = [world.topic(name, partitions=partitions) for name in ("clicks", "impressions")]
    keeps = Application(restore_ms=restore_ms, keep_state=True)
    groups = {name: world.group(name, assignor=name) for name in (*JOINS, scattered)}
    fleets = {name: group.join(members, topics=topics, application=keeps) for name, group in groups.items()}
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))
    yield world.sleep(restore_ms * partitions)

    left = world.now
    before = {name: probe.plans(group=name)[-1] for name in groups}
    for fleet in fleets.values():
        fleet[-1].close()
    yield world.sleep(seconds(1))
    for group in groups.values():
        yield group.stable(members=members - 1, within=minutes(1))
    yield world.sleep(restore_ms * partitions)

    broken = {name: _breaks(probe.plans(group=name)[-1], partitions) for name in groups}
    moved = {name: moves(before[name], probe.plans(group=name)[-1]) for name in groups}
    paid = {name: restore_ms * probe.count(p.RestoreEnd, since=left, group=name) for name in groups}
    for name in JOINS:
        world.check(broken[name] == 0, f"{name}: equal numbers are with one member")
    world.check(broken[scattered] > 0, f"{scattered}: {broken[scattered]} of {partitions} joins are broken")
    said = f"{paid['range']:,} ms against {paid['sticky-stream-join']:,} ms of rebuilding"
    world.check(moved["sticky-stream-join"] < moved["range"], "sticky-stream-join moves less than range")
    world.check(paid["sticky-stream-join"] < paid["range"], f"and pays less for it: {said}")


def _breaks(plan: Plan, partitions: int) -> int:
    """Partition numbers whose topics are not all with one member."""
    owners: dict[int, set[str]] = {}
    for member, given in plan.items():
        for tp in given:
            owners.setdefault(tp.partition, set()).add(member)
    return sum(len(owners.get(number, ())) != 1 for number in range(partitions))
