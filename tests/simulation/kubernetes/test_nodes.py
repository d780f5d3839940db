"""Nodes in simulated time: pods are spread over them, evicted, and wait for room."""

from __future__ import annotations

import pytest

from groupsim.scenarios.dsl import World, minutes
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.budget import DisruptionBudget
from tests.simulation.kubernetes.on_nodes import PODS, actions, made, ready, spread
from tests.simulation.kubernetes.test_workloads import play


def test_pods_are_spread_evenly_and_each_version_by_itself() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, max_surge="100%", max_unavailable=0)
        yield pods.settled()
        assert spread(nodes) == [3, 3, 3, 3]
        rolled = pods.roll()
        yield world.sleep(1_000)
        assert spread(nodes) == [6, 6, 6, 6]
        yield rolled
        assert spread(nodes) == [3, 3, 3, 3]

    play(story)


def test_pods_of_another_workload_count_only_among_nodes_with_as_few_of_its_own() -> None:
    def story(world: World) -> Script:
        nodes, _ = made(world, count=1, replicas=4)
        yield world.sleep(1)
        nodes.add()
        other = world.deployment("other", topics=[world.topics["orders"]], nodes=nodes, **{**PODS, "replicas": 2})
        yield other.settled()
        assert spread(nodes) == [5, 1]

    play(story)


def test_pods_that_end_do_not_count_as_those_of_a_node() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, count=2, replicas=4)
        yield pods.settled()
        for pod in nodes[0].pods:
            pod.member.freeze()
            assert pod.evict()
        yield world.sleep(10_000)
        assert [sum(pod.ready for pod in node.pods) for node in nodes] == [2, 2]
        assert spread(nodes) == [4, 2]

    play(story)


def test_a_drain_evicts_all_at_once_and_the_pods_start_elsewhere() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world)
        yield from ready(world, pods)
        going, began = nodes[0].pods, world.now
        left = yield nodes[0].drain()
        assert left == ()
        assert world.now - began < 1_000
        assert nodes[0].pods == []
        assert nodes[0].cordoned
        yield pods.settled()
        assert 3_000 <= world.now - began < 4_000
        assert spread(nodes) == [0, 4, 4, 4]
        assert not {pod.name for pod in going} & {pod.name for pod in pods.pods}
        nodes[0].uncordon()
        yield pods.scale(15)
        assert spread(nodes) == [3, 4, 4, 4]

    play(story)


def test_what_the_budget_refuses_is_asked_again_every_five_seconds() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, budget=DisruptionBudget(max_unavailable=1))
        yield from ready(world, pods)
        found, began = actions(world), world.now
        yield nodes[0].drain()
        evicted = [at_ms - began for at_ms, action, _ in found if action == "evict"]
        assert evicted == [0, 5_000, 10_000]
        assert sum(action == "evict-refused" for _, action, _ in found) == 2  # said once for each pod
        status = pods.budget()
        assert status is not None
        assert (status.desired, status.allowed) == (11, 0)
        yield pods.settled()
        status = pods.budget()
        assert status is not None
        assert (status.healthy, status.allowed) == (12, 1)

    play(story)


def test_slow_pods_make_a_drain_with_a_budget_slow() -> None:
    took = {}

    def story(world: World) -> Script:
        nodes, pods = made(world, start_ms=20_000, budget=DisruptionBudget(min_available="90%"))  # 11 of 12
        yield from ready(world, pods)
        began = world.now
        yield nodes[0].drain()
        took["drain"] = world.now - began

    play(story)
    assert 50_000 <= took["drain"] < 51_000  # asked at 0 s, 25 s and 50 s with an answer that it may


def test_a_budget_of_none_lets_no_drain_end() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, budget=DisruptionBudget(max_unavailable=0))
        yield pods.settled()
        names = {pod.name for pod in nodes[0].pods}
        for_ever = nodes[0].drain()
        left = yield nodes[1].drain(timeout_ms=60_000)
        assert len(left) == 3
        yield world.sleep(minutes(2))
        assert not for_ever.triggered
        assert {pod.name for pod in nodes[0].pods} == names
        assert spread(nodes) == [3, 3, 3, 3]

    play(story)


