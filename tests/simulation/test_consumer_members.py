"""Members by the consumer protocol (KIP-848): what the client library does, step by step."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.config import BadSetting
from groupsim.coordinator.machine import AnyGroup, evolve
from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.events.base import group_stream
from groupsim.events.client import CallbackKind, MemberPhase
from groupsim.scenarios.dsl import Application, GroupHandle, World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import FinishedRun, play
from tests.simulation.test_faults import APPLICATIONS, FAULTS, PEACE_MS, SERVER, TROUBLE_MS, Fault, Trouble
from tests.thinned import examples

HEARTBEAT, SESSION, POLL = 1_000, 6_000, 100


def consumers(world: World, members: int = 2, **more: Any) -> GroupHandle:
    """A group of the consumer protocol on 12 partitions; its members start together."""
    world.configure_broker(SERVER)
    orders = world.topic("orders", partitions=12, rate=0)
    group = world.group("billing", protocol="consumer", assignor="uniform", config=more.pop("config", None))
    group.join(members, topics=[orders], **more)
    return group


def callbacks(run: FinishedRun, process: str) -> list[tuple[int, str, int]]:
    """(at_ms, kind, number of partitions) of a process's callbacks."""
    return [(at, str(e.kind), len(e.partitions)) for at, e in run.each(p.CallbackStart, process=process)]


def test_who_joins_a_working_group_is_called_with_nothing_and_gets_its_partitions_a_heartbeat_later() -> None:
    def story(world: World) -> Script:
        group = consumers(world, 1)
        yield group.stable(members=1, within=seconds(5))
        yield world.sleep(seconds(10))
        group.join("late", topics=[world.topics["orders"]])
        yield group.stable(members=2, within=seconds(10))

    run = play(story, seconds(30))
    started = run.one(p.ProcessStarted, process="late.0")[0]
    (nothing, partitions) = [(at, n) for at, kind, n in callbacks(run, "late.0") if kind == "assigned"]
    assert nothing[1] == 0
    assert nothing[0] - started < 3 * POLL
    assert partitions[1] == 6
    assert HEARTBEAT < partitions[0] - started < 2 * HEARTBEAT + 6 * POLL  # both heartbeats, and a poll for each step


def test_a_killed_member_is_removed_when_its_session_is_over_and_the_others_keep_what_they_have() -> None:
    def story(world: World) -> Script:
        group = consumers(world, 3)
        yield group.stable(members=3, within=seconds(10))
        yield world.sleep(seconds(5))
        group.members[1].kill()
        yield group.stable(members=2, within=seconds(15))

    run = play(story, seconds(60))
    killed = run.one(p.Crashed)[0]
    removed, fact = run.one(c.ConsumerMemberRemoved)
    assert fact.cause is c.LossCause.SESSION_EXPIRED
    assert SESSION - HEARTBEAT <= removed - killed <= SESSION
    assert not run.each(p.CallbackStart, kind=CallbackKind.LOST)
    assert [n for _, kind, n in callbacks(run, "m1.0") if kind == "revoked" and _ > killed] == []


def test_a_member_that_closes_leaves_at_once_and_its_partitions_go_to_the_others() -> None:
    def story(world: World) -> Script:
        group = consumers(world, 2)
        yield group.stable(members=2, within=seconds(10))
        yield world.sleep(seconds(5))
        yield group.members[0].close()
        yield group.stable(members=1, within=seconds(5))

    run = play(story, seconds(60))
    closing = run.one(p.CloseStarted)[0]
    at, *what = callbacks(run, "m1.0")[-1]
    assert what == ["revoked", 6]
    assert closing <= at <= closing + 20  # the commit comes first
    assert run.one(c.ConsumerMemberRemoved)[1].cause is c.LossCause.LEFT
    assert callbacks(run, "m2.0")[-1][1:] == ("assigned", 6)


