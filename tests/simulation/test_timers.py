"""Alarms that move lazily ring exactly when naive ones would."""

from __future__ import annotations

import simpy
from hypothesis import given, settings
from hypothesis import strategies as st
from simpy.events import ProcessGenerator

from groupsim.simulation.timers import Timers


class _Bench:
    """A clock with alarms, and what rang when."""

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self.rang: list[tuple[int, str, object]] = []
        self.timers = Timers(self.env, lambda owner, command: self.rang.append((int(self.env.now), owner, command)))

    def until(self, at_ms: int) -> None:
        """Let time pass; what is due at `at_ms` itself rings."""
        self.env.run(until=at_ms + 1)


def test_an_alarm_rings_once_with_the_command_it_was_armed_with() -> None:
    bench = _Bench()
    bench.timers.arm("g", "join", 5, "go")
    bench.until(100)
    assert bench.rang == [(5, "g", "go")]


def test_arming_again_replaces_deadline_and_command_later_or_earlier() -> None:
    bench = _Bench()
    bench.timers.arm("g", "later", 5, "old")
    bench.timers.arm("g", "later", 50, "new")
    bench.timers.arm("g", "earlier", 50, "old")
    bench.timers.arm("g", "earlier", 5, "new")
    bench.until(100)
    assert bench.rang == [(5, "g", "new"), (50, "g", "new")]


def test_a_disarmed_alarm_is_silent_and_may_be_armed_again() -> None:
    bench = _Bench()
    bench.timers.arm("g", "a", 5, "one")
    bench.timers.disarm("g", "a")
    bench.timers.disarm("g", "never set")
    bench.timers.arm("g", "a", 7, "two")
    bench.until(100)
    assert bench.rang == [(7, "g", "two")]


def test_timers_are_dropped_by_what_they_would_bring_about() -> None:
    bench = _Bench()
    bench.timers.arm("g", "a", 5, 1)
    bench.timers.arm("g", "b", 6, 2)
    bench.timers.drop_unless("g", lambda command: command == 2)
    bench.until(100)
    assert bench.rang == [(6, "g", 2)]


def test_owners_do_not_know_of_each_other() -> None:
    bench = _Bench()
    bench.timers.arm("g", "a", 5, 1)
    bench.timers.arm("h", "a", 5, 2)
    bench.timers.drop_unless("g", lambda command: False)
    bench.until(100)
    assert bench.rang == [(5, "h", 2)]


def test_an_alarm_may_arm_itself_again_while_it_rings() -> None:
    env = simpy.Environment()
    rang: list[int] = []

    def ring(owner: str, command: object) -> None:
        rang.append(int(env.now))
        timers.arm(owner, "again", 10, command)

    timers = Timers(env, ring)
    timers.arm("g", "again", 10, None)
    env.run(until=45)
    assert rang == [10, 20, 30, 40]


def test_an_alarm_that_only_moves_forward_keeps_one_event_outstanding() -> None:
    bench = _Bench()

    def beats() -> ProcessGenerator:
        for _ in range(1_000):
            bench.timers.arm("g", "session", 45_000, "expired")
            yield bench.env.timeout(3_000)

    bench.env.process(beats())
    bench.env.run(until=2_000_000)
    assert len(bench.env._queue) <= 3
    bench.until(4_000_000)
    assert bench.rang == [(999 * 3_000 + 45_000, "g", "expired")]


STEPS = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.sampled_from(["arm", "arm", "arm", "disarm", "forget"]),
        st.sampled_from(["g", "h"]),
        st.sampled_from(["a", "b"]),
        st.integers(0, 40),
    ),
    max_size=30,
)


@settings(deadline=None)  # a busy machine is no defect
@given(STEPS)
def test_they_ring_like_a_naive_list_of_deadlines(steps: list[tuple[int, str, str, str, int]]) -> None:
    bench = _Bench()
    naive: dict[tuple[str, str], tuple[int, int]] = {}
    expected: list[tuple[int, str, object]] = []
    now = 0

    def pass_time(until: int) -> None:
        for name in [n for n, (deadline, _) in naive.items() if deadline <= until]:
            deadline, number = naive.pop(name)
            expected.append((deadline, name[0], number))

    for number, (gap, action, owner, key, after) in enumerate(steps):
        now += gap
        bench.until(now)
        pass_time(now)
        match action:
            case "arm":
                bench.timers.arm(owner, key, after + 1, number)
                naive[owner, key] = (now + 1 + after + 1, number)
            case "disarm":
                bench.timers.disarm(owner, key)
                naive.pop((owner, key), None)
            case _:
                bench.timers.drop_unless(owner, lambda command: False)
                naive = {name: kept for name, kept in naive.items() if name[0] != owner}
        now += 1
    bench.until(now + 1_000)
    pass_time(now + 1_000)
    assert sorted(bench.rang, key=repr) == sorted(expected, key=repr)
    assert [at for at, _, _ in bench.rang] == sorted(at for at, _, _ in expected)
