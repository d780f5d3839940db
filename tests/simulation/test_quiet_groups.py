"""Groups that are old when they begin: from when on they are, and at which time something is done to them."""

from __future__ import annotations

from statistics import median

import pytest

from groupsim import analysis
from groupsim.scenarios.catalogue import find
from groupsim.scenarios.dsl import Application, World, hours, minutes, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import Scenario, run
from groupsim.storage.memory import MemoryStore
from tests.analysis.in_ms import total_ms
from tests.conformance.old_groups import spread_ms
from tests.simulation.beats import sent

HOURS_8 = str(hours(8))
INTERVAL_MS = 3_000


def stable_at_ms(seed: int, settings: dict[str, str], protocol: str = "classic") -> int:
    """When a group of six is stable."""
    at: list[int] = []

    def story(world: World) -> Script:
        group = world.group("billing", protocol=protocol)
        group.join(6, topics=[world.topic("orders", partitions=24)])
        yield group.stable(members=6, within=seconds(20))
        at.append(world.now)

    result = run(Scenario(name="still", story=story, seed=seed, lasts_ms=minutes(2)), MemoryStore(), settings=settings)
    assert result.failure is None
    return at[0]


def cost_ms(settings: dict[str, str], seed: int) -> int:
    """Of a built-in deploy that begins as soon as the group is stable."""
    store = MemoryStore()
    chosen = {"members": "4", "partitions": "24", "assignor": "range", "host": "busy", **settings}
    result = run(find("rolling_restart"), store, seed=seed, settings=chosen)
    assert result.failure is None
    return total_ms(analysis.load(store, run=result.info.id).unavailable()["duration"])


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_an_old_group_is_stable_when_its_heartbeats_are_apart_and_at_any_time_between_two(protocol: str) -> None:
    young = [stable_at_ms(seed, {}, protocol) for seed in range(6)]
    old = [stable_at_ms(seed, {"quiet.ms": HOURS_8}, protocol) for seed in range(6)]
    assert max(young) < seconds(20) < min(old)
    assert max(young) - min(young) < 500 < INTERVAL_MS / 2 < max(old) - min(old)
    assert old == [stable_at_ms(seed, {"quiet.ms": HOURS_8}, protocol) for seed in range(6)]


def test_a_built_in_deploy_of_an_old_group_costs_what_an_old_group_costs() -> None:
    young, old = ([cost_ms(settings, seed) for seed in range(4)] for settings in ({}, {"quiet.ms": HOURS_8}))
    assert median(old) > 1.1 * median(young)


def test_a_group_that_is_not_stable_in_time_fails_although_it_grows_old() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", quiet_for=minutes(30))
        group.join(2, topics=[world.topic("orders", partitions=4)])
        yield group.stable(members=3, within=seconds(10))

    result = run(Scenario(name="late", story=story, seed=1, lasts_ms=minutes(1)), MemoryStore())
    assert (
        result.failure
        == "at 10,000 ms: group 'billing' was not stable with 3 members within 10,000 ms; it is Stable with 2"
    )


def test_a_sleep_can_be_drawn() -> None:
    def woken_ms(seed: int, up_to: int | None) -> int:
        at: list[int] = []

        def story(world: World) -> Script:
            yield world.sleep(seconds(3), up_to)
            at.append(world.now)

        result = run(Scenario(name="sleep", story=story, seed=seed, lasts_ms=minutes(1)), MemoryStore())
        assert result.failure is None
        return at[0]

    drawn = [woken_ms(seed, seconds(6)) for seed in range(20)]
    assert drawn == [woken_ms(seed, seconds(6)) for seed in range(20)]
    assert seconds(3) <= min(drawn) < seconds(4) < seconds(5) < max(drawn) <= seconds(6)
    assert {woken_ms(seed, up_to) for seed in range(3) for up_to in (None, seconds(3))} == {seconds(3)}
    with pytest.raises(BadScenario, match="up_to=2,000 is less than 3,000"):
        woken_ms(1, seconds(2))


def spread_of(minutes_ago: int, process_ms: int, seed: int) -> int:
    """How far apart the heartbeats of a group are whose last rebalance was so long ago."""

    ends_ms: list[int] = []

    def story(world: World) -> Script:
        group = world.group("billing", quiet_for=minutes(minutes_ago))
        orders = world.topic("orders", partitions=24, rate=10.0)
        group.join(6, topics=[orders], application=Application(process_ms=process_ms))
        yield group.stable(members=6, within=seconds(20))
        ends_ms.append(world.now)

    store = MemoryStore()
    result = run(Scenario(name="still", story=story, seed=seed, lasts_ms=minutes(2)), store)
    assert result.failure is None
    spread = spread_ms(sent(store.read(result.info.id)), ends_ms[0] - 2 * INTERVAL_MS, INTERVAL_MS)
    assert spread is not None
    return spread


def test_an_old_group_at_work_is_farther_apart_than_an_idle_one() -> None:
    """Recorded after half an hour: idle ones 103 and 123 ms, one at work 577."""
    idle, at_work = (median(spread_of(30, process_ms, seed) for seed in range(8)) for process_ms in (0, 40))
    assert 70 < idle < 160
    assert 250 < at_work < 700
