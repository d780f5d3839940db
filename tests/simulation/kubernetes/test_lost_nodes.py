"""Nodes that are taken away or fail, with a notice and without."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from groupsim.scenarios.dsl import World, minutes
from groupsim.simulation.clients.process import Script
from groupsim.simulation.kubernetes.budget import DisruptionBudget
from tests.simulation.kubernetes.on_nodes import actions, made, ready, spread
from tests.simulation.kubernetes.test_workloads import play


def test_a_node_that_goes_with_a_notice_lets_its_pods_leave() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, lost_after_ms=100_000, budget=DisruptionBudget(max_unavailable=0))
        yield from ready(world, pods)
        found, began = actions(world), world.now
        gone = nodes[0].take(notice_ms=30_000)
        yield pods.settled()
        assert world.now - began < 4_000
        yield gone
        assert world.now - began == 30_000
        assert spread(nodes) == [4, 4, 4]
        assert Counter(action for _, action, _ in found) == {"take": 1, "close": 3, "start": 3, "lose": 1}

    play(story)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_node_that_goes_without_a_notice_takes_its_processes_with_it(kind: str) -> None:
    def story(world: World) -> Script:
        world.host("ideal")
        parallel: dict[str, Any] = {"pod_management": "Parallel"} if kind == "StatefulSet" else {}
        nodes, pods = made(world, kind=kind, lost_after_ms=100_000, **parallel)
        yield from ready(world, pods)
        found, began = actions(world), world.now
        nodes[0].take()
        yield world.sleep(99_000)
        assert sum(pod.member.running for pod in pods.pods) == 9
        assert [action for _, action, _ in found] == ["take", "lose", "kill", "kill", "kill"]
        yield pods.settled()
        assert world.now - began == 103_000
        assert spread(nodes) == [4, 4, 4]

    play(story, lasts=minutes(6))


def test_a_node_that_fails_takes_no_pods() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, count=2, lost_after_ms=10_000)
        yield pods.settled()
        lost = nodes[0]
        lost.lose()
        yield pods.settled()
        assert (lost.pods, spread(nodes)) == ([], [12])

    play(story)


def test_a_node_that_fails_while_its_processes_start_leaves_none() -> None:
    def story(world: World) -> Script:
        world.host("overloaded")
        nodes, pods = made(world, count=1, start_ms=0, lost_after_ms=10_000)
        yield world.sleep(2)
        members = [pod.member for pod in pods.pods]
        assert not any(pod.pending or pod.member.running for pod in pods.pods)
        nodes[0].lose()
        yield world.sleep(minutes(1))
        assert not any(member.running for member in members)

    play(story)


def test_what_is_still_ending_dies_with_its_node() -> None:
    def story(world: World) -> Script:
        nodes, pods = made(world, lost_after_ms=40_000)
        yield pods.settled()
        slow = nodes[0].pods[0]
        slow.member.freeze()
        yield nodes[0].take(notice_ms=5_000)
        assert not slow.member.running
        yield world.sleep(39_000)
        assert not slow.gone
        yield world.sleep(1_000)
        assert slow.gone

    play(story)


def test_pools_of_the_same_size_lose_their_nodes_at_the_same_instants() -> None:
    taken: dict[str, list[int]] = {}
    numbers: list[int] = []

    def story(world: World) -> Script:
        pools = [world.nodes(5, name=name) for name in ("spot", "other")]
        found = actions(world)
        pools[0].interrupt(every_ms=minutes(5), notice_ms=0, replaced_after_ms=1_000)
        yield world.sleep(7)
        pools[1].interrupt(every_ms=minutes(5), notice_ms=30_000, replaced_after_ms=1_000)
        short = world.nodes(5, name="short")
        short.interrupt(every_ms=minutes(5), replaced_after_ms=1_000, lasts_ms=minutes(20))
        yield world.sleep(minutes(55))
        for pool in pools:
            assert 4 <= len(pool) <= 8
        for at_ms, action, target in found:
            if action == "take":
                name, _, number = target.partition("-")
                taken.setdefault(name, []).append(at_ms)
                numbers.extend([int(number)] if name == "spot" else [])

    play(story, lasts=minutes(56))
    assert 30 <= len(taken["spot"]) <= 80  # 55 in the mean
    assert taken["short"] == [at_ms for at_ms in taken["other"] if at_ms < minutes(20)]
    assert numbers != sorted(numbers)  # not always the oldest one
    assert [at_ms + 7 for at_ms in taken["spot"]] == taken["other"][: len(taken["spot"])]