def test_a_frozen_member_is_fenced_loses_everything_at_its_next_poll_and_joins_again_with_its_id() -> None:
    def story(world: World) -> Script:
        group = consumers(world, 2)
        yield group.stable(members=2, within=seconds(10))
        yield world.sleep(seconds(5))
        yield group.members[0].freeze(seconds(10))
        yield group.stable(members=2, within=seconds(10))

    run = play(story, seconds(60))
    thawed = run.one(p.Thawed)[0]
    (lost,) = [at for at, kind, n in callbacks(run, "m1.0") if kind == "lost"]
    assert 0 <= lost - thawed <= HEARTBEAT + 2 * POLL
    ids = {fact.member for _, fact in run.each(p.JoinSent, process="m1.0")}
    assert len(run.each(p.JoinSent, process="m1.0")) == 2
    assert len(ids) == 1


def test_an_overdue_poll_is_noticed_when_the_next_heartbeat_is_due() -> None:
    def story(world: World) -> Script:
        world.configure_broker(SERVER)
        orders = world.topic("orders", partitions=4, rate=2)
        config = {"max.poll.interval.ms": 4_000}
        group = world.group("billing", protocol="consumer", config=config)
        group.join(2, topics=[orders])
        yield group.stable(members=2, within=seconds(10))
        group.members[0].slow_batch(seconds(9))
        yield world.sleep(seconds(30))
        yield group.stable(members=2, within=seconds(10))

    run = play(story, seconds(90))
    expired = run.one(p.PollExpired)[0]
    began = next(at for at, e in run.each(p.PollEnd, process="m1.0") if e.process_ms >= seconds(9))
    assert 4_000 <= expired - began <= 4_000 + HEARTBEAT
    lost = [at for at, kind, _ in callbacks(run, "m1.0") if kind == "lost"]
    assert lost[0] >= began + seconds(9)  # until the application polls it believes that it owns them


def test_a_listener_that_raises_is_called_again_and_nothing_is_acknowledged_before() -> None:
    def story(world: World) -> Script:
        group = consumers(world, 1)
        yield world.sleep(1)
        group.members[0].raise_in("assigned")
        yield group.stable(members=1, within=seconds(5))

    run = play(story, seconds(30))
    assert [kind for _, kind, _ in callbacks(run, "m1.0")] == ["assigned", "assigned"]
    acknowledging = run.at(p.StateChanged, state=MemberPhase.ACKNOWLEDGING.value)
    assert acknowledging[0] >= callbacks(run, "m1.0")[1][0]


@pytest.mark.parametrize(
    ("config", "protocol", "said"),
    [
        (
            {"session.timeout.ms": 6_000},
            "consumer",
            "session.timeout.ms cannot be set when group.protocol=CONSUMER; "
            "the broker decides: group.consumer.session.timeout.ms",
        ),
        (
            {"heartbeat.interval.ms": 1_000, "partition.assignment.strategy": ("range",)},
            "consumer",
            "partition.assignment.strategy, heartbeat.interval.ms cannot be set when group.protocol=CONSUMER",
        ),
        (
            {"group.remote.assignor": "uniform"},
            "classic",
            "group.remote.assignor cannot be set when group.protocol=CLASSIC",
        ),
    ],
)
def test_settings_that_the_protocol_excludes_are_refused_in_the_words_of_the_client(
    config: dict[str, Any], protocol: str, said: str
) -> None:
    def story(world: World) -> Script:
        world.group("billing", protocol=protocol, config=config)
        yield world.sleep(1)

    with pytest.raises(BadSetting, match=said):
        play(story, seconds(1))


@settings(max_examples=examples(7, 15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    faults=FAULTS,
    application=APPLICATIONS,
    client=st.sampled_from(["java", "librdkafka"]),
    assignor=st.sampled_from(["uniform", "range"]),
    seed=st.integers(0, 99),
)
def test_whatever_happens_the_group_is_safe_and_settles_in_the_end(
    faults: list[Fault], application: Application, client: str, assignor: str, seed: int
) -> None:
    worlds: list[World] = []

    def story(world: World) -> Script:
        worlds.append(world)
        trouble = Trouble(world, application, {"static": False, "client": client}, assignor, protocol="consumer")
        yield from trouble.story(faults)

    run = play(story, TROUBLE_MS + PEACE_MS, seed=seed)
    facts = [fact.event for fact in run.log if fact.stream == group_stream("billing")]
    nobody: AnyGroup = ClassicGroup(id="billing")
    assert reduce(evolve, facts, nobody).assignment == worlds[0].broker.group("billing").assignment
