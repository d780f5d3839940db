"""What is refused before time passes: one sentence that says why, and no run in the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from groupsim.coordinator.config import BadSetting
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario, ScenarioRaised
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

Story = Callable[[World], Script]


def stored(story: Story, refused: type[Exception]) -> tuple[str, int]:
    """Why it was refused, and how many runs the store has afterwards."""
    store = MemoryStore()
    with pytest.raises(refused) as error:
        run(Scenario(name="s", story=story, seed=1, lasts_ms=1_000), store)
    return str(error.value), len(store.runs())


@pytest.mark.parametrize(
    ("config", "why"),
    [
        (
            {"consumer.session.timeout.ms": 20_000},
            "consumer.session.timeout.ms=20000 is not between group.consumer.min.session.timeout.ms=45000 and"
            " group.consumer.max.session.timeout.ms=60000, which the broker has",
        ),
        (
            {"session.timeout.ms": 50_000},
            "session.timeout.ms is unknown; a group has consumer.assignment.interval.ms,"
            " consumer.heartbeat.interval.ms, consumer.session.timeout.ms",
        ),
        ({"consumer.heartbeat.interval.ms": "5s"}, "consumer.heartbeat.interval.ms=5s must be a whole number, 1 or"),
        ({"consumer.heartbeat.interval.ms": 0}, "consumer.heartbeat.interval.ms=0 must be a whole number, 1 or more"),
    ],
)
def test_a_groups_setting_that_the_broker_refuses_says_which_bound_and_leaves_no_run(
    config: dict[str, Any], why: str
) -> None:
    def story(world: World) -> Script:
        world.group("billing", protocol="consumer", group_config=config)
        yield world.sleep(1)

    said, runs = stored(story, BadSetting)
    assert f"group 'billing': the broker refuses this: {why}" in said
    assert runs == 0


def test_a_session_that_is_not_longer_than_the_interval_says_so() -> None:
    def story(world: World) -> Script:
        world.configure_broker(
            {"group.consumer.max.heartbeat.interval.ms": 60_000, "group.consumer.max.session.timeout.ms": 60_000}
        )
        own = {"consumer.session.timeout.ms": 50_000, "consumer.heartbeat.interval.ms": 50_000}
        world.group("billing", protocol="consumer", group_config=own)
        yield world.sleep(1)

    said, _ = stored(story, BadSetting)
    assert "consumer.session.timeout.ms=50000 must be longer than consumer.heartbeat.interval.ms=50000" in said


@pytest.mark.parametrize("assignor", ["cooperative-sticky", "sticky", "unifrom", ("uniform", "range")])
def test_an_assignor_that_brokers_do_not_have_is_refused_where_the_group_is_declared(assignor: Any) -> None:
    """Its members were refused for ever: 100 % unavailable, and a hint at duration.ms."""

    def story(world: World) -> Script:
        world.group("billing", protocol="consumer", assignor=assignor)
        yield world.sleep(1)

    said, runs = stored(story, BadScenario)
    assert f"with the consumer protocol the broker assigns, and has no {assignor!r}: it has uniform and range" in said
    assert runs == 0


@pytest.mark.parametrize("assignor", ["uniform", "range"])
def test_the_brokers_own_assignors_are_taken(assignor: str) -> None:
    def story(world: World) -> Script:
        world.group("billing", protocol="consumer", assignor=assignor)
        yield world.sleep(1)

    assert run(Scenario(name="s", story=story, seed=1, lasts_ms=1_000), MemoryStore()).ok


def test_what_the_broker_is_given_counts() -> None:
    def story(world: World) -> Script:
        world.configure_broker({"group.consumer.assignors": "range"})
        world.group("billing", protocol="consumer", assignor="uniform")
        yield world.sleep(1)

    assert "has no 'uniform': it has range" in stored(story, BadScenario)[0]


def test_what_is_refused_later_or_raised_by_the_story_leaves_its_facts() -> None:
    def later(world: World) -> Script:
        yield world.sleep(10)
        world.group("billing", protocol="neither")

    def raises(world: World) -> Script:
        raise ValueError("my own")
        yield world.sleep(1)

    assert stored(later, BadScenario)[1] == 1
    assert stored(raises, ScenarioRaised)[1] == 1


def test_a_run_has_the_same_facts_whether_something_happens_at_its_begin_or_not() -> None:
    def story(world: World) -> Script:
        group = world.group("billing")
        group.join("m", topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=1, within=10_000)

    runs = [run(Scenario(name="s", story=story, seed=1, lasts_ms=20_000), MemoryStore()) for _ in range(2)]
    assert runs[0].info.digest == runs[1].info.digest
    assert runs[0].info.facts > 10
