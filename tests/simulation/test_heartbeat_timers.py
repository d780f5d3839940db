"""Late heartbeat timers: phases move with the time since a rebalance, messages take no longer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.events.network import MessageDelivered
from groupsim.simulation.clients.process import Script
from groupsim.simulation.heartbeat_timers import HeartbeatTimers
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

INTERVAL_MS = 300


def requests(late: float, minutes: int) -> dict[str, list[tuple[int, MessageDelivered]]]:
    """By API, the requests of a group of two; another member joins at the end."""

    def script(world: World) -> Script:
        world.host("ideal")
        world.heartbeat_timers.late = lambda _: late
        topic = world.topic("orders", 4)
        group = world.group("g", assignor="range", config={"heartbeat.interval.ms": INTERVAL_MS})
        group.join("m1", "m2", topics=[topic])
        yield world.sleep(minutes * 60_000)
        group.join("m3", topics=[topic])
        yield world.sleep(10_000)

    store = MemoryStore()
    result = run(Scenario(name="late", story=script, seed=1, lasts_ms=minutes * 60_000 + 10_000), store)
    found: dict[str, list[tuple[int, MessageDelivered]]] = {}
    for fact in store.read(result.info.id):
        if isinstance(fact.event, MessageDelivered) and not fact.event.response:
            found.setdefault(fact.event.api, []).append((fact.at_ms, fact.event))
    return found


@pytest.mark.parametrize("late", [0.0, 0.4, 5.0])
def test_each_interval_is_longer_by_the_lateness(late: float) -> None:
    beats = [at for at, sent in requests(late, 1)["Heartbeat"] if sent.source == "m1.0" and 10_000 <= at < 50_000]
    mean_ms = (beats[-1] - beats[0]) / (len(beats) - 1)
    assert mean_ms == pytest.approx(INTERVAL_MS + late, abs=0.05)


def test_no_message_waits_behind_a_late_heartbeat_however_long_a_group_is_stable() -> None:
    found = requests(5.0, 10)
    ways = {at - sent.sent_ms for api in ("Heartbeat", "JoinGroup") for at, sent in found[api]}
    assert ways == {1}
    last = max(at for at, _ in found["JoinGroup"])
    assert last - 10 * 60_000 < 2 * INTERVAL_MS


@given(st.lists(st.floats(0, 40), max_size=50))
def test_parts_of_a_millisecond_are_not_lost(lates: list[float]) -> None:
    timers = HeartbeatTimers()
    left = iter(lates)
    timers.late = lambda _: next(left)
    total = sum(timers.late_ms("m1.0", INTERVAL_MS) for _ in lates)
    assert sum(lates) - 1 - 1e-6 <= total <= sum(lates) + 1e-6
