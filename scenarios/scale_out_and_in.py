"""More members, then fewer, under each assignor at the same instants."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import moves, watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(4))
def scale_out_and_in(
    world: World,
    members: int = 3,
    added: int = 2,
    partitions: int = 24,
    assignors: str = "range,roundrobin,sticky,cooperative-sticky",
) -> Script:
    """One group per assignor grows by some members and shrinks again; how much moves and is unavailable differs.

    Source: KIP-54, KIP-429, KIP-726 (its table of assignors). Sticky assignors move the minimum; under the
    cooperative one, a partition that keeps its owner stays available.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    groups = {name: world.group(name, assignor=name) for name in assignors.split(",")}
    for group in groups.values():
        group.join(members, topics=[orders])
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))

    before = {name: probe.plans(group=name)[-1] for name in groups}
    grew = world.now
    fleets = {name: group.join(added, topics=[orders]) for name, group in groups.items()}
    for group in groups.values():
        yield group.stable(members=members + added, within=minutes(1))
    larger = {name: probe.plans(group=name)[-1] for name in groups}
    least = sum(len(given) for given in larger[next(iter(groups))].values()) * added // (members + added)
    for name in groups:
        moved = moves(before[name], larger[name])
        sticky = "sticky" in name
        world.check(
            not sticky or moved <= least + members, f"{name}: {moved} partitions moved, hardly more than needed"
        )
        world.check(sticky or moved > least + members, f"{name}: {moved} partitions moved, many for nothing")
    if "cooperative-sticky" in groups and "range" in groups:
        stood = {name: {(i.partition) for i in probe.intervals(grew, name) if i.unavailable} for name in groups}
        world.check(len(stood["range"]) == partitions, "range: every partition stood still")
        kept = partitions - len(stood["cooperative-sticky"])
        world.check(kept > 0, f"cooperative-sticky: {kept} partitions never stood still")

    for fleet in fleets.values():
        for member in fleet:
            member.close()
    yield world.sleep(seconds(1))
    for name, group in groups.items():
        yield group.stable(members=members, within=minutes(1))
        world.check(len(group.owners(orders)) == members, f"{name}: those who are left own everything again")
