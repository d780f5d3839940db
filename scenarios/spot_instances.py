"""Twelve consumers on spot instances: nodes are taken away, with a notice or without."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario
from groupsim.scenarios.pods_on_nodes import STATIC, on_nodes
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario

NOTICES = {"two-minutes": 120_000, "half-minute": 30_000, "no-notice": 0}


@scenario(seed=1, lasts=minutes(17))
def spot_instances(
    world: World,
    replicas: int = 12,
    partitions: int = 24,
    nodes: int = 6,
    assignor: str = "cooperative-sticky",
    start_ms: int = 5_000,
    start_spread_ms: int = 10_000,
    ready_after_ms: int = 3_000,
    every_ms: int = 600_000,
    replaced_after_ms: int = 60_000,
    session_timeout_ms: int = 45_000,
    static: bool = False,
    notice: str = "all",
) -> Script:
    """Three equal groups lose their nodes at the same instants: with 120 s, with 30 s, and with no notice.

    Each node is taken after a random time, `every_ms` in the mean; a new one is there `replaced_after_ms` later.
    With a notice pods get SIGTERM and close. Without one they die, and Kubernetes starts others only when it knows that
    the node is gone. `notice` plays one group alone (two-minutes, half-minute, no-notice). `static`: a StatefulSet
    of static members instead of a Deployment.

    Source: Amazon EC2 (spot instance interruption notices: two minutes), Google Compute Engine and Azure (30 s),
    Kubernetes (graceful node shutdown, PodGC), KIP-345.
    """
    if notice not in ("all", *NOTICES):
        raise BadScenario(f"notice must be all, {', '.join(NOTICES)}, not {notice!r}")
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    notices = NOTICES if notice == "all" else {"billing": NOTICES[notice]}
    all_ = on_nodes(
        world,
        {name: STATIC if static else {} for name in notices},
        [orders],
        nodes,
        assignor=assignor,
        session_timeout_ms=session_timeout_ms,
        replicas=replicas,
        start_ms=start_ms,
        start_spread_ms=start_spread_ms,
        ready_after_ms=ready_after_ms,
    )
    yield from all_.begun()

    began = world.now
    for name, notice_ms in notices.items():
        all_.pools[name].interrupt(every_ms, notice_ms, replaced_after_ms, lasts_ms=minutes(10))
    yield world.sleep(minutes(10))
    yield from all_.settled(within=minutes(2) + 2 * session_timeout_ms)
    if notice == "all":
        cost = {name: probe.label_ms(since=began, group=name) / 1_000 for name in notices}
        said = ", ".join(f"{name} {cost[name]:.1f}" for name in notices)
        world.check(cost["no-notice"] > max(cost["two-minutes"], cost["half-minute"]), f"partition-seconds: {said}")
