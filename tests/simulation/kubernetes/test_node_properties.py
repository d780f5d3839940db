"""Whatever is done to nodes and workloads: budgets hold, nothing runs on a lost node, all settles."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.events.base import Recorded
from groupsim.scenarios.dsl import World, minutes
from groupsim.simulation.clients.process import Script
from groupsim.simulation.kubernetes.budget import DisruptionBudget
from groupsim.simulation.kubernetes.nodes import Node
from tests.simulation.kubernetes.on_nodes import made
from tests.simulation.kubernetes.test_workloads import play
from tests.thinned import examples

KINDS = st.sampled_from(["Deployment", "StatefulSet"])
AMOUNTS = st.one_of(st.integers(1, 6), st.integers(1, 100).map("{}%".format))
STEPS = st.tuples(
    st.sampled_from(["drain", "uncordon", "take", "take soon", "lose", "add", "roll", "scale", "kill", "freeze"]),
    st.integers(0, 99),
    st.integers(0, 8_000),
)


@given(KINDS, AMOUNTS, st.integers(2, 4), st.integers(2, 9), st.integers(0, 9_000))
@settings(max_examples=examples(8, 20), deadline=None)
def test_drains_never_leave_fewer_healthy_pods_than_the_budget_wants(
    kind: str, amount: int | str, count: int, replicas: int, start_ms: int
) -> None:
    def story(world: World) -> Script:
        budget = DisruptionBudget(max_unavailable=amount)
        nodes, pods = made(world, count, kind=kind, replicas=replicas, start_ms=start_ms, budget=budget)
        yield pods.settled()
        least = [replicas]

        def look(_: Recorded) -> None:
            status = pods.budget()
            assert status is not None
            least[0] = min(least[0], status.healthy - status.desired)

        world.context.watch(look)
        for node in list(nodes):
            yield node.drain()
            assert node.pods == []
            node.uncordon()
        yield pods.settled()
        assert least[0] >= 0

    play(story, lasts=minutes(12))


@given(KINDS, st.lists(STEPS, min_size=1, max_size=12), st.integers(2, 6), st.booleans())
@settings(max_examples=examples(10, 25), deadline=None)
def test_all_settles_on_nodes_that_are_there(
    kind: str, steps: list[tuple[str, int, int]], replicas: int, ordered: bool
) -> None:
    def story(world: World) -> Script:
        world.host("ideal")  # so that what has been started runs
        times: dict[str, Any] = {"start_ms": (0, 3_000), "termination_grace_ms": 4_000, "lost_after_ms": 10_000}
        if kind == "StatefulSet" and not ordered:
            times["pod_management"] = "Parallel"
        nodes, pods = made(world, 3, kind=kind, replicas=replicas, budget=DisruptionBudget(min_available=1), **times)
        for what, which, wait_ms in steps:
            yield world.sleep(wait_ms)
            node = nodes[which % len(nodes)] if len(nodes) else nodes.add()
            act(what, node, pods.present[which % len(pods.present)] if pods.present else None)
            if what == "add":
                nodes.add()
            elif what == "roll":
                pods.roll()
            elif what == "scale":
                pods.scale(which % 7)
            running = Counter(pod.name for pod in pods.pods if pod.member.running and not pod.gone)
            assert not running or max(running.values()) == 1
        nodes.add()
        yield world.sleep(8_000)  # notices are over, frozen processes go on
        for pod in pods.pods:  # a container that died starts again
            if not (pod.pending or pod.lost or pod.terminating or pod.member.running):
                pod.member.start()
        yield pods.settled()
        there = {pod.name for node in nodes for pod in node.pods}
        assert {pod.name for pod in pods.pods} <= there
        members = world.groups["billing"].members
        assert {member.label for member in members if member.running} == {pod.name for pod in pods.pods}

    play(story, lasts=minutes(8))


def act(what: str, node: Node, pod: Any) -> None:
    """One step."""
    match what:
        case "drain":
            node.drain(timeout_ms=20_000)
        case "uncordon":
            node.uncordon()
        case "take":
            node.take(notice_ms=3_000)
        case "take soon":
            node.take()
        case "lose":
            node.lose()
        case "kill" if pod is not None and pod.member.running:
            pod.member.kill()
        case "freeze" if pod is not None and pod.member.running:
            pod.member.freeze(6_000)
