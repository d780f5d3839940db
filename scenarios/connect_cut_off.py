"""A Connect worker cannot reach its coordinator: it stops what it runs before others are given that."""

from __future__ import annotations

from groupsim.analysis.availability.labels import Label
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(6))
def connect_cut_off(
    world: World, workers: int = 3, tasks: int = 6, delay_ms: int = 60_000, away_ms: int = 150_000
) -> Script:
    """The worker is removed when its session is over, and what it had is assigned anew after the delay.

    Source: KAFKA-9184, apache/kafka #7771: a worker that lost its coordinator kept its tasks running, and when others
    had got them, too, they ran twice; since then it stops them itself once it has found no coordinator for as long
    as heartbeat.interval.ms. `away_ms`: how long the broker is out of its reach.
    """
    probe = watch(world)
    cluster = world.connect("sinks", {"orders": tasks}, delay=delay_ms)
    started = cluster.join(workers)
    yield cluster.stable(members=workers, within=minutes(1))
    yield world.sleep(seconds(30))

    worker = next(worker for worker in started if not worker.leads)
    cut = world.now
    with world.network.cut(worker, world.broker):
        yield world.sleep(away_ms)
    yield cluster.stable(members=workers, within=minutes(2))
    world.check(probe.label_ms(Label.DOUBLE, since=cut) == 0, "nothing ran twice")
    served = max(i.to_ms for i in probe.intervals(cut) if i.label == Label.ZOMBIE_ONLY) - cut
    session_ms, heartbeat_ms = cluster.config.session_timeout_ms, cluster.config.heartbeat_interval_ms
    world.check(served < session_ms + 2 * heartbeat_ms, f"it stopped what it ran {served:,} ms after the cut")
    world.check(probe.label_ms(Label.DELAYED, since=cut) > 0, "which then waited for the delay")
