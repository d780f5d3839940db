"""The speed of the host of a scenario's programs."""

from __future__ import annotations

import pytest

from groupsim import analysis
from groupsim.scenarios.dsl import World, minutes, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.host_speed import HOSTS
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world_host import factor_of
from groupsim.storage.memory import MemoryStore


def unavailable_ms(host: str | float | None, protocol: str) -> int:
    """Of a rolling restart of three members."""

    def story(world: World) -> Script:
        if host is not None:
            world.host(host)
        orders = world.topic("orders", partitions=6)
        members = world.group("billing", protocol=protocol).join(3, topics=[orders])
        yield world.sleep(seconds(20))
        for member in members:
            yield member.restart()
            yield world.sleep(seconds(20))

    store = MemoryStore()
    result = run(Scenario(name="roll", story=story, seed=1, lasts_ms=minutes(2)), store)
    assert result.failure is None
    return int(analysis.load(store, run=result.info.id).unavailable()["duration_ms"].sum())


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_slower_host_keeps_partitions_waiting_for_longer(protocol: str) -> None:
    figures = [unavailable_ms(host, protocol) for host in (None, "half-busy", "overloaded", 20.0)]
    assert figures == sorted(figures)
    assert figures[0] < figures[-1]


def test_a_host_has_one_speed_and_a_known_one() -> None:
    assert [factor_of(name) for name in HOSTS] == list(HOSTS.values())
    for wrong in ("idle", 0, -1, float("nan"), True):
        with pytest.raises(BadScenario, match="host"):
            factor_of(wrong)

    def twice(world: World) -> Script:
        world.host("busy")
        world.host("busy")
        yield world.sleep(1)

    with pytest.raises(BadScenario, match="speed already"):
        run(Scenario(name="twice", story=twice, seed=1, lasts_ms=10), MemoryStore())
