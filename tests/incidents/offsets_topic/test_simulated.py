"""Simulated groups, written as Kafka writes them into `__consumer_offsets`, and inferred again: the truth is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Recorded
from groupsim.simulation.member import MemberHandle
from tests.incidents.drawn_groups import GROUP, drawn, simulated
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.truth import clipped, measure
from tests.incidents.written_logs import BEGINS_MS
from tests.simulation.finished_run import World, play


def _assert_within_bounds(facts: list[Recorded], folder: Path) -> None:
    """The true unavailable time since the first assignment is within the bounds that the topic gives."""
    dump = write_dump(facts, GROUP, folder / "dump.txt")
    first = next(fact.at_ms for fact in facts if isinstance(fact.event, c.AssignmentStored | k.TargetComputed))
    end = facts[-1].at_ms
    true = sum(each.duration_ms for each in clipped(intervals(facts), first, end) if each.unavailable)
    found, _ = measure([dump], GROUP, BEGINS_MS + end, (BEGINS_MS + first, BEGINS_MS + end))
    assert found.rests_on.at_most_ms is not None
    assert found.rests_on.at_least_ms <= true <= found.rests_on.at_most_ms


@pytest.mark.parametrize("seed", range(8))
def test_drawn_groups_are_within_the_bounds(seed: int, tmp_path: Path) -> None:
    group = drawn(seed)
    seen = tuple(each for each in group.faults if each.kind != "freeze" or each.lasts_ms > group.session_ms)
    _assert_within_bounds(simulated(replace(group, faults=seen)), tmp_path)


@pytest.mark.parametrize(
    "setting", [("group_protocol", "consumer"), ("partition_assignment_strategy", "cooperative-sticky")]
)
@pytest.mark.parametrize("seed", range(2))
def test_members_that_come_and_go_are_within_the_bounds(setting: tuple[str, str], seed: int, tmp_path: Path) -> None:
    def story(world: World) -> Iterator[Any]:
        rng = Random(seed)
        topic, group = world.topic("orders", 12, rate=2), world.group(GROUP)
        members: list[MemberHandle] = []
        for number in range(4):
            members += group.join(f"m{number}", topics=[topic], after=None)
        for member in members[:3]:
            yield member.start()
            yield world.sleep(rng.randrange(2_000))
        for member in members[:2]:
            yield world.sleep(10_000)
            yield member.close()
            yield world.sleep(rng.randrange(4_000))
            yield member.start()
        members[2].kill()
        yield world.sleep(rng.randrange(60_000))
        yield members[3].start()
        yield world.sleep(60_000)

    name, value = setting
    run = play(story, 400_000, seed=seed, green=False, **{name: value})
    _assert_within_bounds(run.log, tmp_path)
