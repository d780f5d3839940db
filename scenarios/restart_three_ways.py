"""One rolling restart: eager, cooperative, and with static members."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.rolling import roll
from groupsim.simulation.clients.process import Script


@scenario(seed=7, lasts=minutes(5))
def restart_three_ways(world: World, members: int = 4, partitions: int = 24, downtime_ms: int = 8_000) -> Script:
    """Three equal groups are restarted member by member at the same instants; the static one never rebalances.

    Source: KIP-345, KIP-429. Here the cooperative group costs more partition time than the eager one: what moves waits
    a whole heartbeat interval for the second rebalance, and a restart moves all partitions of a member twice. In a
    larger group that is hours old, on a busy host, the eager one cost more (docs/how-to/simulate.md).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    eager = world.group("eager", assignor="range")
    cooperative = world.group("cooperative", assignor="cooperative-sticky")
    static = world.group("static", assignor="range")
    for group in (eager, cooperative, static):
        group.join(members, topics=[orders], spread=seconds(2), static=group is static)
    for group in (eager, cooperative, static):
        yield group.stable(members=members, within=minutes(1))
    yield world.sleep(seconds(4))
    began, generation = world.now, static.generation

    yield from roll(world, (eager, cooperative, static), downtime=downtime_ms, within=minutes(1), pause=seconds(5))
    lost = {group.name: probe.label_ms(since=began, group=group.name) for group in (eager, cooperative, static)}
    world.check(static.generation == generation, "static members come and go without a rebalance")
    dead = probe.label_ms("OWNER_DEAD", since=began, group="static")
    world.check(dead > 0.9 * lost["static"], "what stands still then is what the absent member owns")
    rounds = {name: probe.rebalances(began, name) for name in ("eager", "cooperative")}
    world.check(rounds["eager"] <= 2 * members, "eager: at most one rebalance to leave, one to return")
    world.check(rounds["cooperative"] > rounds["eager"], "cooperative: more, for what moves takes two")
    said = ", ".join(f"{name} {ms / 1_000:.1f} s" for name, ms in lost.items())
    world.check(lost["cooperative"] > lost["eager"], f"partition time lost: {said}")
