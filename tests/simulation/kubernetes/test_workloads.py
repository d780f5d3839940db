"""Deployments and StatefulSets in simulated time: who runs when, and what a group sees of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from groupsim.events.base import Recorded
from groupsim.events.world import ActionTaken
from groupsim.scenarios.dsl import World, minutes, scenario
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.hpa import Policy, Rules
from groupsim.simulation.kubernetes.workload import Workload
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

PODS: dict[str, Any] = {"replicas": 8, "start_ms": 2_000, "ready_after_ms": 1_000}


def pods_like(**changed: Any) -> dict[str, Any]:
    return PODS | changed


def play(story: Callable[[World], Script], lasts: int = minutes(4)) -> None:
    result = run(scenario(lasts=lasts)(story), MemoryStore())
    assert result.failure is None, result.failure
    assert result.ok, result.violations


def observed(world: World, workload: Workload) -> list[tuple[int, int, int]]:
    """(pods that count, ready pods, running processes) after every change until the roll is over."""
    seen: list[tuple[int, int, int]] = []

    def look(_: object) -> None:
        running = sum(pod.member.running for pod in workload.pods)
        seen.append((len(workload.present), sum(pod.ready for pod in workload.present), running))

    world.context.watch(look)
    return seen


def _targets(fact: Recorded, action: str) -> list[str]:
    """The process that this is done to; none in any other fact."""
    return [fact.event.target] if isinstance(fact.event, ActionTaken) and fact.event.action == action else []


@pytest.mark.parametrize(
    ("limits", "most", "least"),
    [
        ({}, 10, 6),
        ({"max_surge": 0, "max_unavailable": 1}, 8, 7),
        ({"max_surge": 1, "max_unavailable": 0}, 9, 8),
        ({"max_surge": "100%", "max_unavailable": 0}, 16, 8),
        ({"max_surge": 0, "max_unavailable": 0}, 8, 7),
    ],
)
def test_a_deployment_rolls_within_its_limits_and_replaces_everybody(
    limits: dict[str, Any], most: int, least: int
) -> None:
    found: dict[str, Any] = {}

    def story(world: World) -> Script:
        deployment = world.deployment("billing", topics=[world.topic("orders", 8)], **PODS, **limits)
        yield deployment.settled()
        names = {pod.name for pod in deployment.pods}
        seen = observed(world, deployment)
        yield deployment.roll()
        found.update(before=names, after={pod.name for pod in deployment.pods}, seen=list(seen))

    play(story)
    assert len(found["after"]) == 8
    assert not found["before"] & found["after"]
    assert max(count for count, _, _ in found["seen"]) == most
    assert min(ready for _, ready, _ in found["seen"]) == least


def test_a_stateful_set_replaces_from_the_highest_number_down_and_never_runs_a_name_twice() -> None:
    order: list[str] = []

    def story(world: World) -> Script:
        pods = world.deployment("billing", topics=[world.topic("orders", 8)], kind="StatefulSet", **PODS)
        yield pods.settled()
        assert [pod.name for pod in pods.pods] == [f"billing-{n}" for n in range(8)]
        seen = observed(world, pods)
        world.context.watch(lambda fact: order.extend(_targets(fact, "close")))
        yield pods.roll()
        assert max(running for _, _, running in seen) == 8
        assert min(ready for _, ready, _ in seen) == 7

    play(story)
    assert [name.partition(".")[0] for name in order] == [f"billing-{n}" for n in reversed(range(8))]


def test_ordered_pods_start_one_after_the_other_and_parallel_ones_at_once() -> None:
    took = {}

    def story(world: World) -> Script:
        world.host("ideal")
        for management in ("OrderedReady", "Parallel"):
            began = world.now
            pods = world.deployment(
                management, topics=list(world.topics.values()) or [world.topic("orders", 8)],
                kind="StatefulSet", pod_management=management, **PODS,
            )  # fmt: skip
            yield pods.settled()
            took[management] = world.now - began

    play(story)
    assert took == {"OrderedReady": 8 * 3_000, "Parallel": 3_000}


def test_static_names_last_through_the_update_of_a_stateful_set_and_change_in_a_deployment() -> None:
    found: dict[str, tuple[int, int]] = {}

    def story(world: World) -> Script:
        orders = world.topic("orders", 8)
        for kind in ("Deployment", "StatefulSet"):
            world.group(kind, config={"session.timeout.ms": 20_000})
            pods = world.deployment(kind, topics=[orders], kind=kind, static="pod-name", **PODS)
            yield pods.settled()
            yield world.groups[kind].stable(members=8, within=minutes(1))
            before = world.groups[kind].generation
            yield pods.roll()
            members = len(world.broker.group(kind).members)
            yield world.sleep(minutes(1))
            found[kind] = (world.groups[kind].generation - before, members)

    play(story, lasts=minutes(8))
    assert found["StatefulSet"] == (0, 8)
    rebalances, members = found["Deployment"]
    assert rebalances > 0
    assert members == 16  # the names of the old version stay until their sessions end


def test_a_process_that_does_not_end_in_time_is_killed() -> None:
    killed: list[str] = []

    def story(world: World) -> Script:
        pods = world.deployment(
            "billing", topics=[world.topic("orders", 8)], termination_grace_ms=5_000, **pods_like(replicas=1)
        )
        yield pods.settled()
        world.context.watch(lambda fact: killed.extend(_targets(fact, "kill")))
        pods.pods[0].member.freeze()
        name = pods.pods[0].name
        yield pods.roll()
        assert [target.partition(".")[0] for target in killed] == [name]

    play(story)


def test_a_pod_that_is_deleted_while_its_process_starts_leaves_no_process() -> None:
    def story(world: World) -> Script:
        world.host("overloaded")
        pods = world.deployment("billing", topics=[world.topic("orders", 8)], replicas=3)
        yield world.sleep(2)
        assert not any(pod.pending or pod.member.running for pod in pods.pods)
        members = [pod.member for pod in pods.pods]
        yield pods.scale(0)
        yield world.sleep(minutes(1))
        assert not any(member.running for member in members)

    play(story)


def test_lag_brings_pods_and_their_absence_takes_them_away_after_five_minutes() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", 12, rate=5.0)
        pods = world.deployment("billing", topics=[orders], **pods_like(replicas=1))
        scaler = world.autoscaler(pods, topics=[orders], kind="hpa", lag_threshold=600, least=1, most=6)
        yield pods.settled()
        for member in world.groups["billing"].members:
            member.freeze(60_000)
        yield world.sleep(minutes(12))
        counts = [count for _, _, count in scaler.decisions]
        world.check(counts[0] > 1, "it grew")
        world.check(counts[-1] == 1, "and shrank")
        grew = max(at_ms for at_ms, _, count in scaler.decisions if count == max(counts))
        shrank = next(at_ms for at_ms, _, count in scaler.decisions if at_ms > grew and count < max(counts))
        world.check(shrank - grew >= 250_000, "not before the window is over")

    play(story, lasts=minutes(14))


def test_keda_wakes_and_rests() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", 4, times={0: [100_000 + i for i in range(50)]})
        pods = world.deployment("billing", topics=[orders], **pods_like(replicas=0))
        quick = Rules((Policy("percent", 100),), window_ms=0)
        scaler = world.autoscaler(pods, topics=[orders], kind="keda", least=0, most=4, cool_down_ms=60_000, down=quick)
        yield world.sleep(minutes(8))
        assert scaler.decisions[0][0] == 120_000  # the first look after records came
        assert scaler.decisions[0][2] == 1
        assert scaler.decisions[-1][2] == 0

    play(story, lasts=minutes(9))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kind": "DaemonSet"}, "kind must be one of Deployment, StatefulSet, not 'DaemonSet'"),
        ({"kind": "StatefulSet", "max_surge": 1}, "a StatefulSet has no max_surge"),
        ({"pod_management": "Parallel"}, "a Deployment has no pod_management"),
        ({"static": "host"}, "static must be 'pod-name' or None"),
        ({"replicas": 1.5}, "replicas must be a number of pods"),
        ({"start_ms": (5, 1)}, "start_ms must be milliseconds"),
        ({"max_surge": "a third"}, "max_surge must be a number of pods or a percentage"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], sentence: str) -> None:
    def story(world: World) -> Script:
        pods: dict[str, Any] = {"replicas": 2} | settings
        with pytest.raises(BadScenario, match=sentence):
            world.deployment("billing", topics=[world.topic("orders", 1)], **pods)
        yield world.sleep(1)

    play(story)
