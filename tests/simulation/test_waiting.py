"""Where threads wait, and how seldom Python's collector looks meanwhile."""

from __future__ import annotations

import gc

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from groupsim.scenarios.catalogue import find
from groupsim.simulation.clients.process import Script, Waiter
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from groupsim.storage.rare_collections import rare_collections


def _woken(first_ms: int | None, notices: list[int]) -> list[int]:
    """When a thread that waits until `first_ms`, and then for notices alone, wakes; `notices` are given at these ms."""
    env = simpy.Environment()
    waiter, woken = Waiter(env), list[int]()

    def thread() -> Script:
        until = first_ms
        while True:
            yield waiter.wait(until)
            woken.append(int(env.now))
            until = None

    def others() -> Script:
        for at_ms in notices:
            yield env.timeout(at_ms - int(env.now))
            waiter.notify()

    env.process(thread())
    env.process(others())
    env.run(until=1_000)
    return woken


def test_a_notice_wakes_at_once_and_the_time_waited_for_is_forgotten() -> None:
    assert _woken(10, []) == [10]
    assert _woken(10, [5]) == [5]
    assert _woken(10, [5, 20]) == [5, 20]
    assert _woken(None, [7]) == [7]


@pytest.mark.parametrize(("until_ms", "asked_ms", "woken_ms"), [(30, 20, 5), (30, 30, 30), (30, 40, 30), (None, 40, 5)])
def test_a_thread_is_woken_only_if_it_would_look_too_late(until_ms: int | None, asked_ms: int, woken_ms: int) -> None:
    env = simpy.Environment()
    waiter, woken = Waiter(env), list[int]()

    def thread() -> Script:
        yield waiter.wait(until_ms)
        woken.append(int(env.now))

    env.process(thread())
    env.timeout(5).callbacks.append(lambda _: waiter.hasten(asked_ms))
    env.run(until=100)
    assert woken == [woken_ms]


@given(first_ms=st.none() | st.integers(1, 60), notices=st.lists(st.integers(0, 60), max_size=12, unique=True))
def test_a_thread_wakes_once_for_its_time_or_the_first_notice_and_then_for_each(
    first_ms: int | None, notices: list[int]
) -> None:
    notices = sorted(set(notices) - {first_ms})
    expected = sorted([*notices, first_ms]) if first_ms is not None else notices
    if first_ms is not None and notices and notices[0] < first_ms:
        expected = notices
    assert _woken(first_ms, notices) == expected


def test_the_collector_looks_seldom_during_a_run_and_as_before_after_it() -> None:
    before = gc.get_threshold()
    seen = []
    run(find("steady_state"), MemoryStore(), record="facts", progress=lambda _: seen.append(gc.get_threshold()[0]))
    assert min(seen) > before[0]
    assert gc.get_threshold() == before
    with pytest.raises(KeyError), rare_collections():
        raise KeyError
    assert gc.get_threshold() == before
