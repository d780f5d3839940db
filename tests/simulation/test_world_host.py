"""The speed of the host of a scenario's programs."""

from __future__ import annotations

from random import Random
from statistics import mean, median, stdev

import pytest

from groupsim import analysis
from groupsim.events.client import RejoinRequested
from groupsim.scenarios.dsl import World, minutes, seconds
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.host_speed import HOSTS, IDEAL, latencies_of, profile_of
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.run import Scenario, run
from groupsim.storage.memory import MemoryStore
from tests.analysis.in_ms import total_ms
from tests.thinned import examples


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
    return total_ms(analysis.load(store, run=result.info.id).unavailable(between=(0, None))["duration"])


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_slower_host_keeps_partitions_waiting_for_longer(protocol: str) -> None:
    figures = [unavailable_ms(host, protocol) for host in (IDEAL, "half-busy", "overloaded", 20.0)]
    assert figures == sorted(figures)
    assert figures[0] < figures[-1]


def test_a_host_has_one_speed_and_a_known_one() -> None:
    assert [profile_of(name) for name in HOSTS] == list(HOSTS.values())
    assert profile_of(IDEAL) is None
    for wrong in ("idle", 0, -1, float("nan"), True):
        with pytest.raises(BadScenario, match="host"):
            profile_of(wrong)

    def twice(world: World) -> Script:
        world.host("busy")
        world.host("busy")
        yield world.sleep(1)

    with pytest.raises(BadScenario, match="speed already"):
        run(Scenario(name="twice", story=twice, seed=1, lasts_ms=10), MemoryStore())


def test_the_host_of_the_run_wins() -> None:
    def speeds(**settings: str) -> set[str | float | None]:
        seen: set[str | float | None] = set()

        def story(world: World) -> None:
            world.host("overloaded")
            seen.add(world.context.host.speed)

        run(Scenario(name="speed", story=story, seed=1, lasts_ms=10), MemoryStore(), settings=settings)
        return seen

    assert speeds() == {"overloaded"}
    assert speeds(host="ideal") == {"ideal"}
    assert speeds(host="quiet") == {"quiet"}
    assert speeds(host="1.5") == {1.5}
    with pytest.raises(BadScenario, match="near names: quiet"):
        speeds(host="quite")


def heard_apart_ms(settings: dict[str, str], seed: int) -> int:
    """A seventh member joins a group of six: how long after the first of the six the last one hears of it."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=24)
        group = world.group("billing")
        group.join(6, topics=[orders])
        yield world.sleep(seconds(40))
        group.join("late", topics=[orders])
        yield world.sleep(seconds(20))

    store = MemoryStore()
    result = run(Scenario(name="join", story=story, seed=seed, lasts_ms=minutes(2)), store, settings=settings)
    heard = [
        fact.at_ms
        for fact in store.read(result.info.id)
        if isinstance(fact.event, RejoinRequested)
        if fact.at_ms > 40_000
    ]
    return max(heard) - min(heard)


def test_heartbeats_of_an_old_group_are_as_far_apart_as_recorded_ones() -> None:
    """Six Java members on a quiet host were 12 and 20 ms apart after seconds, 123 and 103 ms after half an hour."""
    young = [heard_apart_ms({"host": "quiet"}, seed) for seed in range(12)]
    old = [heard_apart_ms({"host": "quiet", "quiet.ms": "1800000"}, seed) for seed in range(12)]
    assert 5 < median(young) < 60
    assert 70 < median(old) < 160


def test_on_an_ideal_host_no_group_is_old() -> None:
    with pytest.raises(BadScenario, match="--set host=quiet"):
        heard_apart_ms({"host": "ideal", "quiet.ms": "1000"}, 1)


def test_a_world_has_a_quiet_host_until_something_else_is_said() -> None:
    assert unavailable_ms("quiet", "classic") == unavailable_ms(None, "classic") != unavailable_ms(IDEAL, "classic")
    assert [heard_apart_ms({}, seed) for seed in range(4)] == [
        heard_apart_ms({"host": "quiet"}, seed) for seed in range(4)
    ]
    assert len({heard_apart_ms({}, seed) for seed in range(4)}) > 1, "seeds vary what varies in reality"


def test_a_cut_link_is_cut_on_a_slow_host_too() -> None:
    def story(world: World) -> Script:
        world.host("overloaded")
        orders = world.topic("orders", partitions=6)
        group = world.group("billing")
        first, second = group.join(2, topics=[orders])
        yield group.stable(members=2, within=seconds(60))
        with world.network.cut(second, world.broker):
            first.close()
            yield world.sleep(seconds(60))
            assert group.generation == 2, "it can't rejoin"
        yield group.stable(members=1, within=seconds(60))

    result = run(Scenario(name="cut", story=story, seed=1, lasts_ms=minutes(4)), MemoryStore())
    assert result.failure is None, result.failure


@pytest.mark.parametrize("library", [JAVA, LIBRDKAFKA, KAFKA_PYTHON])
def test_many_heartbeats_at_once_are_as_late_as_one_after_the_other(library: str) -> None:
    rng, latencies = Random(1), latencies_of(HOSTS["quiet"])[library]
    late = Delays(lambda _: latencies, lambda drawn, _: drawn.draw(rng), "broker", lambda: 0)
    times = examples(150, 400)
    at_once = [late.late_in_all_ms("m1.0", 100) for _ in range(times)]
    one_by_one = [sum(late.heartbeat_late_ms("m1.0") for _ in range(100)) for _ in range(times)]
    assert mean(at_once) == pytest.approx(mean(one_by_one), rel=0.02)
    assert stdev(at_once) == pytest.approx(stdev(one_by_one), rel=0.2)
