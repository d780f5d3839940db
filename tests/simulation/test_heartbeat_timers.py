"""Late heartbeat timers: phases move with the time since a rebalance, messages take no longer."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.events.client import PollEnd
from groupsim.events.network import MessageDelivered
from groupsim.simulation.clients.config import Application
from groupsim.simulation.clients.process import Script
from groupsim.simulation.heartbeat_timers import HeartbeatTimers
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.simulation.beats import sent

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


class Worked(NamedTuple):
    """When each heartbeat of a member that works was sent, and when each of its batches began (ms)."""

    beats: list[int]
    batches: list[int]


def at_work(process_ms: int, rate: float, nap_late: float = 0.0) -> Worked:
    """A member on its own, on records that come at this rate (per s), for a minute."""

    def script(world: World) -> Script:
        world.host("ideal")
        world.heartbeat_timers.nap_late = lambda _: nap_late
        group = world.group("g", assignor="range", config={"heartbeat.interval.ms": 1_000})
        group.join("m1", topics=[world.topic("orders", 1, rate=rate)], application=Application(process_ms=process_ms))
        yield world.sleep(60_000)

    store = MemoryStore()
    result = run(Scenario(name="works", story=script, seed=1, lasts_ms=60_000), store)
    read = list(store.read(result.info.id))
    batches = [fact.at_ms for fact in read if isinstance(fact.event, PollEnd) and fact.event.process_ms]
    return Worked(sent(read)["m1.0"], batches)


@pytest.mark.parametrize("process_ms", [70, 230, 650])
@pytest.mark.parametrize("nap_late", [0.0, 0.37])
def test_a_member_that_always_works_is_late_by_its_naps_however_long_a_batch_takes(
    process_ms: int, nap_late: float
) -> None:
    beats = at_work(process_ms, 100, nap_late).beats[5:]
    intervals = [b - a for a, b in pairwise(beats)]
    assert max(intervals) <= 1_000 + 10 * nap_late + 1
    assert len(beats) > 50


def test_a_nap_that_is_over_while_poll_waits_for_records_ends_with_that_wait() -> None:
    worked = at_work(3_000, 1 / 7)  # a batch takes 3 s; then poll() waits for 4 s
    during = [[beat - began for beat in worked.beats if began < beat < began + 3_000] for began in worked.batches[2:-1]]
    assert len(during) >= 5
    for first, *_ in during:
        assert first % 100 == 0, "the first looks are counted from the beginning of the work"
