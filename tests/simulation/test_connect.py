"""Simulated workers of Kafka Connect (KIP-415): what waits for a delay, what is revoked, what an eager one stops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label
from groupsim.coordinator.config import BadSetting
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.events.connect import delay_of
from groupsim.scenarios.dsl import WorkerTimes, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.connect_group import ConnectHandle
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.simulation.settings import Settings
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

Story = Callable[[World], Script]
CONNECTORS = {"orders": 6, "users": 3}
UNITS = 11
FROM_MS = 60_000


def played(story: Story, lasts: int = minutes(4), settings: Settings | None = None) -> list[Recorded]:
    store = MemoryStore()
    result = run(scenario(seed=1, lasts=lasts)(story), store, record="facts", settings=settings or {})
    assert result.failure is None, result.failure
    return list(store.read(result.info.id))


def happens(does: Callable[[ConnectHandle, World], Script], **settings: object) -> list[Recorded]:
    """Three workers that all run something; a minute after the start it happens. The first worker leads."""

    def story(world: World) -> Script:
        """A cluster of three."""
        cluster = world.connect("c", **settings)  # type: ignore[arg-type]
        cluster.join("w0")
        yield world.sleep(seconds(10))
        cluster.join("w1", "w2")
        yield cluster.stable(members=3, within=minutes(1))
        for connector, tasks in CONNECTORS.items():
            yield cluster.add_connector(connector, tasks)
        yield cluster.stable(members=3, within=minutes(1))
        yield world.sleep(FROM_MS - world.now)
        yield from does(cluster, world)
        yield cluster.stable(members=sum(member.running for member in cluster.members), within=minutes(2))
        yield world.sleep(seconds(5))

    return played(story)


def down(facts: list[Recorded]) -> list[Interval]:
    return [i for i in intervals(facts) if i.unavailable and i.from_ms >= FROM_MS]


def labelled(facts: list[Recorded], label: Label) -> list[Interval]:
    return [i for i in down(facts) if i.label == label]


def kills(worker: int) -> Callable[[ConnectHandle, World], Script]:
    def does(cluster: ConnectHandle, world: World) -> Script:
        cluster.members[worker].kill()
        yield world.sleep(seconds(20))

    return does


def test_what_a_killed_worker_had_waits_for_its_session_and_the_whole_delay() -> None:
    """Its four units: `session.timeout.ms` from its last heartbeat, until all hear of it, and the delay."""
    facts = happens(kills(1), delay=30_000)
    delayed = labelled(facts, Label.DELAYED)
    waited = {i.where: 0 for i in delayed}
    for i in delayed:
        waited[i.where] += i.duration_ms
    assert len(waited) == 4
    assert all(30_000 <= ms <= 30_200 for ms in waited.values())
    dead = labelled(facts, Label.OWNER_DEAD)
    assert len(dead) == 4
    assert all(7_000 <= i.duration_ms <= 10_100 for i in dead)


def test_a_worker_that_is_back_during_the_delay_gets_nothing_before_its_end() -> None:
    """IncrementalCooperativeAssignor.handleLostAssignments: it is a candidate, for when the delay is over."""

    def does(cluster: ConnectHandle, world: World) -> Script:
        yield cluster.members[1].restart(downtime=seconds(1))

    facts = happens(does, delay=30_000)
    (lost_ms,) = {i.from_ms for i in labelled(facts, Label.DELAYED) if i.cause and i.cause.startswith("close")}
    back = [f.at_ms for f in facts if isinstance(f.event, p.ViewChanged) and f.event.process == "w1.1"]
    assert 30_000 <= back[0] - lost_ms <= 30_300
    last = {f.event.process: f.event.partitions for f in facts if isinstance(f.event, p.ViewChanged)}
    assert len(last["w1.1"]) == 4


def test_nothing_waits_where_the_leader_was_lost() -> None:
    facts = happens(kills(0), delay=30_000)
    assert not labelled(facts, Label.DELAYED)
    assert max(i.to_ms for i in down(facts)) < FROM_MS + 14_000


def test_without_a_delay_others_get_what_was_lost_in_the_first_rebalance() -> None:
    facts = happens(kills(1), delay=0)
    assert not labelled(facts, Label.DELAYED)
    stored = [f.event for f in facts if isinstance(f.event, c.AssignmentStored) and f.at_ms > FROM_MS]
    assert all(delay_of(each) == 0 for each in stored)
    assert sum(map(len, (stored[0].assignment or {}).values())) == UNITS


def test_a_worker_that_comes_is_given_what_was_revoked_in_the_rebalance_before() -> None:
    """Two rebalances: in the first the others stop what is too much, and join again at once."""

    def does(cluster: ConnectHandle, world: World) -> Script:
        cluster.join("w3")
        yield world.sleep(seconds(5))

    facts = happens(does, delay=30_000)
    first, second = (f.event for f in facts if isinstance(f.event, c.AssignmentStored) and f.at_ms > FROM_MS)
    assert sum(map(len, (first.assignment or {}).values())) == UNITS - 2
    assert sum(map(len, (second.assignment or {}).values())) == UNITS
    moved = {i.where for i in down(facts)}
    assert len(moved) == 2
    assert all(sum(i.duration_ms for i in down(facts) if i.where == each) < 3_500 for each in moved)


def test_an_eager_cluster_stops_everything_in_each_rebalance_and_waits_for_no_delay() -> None:
    def does(cluster: ConnectHandle, world: World) -> Script:
        cluster.join("w3")
        yield world.sleep(seconds(5))

    facts = happens(does, delay=30_000, protocol="eager")
    assert len({i.where for i in down(facts)}) == UNITS
    assert max(i.duration_ms for i in down(facts)) < 1_000
    names = {f.event.protocol for f in facts if isinstance(f.event, c.AssignmentStored)}
    assert names == {"default"}


def test_a_worker_of_another_setting_makes_the_group_use_what_all_have() -> None:
    def story(world: World) -> Script:
        """An upgrade that has begun."""
        cluster = world.connect("c", CONNECTORS, protocol="compatible")
        cluster.join(2)
        yield cluster.stable(members=2, within=minutes(1))

    stored = [f.event for f in played(story) if isinstance(f.event, c.AssignmentStored)]
    assert {each.protocol for each in stored} == {"compatible"}
    assert {each.protocol_type for each in stored} == {"connect"}


def test_a_unit_works_once_its_connector_is_ready() -> None:
    facts = happens(kills(1), delay=0, times=WorkerTimes(ready_ms=7_000))
    assert all(7_000 <= i.duration_ms <= 7_200 for i in labelled(facts, Label.RESTORING))
    assert len(labelled(facts, Label.RESTORING)) == 4


def test_a_connector_is_a_unit_and_each_of_its_tasks_is_one() -> None:
    units = {(i.topic, i.partition) for i in intervals(happens(kills(1), delay=0))}
    tasks = {(connector, i) for connector, count in CONNECTORS.items() for i in range(count)}
    assert units == tasks | {(f"connector:{connector}", 0) for connector in CONNECTORS}


@pytest.mark.parametrize("delay", [7_000, "7000"])  # as text from the command line
def test_settings_of_the_run_win(delay: int | str) -> None:
    def story(world: World) -> Script:
        """A cluster with Connect's defaults."""
        world.connect("c", CONNECTORS).join(1)
        yield world.sleep(seconds(10))

    own: Settings = {
        "scheduled.rebalance.max.delay.ms": delay,
        "connect.protocol": "eager",
        "rebalance.timeout.ms": 9_000,
    }
    started = next(f.event for f in played(story, settings=own) if isinstance(f.event, p.ProcessStarted))
    assert started.config == {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 3_000, **own} | {
        "scheduled.rebalance.max.delay.ms": 7_000
    }


