"""Instances of Kafka Streams in a simulated classic group: what waits, what restores, what is warmed up."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.coordinator.config import BadSetting
from groupsim.events import classic
from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.scenarios.dsl import Part, Store, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.run import run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

Story = Callable[[World], Script]
CLASSIC = {"group.protocol": "classic"}
START_MS = 30_000
SESSION_MS = 45_000


def played(story: Story, lasts: int = minutes(4)) -> list[Recorded]:
    store = MemoryStore()
    result = run(scenario(seed=1, lasts=lasts)(story), store, record="facts")
    assert result.failure is None, result.failure
    return list(store.read(result.info.id))


def down(facts: list[Recorded], label: Label, since: int = START_MS) -> list[int]:
    """The ms of each interval with this label."""
    return [i.duration_ms for i in intervals(facts) if i.label is label and i.from_ms >= since]


def restarted(
    store: Store, *, static: bool = False, config: dict[str, object] | None = None, kills: bool = False
) -> list[Recorded]:
    """One instance of two is away for 5 s."""

    def story(world: World) -> Script:
        """A restart."""
        orders = world.topic("orders", 4)
        app = world.streams("app", Part((orders,), store), config={**CLASSIC, **(config or {})})  # type: ignore[dict-item]
        app.join(2, static=static)
        yield world.sleep(START_MS)
        if kills:
            app.members[0].kill()
            yield world.sleep(seconds(5))
            yield app.members[0].start()
        else:
            yield app.members[0].restart(downtime=seconds(5))
        yield app.stable(members=2, within=minutes(2))
        yield world.sleep(seconds(5))

    return played(story)


def test_what_closes_does_not_leave_so_its_tasks_wait_for_its_session() -> None:
    facts = restarted(Store(200_000))
    assert not [fact for fact in facts if isinstance(fact.event, p.LeaveSent)]
    (removed,) = [fact for fact in facts if isinstance(fact.event, classic.MemberRemoved)]
    assert removed.event.cause == classic.RemovalCause.SESSION_EXPIRED  # type: ignore[attr-defined]
    away = down(facts, Label.OWNER_DEAD)
    assert len(away) == 2
    assert all(SESSION_MS - 200 <= ms < SESSION_MS + 500 for ms in away), away


def test_it_leaves_where_its_settings_say_so() -> None:
    facts = restarted(Store(200_000), config={"internal.leave.group.on.close": True})
    assert [fact for fact in facts if isinstance(fact.event, p.LeaveSent)]
    assert not down(facts, Label.OWNER_DEAD)


def test_a_static_member_is_back_before_its_session_ends_and_nobody_rebalances() -> None:
    facts = restarted(Store(200_000), static=True)
    assert not [f for f in facts if isinstance(f.event, classic.RebalanceStarted) and f.at_ms >= START_MS]
    assert all(seconds(5) <= ms < seconds(6) for ms in down(facts, Label.OWNER_DEAD))


def test_state_on_a_disk_is_not_restored_again() -> None:
    found, lost = (restarted(Store(200_000, restore=100_000, persistent=kept)) for kept in (True, False))
    assert sum(down(found, Label.RESTORING)) < 2 * 1_000
    assert sum(down(lost, Label.RESTORING)) > 2 * 2_000


def test_after_a_crash_what_came_since_the_last_checkpoint_is_restored_again() -> None:
    """Its checkpoint is from when the tasks began to run: 30 s, 10 records a second."""
    closed, killed = (restarted(Store(0, restore=100), kills=kills) for kills in (False, True))
    assert sum(down(killed, Label.RESTORING)) > sum(down(closed, Label.RESTORING)) + 2 * 2_000


def joined(config: dict[str, object], changelog: int = 100_000, lasts: int = minutes(8)) -> list[Recorded]:
    """A second instance joins the first."""

    def story(world: World) -> Script:
        """Scale out."""
        orders = world.topic("orders", 4)
        part = Part((orders,), Store(changelog, restore=20_000))
        app = world.streams("app", part, config={**CLASSIC, **config})  # type: ignore[dict-item]
        app.join("a")
        app.join("b", after=START_MS)
        yield app.stable(members=1)

    return played(story, lasts)


def assignments(facts: list[Recorded]) -> list[tuple[int, tuple[int, ...], tuple[str, ...]]]:
    """Since the second one joined: when, how many partitions each has, which standbys."""
    return [
        (
            fact.at_ms,
            tuple(len(got) for _, got in sorted((fact.event.assignment or {}).items())),
            tuple(sorted(t for data in fact.event.user_data.values() for t in json.loads(data).get("standby", []))),
        )
        for fact in facts
        if isinstance(fact.event, classic.AssignmentStored) and fact.at_ms >= START_MS
    ]


def test_a_task_moves_when_it_is_warm_and_a_probing_rebalance_finds_out() -> None:
    facts = joined({"probing.rebalance.interval.ms": 120_000})
    (at_ms, held, warm), *later = assignments(facts)
    assert (held, len(warm)) == ((4, 0), 2)
    assert later[0][0] - at_ms >= 120_000
    assert later[-1][1:] == ((2, 2), ())
    reasons = [f.event.reason for f in facts if isinstance(f.event, p.RejoinRequested) and f.at_ms > START_MS + 100_000]
    assert any(reason.startswith("triggered followup rebalance scheduled for") for reason in reasons)
    assert sum(down(facts, Label.RESTORING)) < 2 * 1_000  # only opened: what was missing came before


def test_only_so_many_warm_up_at_once() -> None:
    facts = joined({"probing.rebalance.interval.ms": 60_000, "max.warmup.replicas": 1})
    assert len(assignments(facts)[0][2]) == 1
    assert assignments(facts)[-1][1] == (2, 2)


def test_what_lags_acceptably_moves_at_once_and_is_restored() -> None:
    facts = joined({"acceptable.recovery.lag": 200_000})
    given = [held for _, held, _ in assignments(facts)]
    assert given[-1] == (2, 2)
    assert sum(down(facts, Label.RESTORING)) > 5_000 + 10_000  # 100,000 records each, one after the other


@pytest.mark.parametrize("standbys", [0, 1])
def test_a_task_runs_at_once_where_its_standby_was(standbys: int) -> None:
    def story(world: World) -> Script:
        """One of two dies for good."""
        orders = world.topic("orders", 4)
        part = Part((orders,), Store(200_000, restore=20_000))
        app = world.streams("app", part, config={**CLASSIC, "num.standby.replicas": standbys})
        first, _ = app.join(2)
        yield world.sleep(minutes(2))
        first.kill()

    restoring = sum(down(played(story), Label.RESTORING, minutes(2)))
    assert restoring < 2 * 1_000 if standbys else restoring > 10_000 + 20_000


def test_an_instance_that_closes_while_the_group_rebalances_ends_the_rebalance_first() -> None:
    def story(world: World) -> Script:
        """The second of three closes while the session of the first one has yet to expire."""
        orders = world.topic("orders", 6)
        app = world.streams("app", Part((orders,)), config=CLASSIC)
        first, second, _ = app.join(3)
        yield world.sleep(START_MS)
        yield first.restart(downtime=seconds(1))
        yield world.sleep(seconds(10))
        asked = world.now
        yield second.close()
        world.check(seconds(30) < world.now - asked < SESSION_MS, f"closed after {world.now - asked} ms")

    facts = played(story)
    assert [fact for fact in facts if isinstance(fact.event, p.Closed)]


def test_what_streams_does_not_take_is_refused() -> None:
    def with_config(**config: object) -> Story:
        def story(world: World) -> Script:
            """An application."""
            orders = world.topic("orders", 1)
            given = {name.replace("_", "."): value for name, value in config.items()}
            world.streams("app", Part((orders,)), config=given)  # type: ignore[arg-type]
            yield world.sleep(1)

        return story

    for story, words in (
        (with_config(group_protocol="consumer"), "must be one of streams, classic"),
        (with_config(num_standby_replicas=1), "cannot be set when group.protocol=STREAMS"),
        (with_config(group_protocol="classic", partition_assignment_strategy="range"), "an assignor of its own"),
        (with_config(group_protocol="classic", probing_rebalance_interval_ms=1), "must be from 60000"),
    ):
        with pytest.raises(BadSetting, match=words):
            run(scenario(seed=1, lasts=10)(story), MemoryStore())