def test_a_pod_that_does_not_run_yet_may_go_whatever_the_budget() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, budget=DisruptionBudget(max_unavailable=0))
        yield world.sleep(1_000)
        left = yield nodes[0].drain(timeout_ms=0)
        assert left == ()
        yield pods.settled()
        assert spread(nodes) == [0, 4, 4, 4]

    play(story)


def test_a_pod_that_ends_already_is_waited_for_and_not_refused() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, budget=DisruptionBudget(max_unavailable=0), replicas=4, termination_grace_ms=20_000)
        yield pods.settled()
        (slow,) = nodes[0].pods
        slow.member.freeze()
        slow.remove()
        found, began = actions(world), world.now
        left = yield nodes[0].drain()
        assert (left, world.now - began) == ((), 20_000)
        assert "evict-refused" not in [action for _, action, _ in found]

    play(story)


def test_a_pod_whose_process_died_is_not_healthy() -> None:
    def story(world: World) -> Script:
        _, pods = made(world, budget=DisruptionBudget(max_unavailable=2))
        yield pods.settled()
        pods.pods[0].member.kill()
        status = pods.budget()
        assert status is not None
        assert (status.healthy, status.allowed) == (11, 1)
        yield pods.pods[0].member.start()

    play(story)


def test_stateful_pods_keep_their_names_and_wait_for_the_old_one_to_be_gone() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, kind="StatefulSet", pod_management="Parallel", termination_grace_ms=9_000)
        yield from ready(world, pods)
        names, slow = sorted(pod.name for pod in pods.pods), nodes[0].pods[0]
        slow.member.freeze()
        began = world.now
        found = actions(world)
        yield nodes[0].drain()
        assert world.now - began == 9_000
        yield pods.settled()
        assert sorted(pod.name for pod in pods.pods) == names
        again = [at_ms - began for at_ms, action, target in found if (action, target) == ("start", f"{slow.name}.1")]
        assert again == [11_000]

    play(story)


def test_pods_wait_for_room() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, room=3)
        yield pods.settled()
        yield nodes[0].drain()
        yield world.sleep(30_000)
        assert sum(pod.ready for pod in pods.pods) == 9
        nodes.add()
        yield pods.settled()
        assert spread(nodes) == [0, 3, 3, 3, 3]

    play(story)


def test_a_pod_that_goes_makes_room_for_one_that_waits() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, count=1, replicas=1, room=1)
        other = world.deployment("other", topics=[world.topics["orders"]], nodes=nodes, **{**PODS, "replicas": 1})
        yield world.sleep(20_000)
        assert not other.pods[0].ready
        yield pods.scale(0)
        yield other.settled()
        assert [pod.name for pod in nodes[0].pods] == ["other-v1-1"]

    play(story)


def test_what_makes_no_sense_is_refused() -> None:
    def story(world: World) -> Script:
        nodes, orders = world.nodes(2), [world.topic("orders", 1)]
        for sentence, wrong in (
            ("the name 'node-1' is taken", lambda: world.nodes(1)),
            ("how many there are must be from 1", lambda: world.nodes(0, name="none")),
            ("room must be from 1", lambda: world.nodes(1, name="full", room=0)),
            ("lost_after_ms must be milliseconds", lambda: world.nodes(1, name="late", lost_after_ms=-1)),
            ("drain", lambda: nodes[0].drain(timeout_ms=-1)),
            ("notice_ms", lambda: nodes[0].take(notice_ms=-1)),
            ("interrupt\\(notice_ms", lambda: nodes.interrupt(every_ms=1_000, notice_ms=-1)),
            ("nodes must be what world.nodes", lambda: world.deployment("b", replicas=1, topics=orders, nodes=3)),
            ("budget must be a DisruptionBudget", lambda: world.deployment("c", replicas=1, topics=orders, budget="1")),
            ("every_ms", lambda: nodes.interrupt(every_ms=0)),
        ):
            with pytest.raises(BadScenario, match=sentence):
                wrong()
        yield world.sleep(1)

    play(story)
