"""Instances of Kafka Streams in a simulated streams group: tasks, what they read, and when their state is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.events import streams as s
from groupsim.events.base import Recorded
from groupsim.events.tasks_as_partitions import as_partitions
from groupsim.events.types import TopicPartition
from groupsim.scenarios.dsl import Part, Store, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

Story = Callable[[World], Script]
START_MS = 30_000
RUNS_MS = 220
"""From an assignment to a task that runs, where nothing is restored: a store is opened, two polls wait in vain."""


def played(story: Story, lasts: int = minutes(2)) -> list[Recorded]:
    store = MemoryStore()
    result = run(scenario(seed=1, lasts=lasts)(story), store, record="facts")
    assert result.failure is None, result.failure
    return list(store.read(result.info.id))


def restoring_ms(facts: list[Recorded], since: int = START_MS) -> int:
    return sum(i.duration_ms for i in intervals(facts) if i.label is Label.RESTORING and i.from_ms >= since)


def restarted(persistent: bool, *, static: bool = False, kills: bool = False, standbys: int = 0) -> list[Recorded]:
    """One instance of two is away for 12 s, long enough for its tasks to move if they do."""

    def story(world: World) -> Script:
        """A restart."""
        world.configure_broker({"group.streams.initial.rebalance.delay.ms": 0})
        orders = world.topic("orders", 4)
        store = Store(200_000, restore=100_000, persistent=persistent)
        app = world.streams("app", Part((orders,), store), group_config={"streams.num.standby.replicas": standbys})
        app.join(2, static=static)
        yield world.sleep(START_MS)
        if kills:
            app.members[0].kill()
            yield world.sleep(seconds(12))
            yield app.members[0].start()
        else:
            yield app.members[0].restart(downtime=seconds(12))
        yield app.stable(members=2, within=minutes(1))

    return played(story)


def test_a_disk_that_outlives_the_process_saves_what_would_be_restored_when_tasks_come_back() -> None:
    lost, found = restoring_ms(restarted(persistent=False)), restoring_ms(restarted(persistent=True))
    assert found > 2 * 2_000  # the other instance has never had these two tasks
    assert lost > found + 2 * 1_500  # nor has the first one any more, without its disk


@pytest.mark.parametrize("persistent", [True, False])
def test_a_task_runs_at_once_where_its_standby_was(persistent: bool) -> None:
    """And comes back at once where its state was on a disk: without one it is restored, for there is no warm-up."""
    cost = restoring_ms(restarted(persistent, standbys=1))
    opened = 4 * 2 * RUNS_MS
    assert cost < opened if persistent else 2 * 2_000 < cost < 2 * 4_500 + opened
    assert cost < restoring_ms(restarted(persistent)) - 2 * 1_500


def test_tasks_of_a_static_member_wait_for_it_and_its_state_is_there() -> None:
    facts = restarted(persistent=True, static=True)
    assert not [fact for fact in facts if isinstance(fact.event, s.StreamsMemberRemoved)]
    assert restoring_ms(facts) < 4 * 2 * RUNS_MS
    away = [i for i in intervals(facts) if i.label is Label.OWNER_DEAD]
    assert len(away) == 2
    assert all(seconds(12) <= i.duration_ms < seconds(14) for i in away)


def test_an_instance_that_dies_is_waited_for_until_its_session_expires() -> None:
    facts = restarted(persistent=True, kills=True)
    ((at_ms, cause),) = [(f.at_ms, f.event.cause) for f in facts if isinstance(f.event, s.StreamsMemberRemoved)]
    assert cause is c.LossCause.SESSION_EXPIRED
    assert START_MS + 40_000 <= at_ms <= START_MS + 50_000


def test_a_changelog_grows_by_what_its_task_has_processed() -> None:
    """A second instance joins after 30 s of 10 records a second, or after 60 s; 3,000 more were there at the start."""

    def joined(after_ms: int, backlog: int = 0) -> int:
        def story(world: World) -> Script:
            """Scale out."""
            orders = world.topic("orders", 2, backlog=backlog)
            app = world.streams("app", Part((orders,), Store(0, restore=100.0)))
            app.join("a")
            app.join("b", after=after_ms)
            yield world.sleep(after_ms + seconds(50))

        return restoring_ms(played(story), after_ms)

    assert abs(joined(60_000) - joined(30_000) - 3_000) < 300
    assert abs(joined(30_000, 3_000) - joined(30_000) - 30_000) < 300


def test_after_a_crash_what_was_processed_since_the_task_began_to_run_is_restored_again() -> None:
    """Where the instance was closed, its state is complete; where it was killed, 30 s of it are missing."""

    def back(kills: bool) -> int:
        def story(world: World) -> Script:
            """A restart."""
            app = world.streams("app", Part((world.topic("orders", 4),), Store(0, restore=100.0)))
            (only,) = app.join(1)
            yield world.sleep(START_MS)
            if kills:
                only.kill()
            else:
                yield only.close()
            yield world.sleep(seconds(50))
            yield only.start()
            yield app.stable(members=1, within=minutes(1))

        return restoring_ms(played(story))

    assert back(kills=True) > back(kills=False) + 2 * 2_000


def test_a_task_reads_the_same_partition_of_each_topic_of_its_subtopology() -> None:
    def story(world: World) -> Script:
        """Two subtopologies: a join of two topics with a store, and one topic without."""
        clicks, users, other = world.topic("clicks", 4), world.topic("users", 4), world.topic("other", 2)
        app = world.streams("app", Part((clicks, users), Store(10_000)), Part((other,)))
        app.join(2)
        yield app.stable(members=2, within=minutes(1))
        yield world.sleep(seconds(5))

    facts = played(story)
    last = {fact.event.process: fact.event.partitions for fact in facts if isinstance(fact.event, p.ViewChanged)}
    assert sorted(tp for held in last.values() for tp in held) == sorted(
        [TopicPartition(topic, i) for topic in ("clicks", "users") for i in range(4)]
        + [TopicPartition("other", i) for i in range(2)]
    )
    for held in last.values():
        assert {i for topic, i in held if topic == "clicks"} == {i for topic, i in held if topic == "users"}
    ends = [fact.event.partitions for fact in facts if isinstance(fact.event, p.RestoreEnd)]
    assert sorted(ends) == [(TopicPartition("clicks", i), TopicPartition("users", i)) for i in range(4)]


def test_facts_of_a_streams_group_are_read_as_those_of_a_consumer_group() -> None:
    facts = restarted(persistent=True)
    read = list(as_partitions(facts))
    assert not [fact for fact in read if type(fact.event) is s.StreamsMemberReconciled]
    targets = [fact.event for fact in read if isinstance(fact.event, c.TargetComputed)]
    assert targets
    assert {tp.topic for target in targets for given in target.changed.values() for tp in given} == {"orders"}
    members = [fact.event for fact in read if isinstance(fact.event, c.ConsumerMemberUpdated)]
    assert members[-1].topics == ("orders",)
    bumps = [fact.event.cause for fact in read if isinstance(fact.event, c.GroupEpochBumped)]
    assert bumps[0] is c.BumpCause.SUBSCRIPTION_CHANGED


def test_what_makes_no_application_is_refused() -> None:
    def nothing(world: World) -> Script:
        """No part."""
        world.streams("app")
        yield world.sleep(1)

    with pytest.raises(BadScenario, match="needs a Part"):
        run(scenario(seed=1, lasts=10)(nothing), MemoryStore())
    with pytest.raises(BadScenario, match="changelog"):
        Store(-1)

    def reads_more(world: World) -> Script:
        """A topic that is in no part."""
        orders, other = world.topic("orders", 1), world.topic("other", 1)
        world.streams("app", Part((orders,))).join(1, topics=[other])
        yield world.sleep(1)

    with pytest.raises(BadScenario, match="topics of their parts"):
        run(scenario(seed=1, lasts=10)(reads_more), MemoryStore())

    def by_name(world: World) -> Script:
        """The protocol of a consumer group."""
        world.group("g", protocol="streams")
        yield world.sleep(1)

    with pytest.raises(BadScenario, match=r"world\.streams"):
        run(scenario(seed=1, lasts=10)(by_name), MemoryStore())