@pytest.mark.parametrize(
    ("does", "words"),
    [
        (lambda w: w.connect("c", {"orders": -1}), "number of tasks"),
        (lambda w: w.connect("c", protocol="lazy"), "sessioned, compatible, eager"),
        (lambda w: w.connect("c", {"orders": 1}).join(1, static=True), "never static"),
        (lambda w: (w.topic("orders", 3), w.connect("c", {"orders": 1})), "is a topic, or a connector"),
        (lambda w: w.connect("c", {"orders": 1}).add_connector("orders", 1), "exists already"),
    ],
)
def test_what_makes_no_cluster_is_refused(does: Callable[[World], object], words: str) -> None:
    def story(world: World) -> Script:
        """No cluster."""
        does(world)
        yield world.sleep(1)

    with pytest.raises(BadScenario, match=words):
        run(scenario(seed=1, lasts=10)(story), MemoryStore())


def test_a_setting_that_is_no_workers_is_refused() -> None:
    def story(world: World) -> Script:
        """A consumer's."""
        world.connect("c", {"orders": 1}, config={"max.poll.interval.ms": 1})
        yield world.sleep(1)

    with pytest.raises(BadSetting, match="no setting of a worker"):
        run(scenario(seed=1, lasts=10)(story), MemoryStore())
