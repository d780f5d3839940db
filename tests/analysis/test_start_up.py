"""When a group's start-up ends, and that what comes later has its own cause and is no start-up."""

from __future__ import annotations

from typing import Any

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.intervals import Interval, intervals
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.availability.start_up import after_start, first_worked
from groupsim.analysis.tables.measures import measured
from groupsim.analysis.tables.summary import summarise, summarise_simulated
from groupsim.scenarios.dsl import minutes, scenario
from groupsim.simulation.run import run
from groupsim.storage import open_store


@scenario(seed=1, lasts=minutes(3))
def growth(world: Any) -> Any:
    """A member that works alone learns after a minute that its topic has grown."""
    topic = world.topic("t", partitions=2)
    group = world.group("g", config={"metadata.max.age.ms": 60_000})
    group.join("a", topics=[topic])
    yield group.stable(members=1)
    yield world.sleep(70_000)
    world.add_partitions(topic, 5)


def test_growth_of_a_topic_is_no_start_up() -> None:
    store = open_store(":memory:")
    facts = list(store.read(run(growth, store).info.id))
    found = intervals(facts)
    start_ms = first_worked(found)["g"]
    assert start_ms is not None
    assert 3_000 < start_ms < 4_000
    late = [i for i in found if i.unavailable and i.from_ms > start_ms]
    assert sum(i.duration_ms for i in late) > 100_000
    assert {i.cause for i in late} == {"topics-changed", "leader-rejoined"}
    for numbers in (summarise(facts), summarise_simulated(lambda _: facts).numbers):
        assert 2 * 3_000 < numbers["unavailable"]["starting_ms"] < 2 * 4_000
        assert numbers["unavailable"]["after_start_ms"] == sum(i.duration_ms for i in late)
    assert measured(facts)["after_start_ms"] == sum(i.duration_ms for i in late)


def _of(partition: int, label: Label, from_ms: int, to_ms: int, cause: str | None = None) -> Interval:
    return Interval("g", "t", partition, label, None, None, cause, from_ms, to_ms)


def test_start_up_ends_when_each_first_partition_was_available_once() -> None:
    found = [
        _of(0, Label.UNOWNED, 0, 10, START),
        _of(0, Label.OK, 10, 90),
        _of(1, Label.UNOWNED, 0, 20, "member-joined"),
        _of(1, Label.OK, 20, 30),
        _of(1, Label.WITHHELD, 30, 90, "member-left"),
        _of(2, Label.UNOWNED, 50, 90, "topics-changed"),
    ]
    assert first_worked(found) == {"g": 20}
    assert [(i.partition, i.from_ms) for i in after_start(found, first_worked(found))] == [
        (0, 20),
        (1, 20),
        (1, 30),
        (2, 50),
    ]


def test_of_a_group_that_never_worked_only_its_start_is_start_up() -> None:
    found = [_of(0, Label.UNOWNED, 0, 10, START), _of(0, Label.WITHHELD, 10, 90, "member-joined")]
    assert first_worked(found) == {"g": None}
    assert list(after_start(found, first_worked(found))) == found[1:]
    assert summarise([], found)["unavailable"]["starting_ms"] == 10


def test_a_partition_whose_owner_died_has_come_as_far_as_one_that_was_served() -> None:
    found = [
        _of(0, Label.UNOWNED, 0, 10, START),
        _of(0, Label.OK, 10, 90),
        _of(1, Label.UNOWNED, 0, 10, START),
        _of(1, Label.OWNER_DEAD, 10, 40, "session-expired"),
        _of(1, Label.OK, 40, 90),
    ]
    assert first_worked(found) == {"g": 10}
    assert [(i.partition, i.from_ms) for i in after_start(found, first_worked(found))] == [(0, 10), (1, 10), (1, 40)]


@scenario(seed=1, lasts=minutes(2))
def killed_at_once(world: Any) -> Any:
    """A member is killed as soon as the group is stable."""
    group = world.group("g")
    _, bob = group.join("alice", "bob", topics=[world.topic("t", partitions=6)])
    yield group.stable(members=2)
    bob.kill()


def test_a_member_killed_as_soon_as_the_group_is_stable_is_not_counted_as_start_up() -> None:
    store = open_store(":memory:")
    facts = list(store.read(run(killed_at_once, store, settings={"session.timeout.ms": 30_000}).info.id))
    dead = sum(i.duration_ms for i in intervals(facts) if i.label == Label.OWNER_DEAD)
    assert dead > 3 * 26_000
    for numbers in (summarise(facts), summarise_simulated(lambda _: facts).numbers):
        assert numbers["unavailable"]["after_start_ms"] >= dead
