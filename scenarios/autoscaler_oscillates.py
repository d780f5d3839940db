"""An autoscaler that follows lag keeps a group busy with rebalances, which make the lag it follows."""

from __future__ import annotations

from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script
from groupsim.simulation.kubernetes.hpa import Policy, Rules


@scenario(seed=1, lasts=minutes(13))
def autoscaler_oscillates(
    world: World,
    partitions: int = 12,
    assignor: str = "range",
    record_ms: float = 140.0,
    lag_for_each: int = 100,
    window_ms: int = 300_000,
    floor: int = 4,
) -> Script:
    """Three groups under one load of 3.4 members' work, each with an autoscaler of its own.

    `hasty` goes down as soon as lag falls: the rebalance lets lag grow, so it goes up again. `waits` has
    stabilizationWindowSeconds of five minutes, Kubernetes' default; `floor` has that and never less pods than the load
    needs. Source: Kubernetes (HorizontalPodAutoscaler, external metric with an average value).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions, rate=2.0)
    settings = {"hasty": (0, 2), "waits": (window_ms, 2), "floor": (window_ms, floor)}
    scalers = {}
    for name, (window, least) in settings.items():
        world.group(name, assignor=assignor, config={"max.poll.records": 20})
        pods = world.deployment(
            name,
            replicas=floor,
            topics=[orders],
            start_ms=15_000,
            ready_after_ms=5_000,
            application=Application(record_ms=record_ms),
        )
        scalers[name] = world.autoscaler(
            pods,
            topics=[orders],
            lag_threshold=lag_for_each,
            least=least,
            most=partitions,
            down=Rules((Policy("percent", 100),), window_ms=window),
        )
    yield world.sleep(minutes(1))
    began = {name: world.groups[name].generation for name in settings}
    yield world.sleep(minutes(12) - seconds(1))

    changes = {name: len(scaler.decisions) for name, scaler in scalers.items()}
    rebalances = {name: world.groups[name].generation - began[name] for name in settings}
    cost = {name: probe.label_ms(since=minutes(1), group=name) / 1_000 for name in settings}
    said = {
        name: f"{name}: {changes[name]} changes, {rebalances[name]} rebalances, {cost[name]:.0f} partition-seconds"
        for name in settings
    }
    world.check(rebalances["hasty"] > 10, said["hasty"])
    world.check(rebalances["waits"] < rebalances["hasty"] / 2, said["waits"])
    world.check(rebalances["floor"] < rebalances["waits"], said["floor"])
    world.check(cost["floor"] < cost["waits"] < cost["hasty"], "each costs less than the one before")
