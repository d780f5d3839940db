"""An instance more for an application with large state: warm-ups every ten minutes, or unavailable tasks."""

from __future__ import annotations

from groupsim.analysis.availability.labels import Label
from groupsim.scenarios.dsl import Part, Store, World, minutes, scenario, seconds
from groupsim.scenarios.probe import moves, watch
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script

WARM_UPS, INTERVAL_MS = 2, 600_000


@scenario(seed=1, lasts=minutes(50))
def streams_scale_out(
    world: World,
    instances: int = 2,
    partitions: int = 12,
    changelog: int = 600_000,
    restore_rate: int = 20_000,
    protocol: str = "streams",
) -> Script:
    """The new instance gets its share at once and restores it, or with `protocol` classic two tasks in ten minutes.

    Source: KIP-441, apache/kafka #13082: with the classic protocol tasks move at max.warmup.replicas (2) per
    probing.rebalance.interval.ms (10 min) at most, and each goes on where it was until it is warm. To even out, others
    exchange tasks, too, and that takes its turn. Under the streams protocol (KIP-1071) a task moves at once and is
    unavailable while its state is restored, as before KIP-441, which names hours: the broker of 4.4 gives no warm-ups
    (KAFKA-20665). `changelog`: records of one task; `restore_rate`: records per second, one task after the other.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions, rate=1.0)
    part = Part((orders,), Store(changelog=changelog, restore=restore_rate))
    app = world.streams("billing", part, config={"group.protocol": protocol})
    app.join(instances)
    yield app.stable(members=instances)
    yield world.sleep(seconds(60))

    added = world.now
    owners = {member.member_id: app.granted(member.member_id) for member in app.members}
    (new,) = app.join(1)
    share = partitions // (instances + 1)
    if protocol == "classic":
        while len(app.granted(new.member_id)) < share:
            yield world.sleep(seconds(1))
        took = world.now - added
        moved = moves(owners, {member.member_id: app.granted(member.member_id) for member in app.members})
        expected = moved / WARM_UPS * INTERVAL_MS
        world.check(near(took, expected), f"{moved} tasks moved within {took:,} ms, {share} of them to the new one")
        restored = probe.label_ms(Label.RESTORING, since=added)
        world.check(restored < 1_000 * moved, f"they were unavailable for {restored:,} ms in all")
        return
    yield app.stable(members=instances + 1)
    restored = probe.label_ms(Label.RESTORING, since=added)
    each_ms = 1_000 * changelog / restore_rate
    expected = each_ms * share * (share + 1) / 2
    world.check(near(restored, expected), f"{share} tasks were unavailable: {restored:,} ms in all")
