"""Which partitions are held: by listeners of running processes, in recorded and in simulated runs alike."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.without_holder import unheld
from groupsim.events import client as p
from groupsim.events.types import TopicPartition
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.analysis.log import GROUP, Log, tps


def callback(log: Log, at_ms: int, until_ms: int, process: str, kind: str, *numbers: int) -> Log:
    log.client(at_ms, p.CallbackStart(process=process, kind=kind, partitions=tps(*numbers)))
    return log.client(until_ms, p.CallbackEnd(process=process, kind=kind))


def work(log: Log, at_ms: int, process: str, process_ms: int) -> Log:
    return log.client(at_ms, p.PollEnd(process=process, records=1, process_ms=process_ms))


def test_who_is_stuck_in_a_batch_holds_but_does_not_poll() -> None:
    log = callback(Log(2), 0, 100, "a.0", "assigned", 0)
    callback(log, 0, 200, "b.0", "assigned", 1)
    work(log, 1_000, "a.0", 5_000)  # no longer than usual
    work(log, 7_000, "a.0", 6_000)
    work(log, 8_000, "b.0", 9_000)
    log.client(12_000, p.Crashed(process="b.0"))
    found = unheld(log.facts, GROUP, 20_000)
    assert found.gaps == {tps(0)[0]: [(0, 100)], tps(1)[0]: [(0, 200), (12_000, 20_000)]}
    assert found.unpolled_ms(0, 20_000) == 6_000 + 4_000
    assert found.unpolled_ms(0, 8_500) == 1_500 + 500
    assert unheld(log.facts, GROUP, 20_000, stuck_ms=8_000).unpolled_ms(0, 20_000) == 4_000
    assert unheld(log.facts, GROUP, 9_000).unpolled_ms(0, 9_000) == 2_000 + 1_000  # it still works at the end


def test_a_partition_that_somebody_else_holds_and_polls_counts_as_polled() -> None:
    log = callback(Log(1), 0, 0, "a.0", "assigned", 0)
    work(log, 1_000, "a.0", 20_000)
    callback(log, 11_000, 11_000, "b.0", "assigned", 0)
    callback(log, 21_000, 21_000, "a.0", "lost", 0)
    found = unheld(log.facts, GROUP, 30_000)
    assert found.gaps == {tps(0)[0]: []}
    assert found.unpolled_ms(0, 30_000) == 10_000


def test_time_in_which_a_stuck_process_is_frozen_is_not_held_and_nothing_else() -> None:
    log = callback(Log(1), 0, 0, "a.0", "assigned", 0)
    work(log, 1_000, "a.0", 10_000)
    log.client(3_000, p.Frozen(process="a.0")).client(5_000, p.Thawed(process="a.0"))
    found = unheld(log.facts, GROUP, 20_000)
    assert found.gaps == {tps(0)[0]: [(3_000, 5_000)]}
    assert found.unpolled_ms(0, 20_000) == 8_000


def test_a_partition_is_held_from_the_end_of_assigned_to_the_begin_of_revoked() -> None:
    log = callback(Log(1), 100, 150, "a.0", "assigned", 0)
    callback(log, 700, 900, "a.0", "revoked", 0)
    found = unheld(log.facts, GROUP, 1_000)
    assert found.gaps == {tps(0)[0]: [(0, 150), (700, 1_000)]}
    assert found.first_worked_ms == 150
    assert found.within(150, 1_000) == {tps(0)[0]: 300}
    assert found.survivors


def test_a_frozen_process_holds_nothing_and_a_dead_one_neither() -> None:
    log = callback(Log(2), 100, 100, "a.0", "assigned", 0)
    callback(log, 100, 200, "b.0", "assigned", 1)
    log.client(300, p.Frozen(process="a.0")).client(400, p.Thawed(process="a.0")).client(500, p.Crashed(process="b.0"))
    found = unheld(log.facts, GROUP, 600)
    assert found.gaps == {tps(0)[0]: [(0, 100), (300, 400)], tps(1)[0]: [(0, 200), (500, 600)]}
    assert found.most_at_once(200, 600) == 1
    assert found.settled_ms(350) == 400
    assert found.settled_ms(550) == 600


def test_a_zombie_holds_what_it_has_and_two_holders_are_seen() -> None:
    log = callback(Log(1), 0, 10, "a.0", "assigned", 0)
    callback(log, 500, 510, "b.0", "assigned", 0)
    callback(log, 800, 800, "a.0", "lost", 0)
    found = unheld(log.facts, GROUP, 1_000)
    assert found.gaps == {tps(0)[0]: [(0, 10)]}
    assert found.doubles


def test_a_process_whose_log_has_no_callbacks_holds_its_view() -> None:
    log = Log(2, source="a.log:1")
    log.client(100, p.ViewChanged(process="a.0", partitions=tps(0, 1)))
    log.client(400, p.ViewChanged(process="a.0", partitions=tps(1)))
    log.client(900, p.Closed(process="a.0"))
    found = unheld(log.facts, GROUP, 900)
    assert {tp.partition: sum(e - b for b, e in spans) for tp, spans in found.gaps.items() if spans}.keys() <= {0}


def test_partitions_that_come_later_count_from_then_on() -> None:
    log = callback(Log(2), 0, 10, "a.0", "assigned", 0)
    found = unheld(log.facts, GROUP, 1_000, {tps(1)[0]: 600})
    assert found.first_worked_ms == 10
    assert found.within(10, 1_000) == {tps(0)[0]: 0, tps(1)[0]: 400}


@given(st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 300)), max_size=12), st.integers(1, 1_000))
def test_a_window_in_two_parts_adds_up(callbacks: list[tuple[int, int]], cut: int) -> None:
    log = Log(2)
    at = 0
    for number, (gap, lasts) in enumerate(callbacks):
        callback(log, at + gap, at + gap + lasts, "a.0", "revoked" if number % 2 else "assigned", number // 2 % 2)
        at += gap + lasts
    found = unheld(log.facts, GROUP, at + 1_000)
    cut = min(cut, found.end_ms)
    parts, whole = defaultdict[TopicPartition, int](int), found.within(0, found.end_ms)
    for part in (found.within(0, cut), found.within(cut, found.end_ms)):
        for tp, ms in part.items():
            parts[tp] += ms
    assert parts == whole


def test_what_is_not_held_in_a_simulation_is_never_available_by_its_label() -> None:
    store = MemoryStore()
    result = run(catalogue.find("rolling_restart"), store, seed=3, record="facts")
    facts = list(store.read(result.info.id))
    end_ms = facts[-1].at_ms
    labels = defaultdict[TopicPartition, list[tuple[int, int]]](list)
    for i in intervals(facts, end_ms):
        if i.available:
            labels[TopicPartition(i.topic, i.partition)].append((i.from_ms, i.to_ms))
    (group,) = {fact.stream.removeprefix("group:") for fact in facts if fact.stream.startswith("group:")}
    found = unheld(facts, group, end_ms)
    assert sum(found.within(0, end_ms).values()) > 0
    for tp, gaps in found.gaps.items():
        for begin, end in gaps:
            assert not any(max(begin, a) < min(end, b) for a, b in labels[tp])
