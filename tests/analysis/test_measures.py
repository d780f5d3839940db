"""The measures by which choices are compared, of runs whose lag is known by arithmetic."""

from __future__ import annotations

import pytest

from groupsim.advice.replays import MEASURES as REPLAYED
from groupsim.analysis.tables.amounts import unit
from groupsim.analysis.tables.measures import LAG_MEASURES, MEASURES, PARTITION_TIMES, measured
from groupsim.coordinator.config import BadSetting
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

EVERY_S = {"auto.commit.interval.ms": 1_000, "max.poll.records": 10}


@scenario(seed=1, lasts=minutes(3))
def one_pause(world: World, away_ms: int = 30_000, record_ms: float = 1.0) -> Script:
    """One consumer, ten records a second; it is away for a while."""
    orders = world.topic("orders", partitions=1, rate=10.0)
    group = world.group("g", config=EVERY_S)
    (member,) = group.join("a", topics=[orders], application=Application(record_ms=record_ms))
    yield group.stable(members=1, within=minutes(1))
    yield world.sleep(seconds(10))
    yield member.restart(downtime=away_ms)
    yield group.stable(members=1, within=minutes(1))


def measures(**settings: object) -> dict[str, float]:
    store = MemoryStore()
    exact = {"host": "ideal", **settings}
    result = run(one_pause, store, settings=exact, record="facts")  # type: ignore[arg-type]
    assert result.failure is None
    return measured(list(store.read(result.info.id)))


def test_every_measure_has_a_value_and_partition_times_are_those_that_say_so() -> None:
    assert list(measures()) == list(MEASURES)
    whole = {name for name, what in {**MEASURES, **REPLAYED}.items() if "partition-milliseconds" in what}
    assert whole | {"after_start_ms"} == set(PARTITION_TIMES)
    assert unit("detection_ms") == "s"
    assert unit("unpolled_ms") == "partition-seconds"


def test_lag_grows_by_the_rate_while_nobody_reads() -> None:
    assert 10 * 30 <= measures()["lag_peak"] <= 10 * 36  # a rebalance or two, and a second until the next commit
    assert 10 * 60 <= measures(away_ms=60_000)["lag_peak"] <= 10 * 66
    assert measures()["lag_end"] <= 10 * 2


def test_it_takes_as_long_to_drain_as_arithmetic_says() -> None:
    """n records behind, while each second brings 10 and lets 1000/record_ms be read."""
    slow = measures(record_ms=50.0)
    assert slow["lag_peak"] / (20 - 10) * 1_000 == pytest.approx(slow["drain_ms"], rel=0.15)
    assert measures()["drain_ms"] < 3_000


def test_a_group_that_cannot_keep_up_is_behind_at_the_end() -> None:
    found = measures(record_ms=200.0)
    assert found["lag_end"] > 10 * 180 / 3
    assert found["lag_peak"] == pytest.approx(found["lag_end"], abs=1)
    assert found["drain_ms"] > 60_000


def test_the_load_is_a_setting_of_any_run() -> None:
    assert measures(**{"load.rate": 20})["lag_peak"] == pytest.approx(2 * measures()["lag_peak"], rel=0.05)
    assert measures(**{"load.record.ms": "200"}) == measures(record_ms=200.0)


def test_where_no_rate_is_known_lag_is_not_a_number() -> None:
    assert list(measures(**{"load.rate": 0})) == [name for name in MEASURES if name not in LAG_MEASURES]


@pytest.mark.parametrize("value", ["-1", "many", "nan", "inf"])
def test_a_load_that_is_none_is_refused_before_the_run(value: str) -> None:
    with pytest.raises(BadSetting, match=r"load\.rate must be a number from 0 to 1,000,000, not"):
        measures(**{"load.rate": value})
