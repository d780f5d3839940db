"""A thread that is told to wait until another time wakes when one that was woken to hear of it would."""

from __future__ import annotations

import gc

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from scenarios.catalogue import find
from simulation.clients.process import Script, Waiter
from simulation.garbage import rare_collections
from simulation.run import run
from storage.memory import MemoryStore


def _woken(first_ms: int | None, said: list[tuple[int, str, int]]) -> list[int]:
    """When a thread that waits until `first_ms`, again and again, wakes; `said` is what others do, and when."""
    env = simpy.Environment()
    waiter, woken = Waiter(env), list[int]()

    def thread() -> Script:
        until = first_ms
        while True:
            yield waiter.wait(until)
            woken.append(int(env.now))
            until = None

    def others() -> Script:
        for at_ms, what, in_ms in said:
            yield env.timeout(at_ms - int(env.now))
            if what == "move" and waiter.waiting:
                waiter.move(int(env.now) + in_ms)
            elif what == "notify":
                waiter.notify()

    env.process(thread())
    env.process(others())
    env.run(until=1_000)
    return woken


def test_a_waiter_moved_later_or_earlier_wakes_then_and_once() -> None:
    assert _woken(10, []) == [10]
    assert _woken(10, [(5, "move", 45)]) == [50]
    assert _woken(50, [(5, "move", 5)]) == [10]
    assert _woken(50, [(5, "move", 95), (7, "move", 3), (8, "move", 42)]) == [50]


def test_a_waiter_without_a_time_gets_one_by_being_moved() -> None:
    assert _woken(None, [(5, "move", 5)]) == [10]


def test_a_notice_wakes_at_once_and_what_was_waited_for_is_forgotten() -> None:
    assert _woken(10, [(5, "move", 45), (6, "notify", 0)]) == [6]
    assert _woken(10, [(5, "notify", 0), (6, "move", 14)]) == [5, 20]


_SAID = st.lists(st.tuples(st.integers(0, 60), st.sampled_from(["move", "notify"]), st.integers(1, 30)), max_size=12)


@given(first_ms=st.none() | st.integers(1, 60), said=_SAID)
def test_only_the_last_time_told_counts(first_ms: int | None, said: list[tuple[int, str, int]]) -> None:
    said = sorted(said, key=lambda each: each[0])
    expected, waits_until = [], first_ms
    for at_ms, what, in_ms in said:
        if waits_until is not None and waits_until < at_ms:
            expected.append(waits_until)
            waits_until = None
        if waits_until == at_ms:  # which of two comes first at one instant is the clock's affair
            return
        if what == "move":
            waits_until = at_ms + in_ms
        elif what == "notify":
            expected.append(at_ms)
            waits_until = None
    assert _woken(first_ms, said) == expected + ([waits_until] if waits_until is not None else [])


def test_the_collector_looks_seldom_during_a_run_and_as_before_after_it() -> None:
    before = gc.get_threshold()
    seen = []
    run(find("steady_state"), MemoryStore(), record="facts", progress=lambda _: seen.append(gc.get_threshold()[0]))
    assert min(seen) > before[0]
    assert gc.get_threshold() == before
    with pytest.raises(KeyError), rare_collections():
        raise KeyError
    assert gc.get_threshold() == before
