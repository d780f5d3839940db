"""Consumers in trouble: timeouts, freezes, closes at bad moments, connections that wait."""

from __future__ import annotations

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import CommitAccepted
from groupsim.events.network import LinkHealed, MessageDelivered
from groupsim.scenarios.dsl import Application, World, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from tests.simulation.finished_run import LATENCY, play

SHORT = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000, "request.timeout.ms": 3_000}


def test_a_request_that_is_lost_times_out_and_the_coordinator_is_looked_up_again() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        (member,) = group.join(1, topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=1, within=seconds(20))
        with world.network.cut(member, world.broker):
            yield world.sleep(seconds(5))
        yield world.sleep(seconds(20))

    finished = play(story, 60_000)
    lost = finished.each(p.RequestFailed, api="Heartbeat", error="TIMEOUT")
    assert len(lost) == 1
    assert finished.at(p.CoordinatorLost) == [lost[0][0]]
    (healed, _) = finished.one(LinkHealed)
    assert healed < finished.at(p.CoordinatorFound)[-1] <= healed + 3_000 + 200
    assert finished.each(c.MemberRemoved) == []
    assert finished.labels(0, 10_000) == ["OK"], "it went on working"


def test_what_is_in_flight_with_a_timed_out_request_is_disconnected_with_it() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config={**SHORT, "auto.commit.interval.ms": 800})
        (member,) = group.join(1, topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=1, within=seconds(20))
        with world.network.cut(member, world.broker):
            yield world.sleep(seconds(5))

    finished = play(story, 60_000)
    failed = [(at, f.api, f.error) for at, f in finished.each(p.RequestFailed) if f.api != "FindCoordinator"]
    assert {error for _, _, error in failed} == {"TIMEOUT", "DISCONNECTED"}
    assert len({at for at, _, _ in failed}) == 1


def test_a_process_frozen_within_its_session_is_missed_by_nobody() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        members = group.join(2, topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=2, within=seconds(20))
        yield members[0].freeze(seconds(7))
        yield world.sleep(seconds(10))

    finished = play(story, 60_000)
    assert finished.generations == [1]
    stalled = [i for i in finished.intervals() if i.label == "OWNER_STALLED"]
    assert [i.to_ms - i.from_ms for i in stalled] == [7_000]


def test_a_process_frozen_beyond_its_session_is_out_and_comes_back_with_nothing() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        members = group.join(2, topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=2, within=seconds(20))
        yield members[0].freeze(seconds(30))
        yield group.stable(members=2, within=seconds(20))

    finished = play(story, 90_000)
    frozen, thawed = finished.at(p.Frozen)[0], finished.at(p.Thawed)[0]
    (removed, gone) = finished.one(c.MemberRemoved)
    assert gone.cause == "session-expired"
    assert frozen + 9_000 <= removed <= frozen + 10_000
    gave_up = finished.at(p.CallbackEnd, process="m1.0", kind="lost")
    assert finished.at(p.ViewChanged, process="m1.0", partitions=()) == gave_up
    assert finished.at(p.CallbackStart, process="m1.0", kind="lost")[0] - thawed <= 200
    assert [at for at, f in finished.each(CommitAccepted, member=gone.member) if at > removed] == []
    assert not [f for f in finished.log if frozen < f.at_ms < thawed and getattr(f.event, "process", "") == "m1.0"]


def test_freezing_twice_is_freezing_once_and_the_dead_do_not_freeze() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        members = group.join(2, topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=2, within=seconds(20))
        members[0].freeze(4_000)
        yield world.sleep(2_000)
        members[0].freeze(4_000)
        yield world.sleep(10_000)
        members[0].freeze(4_000)
        members[0].kill()
        members[0].freeze(1)
        yield members[0].start()
        members[0].thaw()
        yield group.stable(members=2, within=seconds(30))

    finished = play(story, 90_000)
    assert len(finished.at(p.Frozen)) == 2
    assert [b - a for a, b in zip(finished.at(p.Frozen), finished.at(p.Thawed), strict=False)] == [4_000]


def test_a_process_closed_while_a_join_is_parked_leaves_when_the_join_is_answered() -> None:
    """The broker reads nothing more from a connection while its JoinGroup waits."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2)
        group = world.group("billing")
        members = group.join(2, topics=[orders])
        yield world.sleep(1_000)  # both wait for the initial delay
        members[1].close()
        yield group.stable(members=1, within=seconds(20))

    finished = play(story, 60_000)
    leave = finished.at(p.LeaveSent)[0]
    completed = finished.at(c.JoinPhaseCompleted)[0]
    assert leave == 1_000 < completed
    assert finished.at(c.MemberRemoved) == [completed]
    assert finished.at(p.Closed) == [completed + LATENCY]


def test_a_process_closed_in_the_middle_of_a_rebalance_loses_instead_of_revoking() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2)
        group = world.group("billing", assignor="cooperative-sticky", config=SHORT)
        members = group.join(2, topics=[orders], application=Application(process_ms=100))
        yield group.stable(members=2, within=seconds(20))
        members[1].slow_batch(seconds(8))
        yield world.sleep(seconds(1))
        group.join(1, topics=[orders])
        yield world.sleep(seconds(4))  # m1 has joined and waits for m2, whose application is busy
        members[0].close()
        yield group.stable(members=2, within=seconds(30))

    finished = play(story, 90_000)
    closing = finished.at(p.CloseStarted)[0]
    assert finished.at(p.JoinSent, process="m1.0")[-1] < closing
    assert [f.kind for at, f in finished.each(p.CallbackStart) if at == closing] == ["lost"]


def test_a_consumer_asked_to_close_finishes_its_batch_and_beats_meanwhile() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        application = Application(process_ms=100)
        members = group.join(2, topics=[world.topic("orders", partitions=2)], application=application)
        yield group.stable(members=2, within=seconds(20))
        members[0].slow_batch(seconds(40))
        yield world.sleep(seconds(2))
        yield members[0].close()
        yield group.stable(members=1, within=seconds(20))

    finished = play(story, 120_000)
    batch = next(at for at, f in finished.each(p.PollEnd) if f.process_ms > 40_000)
    assert finished.at(p.CloseStarted) == [batch + 40_100]
    assert [f.cause for _, f in finished.each(c.MemberRemoved)] == ["left"]


def test_a_static_member_that_closes_says_nothing_to_the_coordinator() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        members = group.join(2, topics=[world.topic("orders", partitions=2)], static=True)
        yield group.stable(members=2, within=seconds(20))
        yield members[0].close()
        yield group.stable(members=1, within=seconds(20))

    finished = play(story, 60_000)
    assert finished.at(p.LeaveSent) == []
    (removed, gone) = finished.one(c.MemberRemoved)
    assert gone.cause == "session-expired"
    assert 9_000 <= removed - finished.at(p.Closed)[0] <= 10_000 + LATENCY


def test_two_groups_of_one_world_do_not_disturb_each_other() -> None:
    def alone(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("one", config=SHORT)
        group.join("a", "b", topics=[orders])
        yield group.stable(members=2, within=seconds(20))

    def together(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        one, two = world.group("one", config=SHORT), world.group("two", config=SHORT)
        one.join("a", "b", topics=[orders])
        (killed,) = two.join("c", topics=[orders])
        yield one.stable(members=2, within=seconds(20))
        yield two.stable(members=1, within=seconds(20))
        killed.kill()
        yield world.sleep(seconds(30))
        world.check(len(world.broker.group("two").members) == 0, "two is empty")
        world.check(one.generation == 1, "one never noticed")

    finished = play(together, 60_000)
    assert [i.group for i in finished.intervals(0)][-1] == "two"
    first = [(f.at_ms, type(f.event)) for f in play(alone, 60_000).log if f.stream == "client:one/a.0"]
    assert [(f.at_ms, type(f.event)) for f in finished.log if f.stream == "client:one/a.0"] == first


def test_responses_find_their_requests() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config=SHORT)
        group.join(3, topics=[world.topic("orders", partitions=4)])
        yield group.stable(members=3, within=seconds(20))

    finished = play(story, 40_000)
    requests = {f.number: f for _, f in finished.each(MessageDelivered, response=False)}
    for _, response in finished.each(MessageDelivered, response=True):
        request = requests[response.number]
        assert (response.source, response.target, response.api) == (request.target, request.source, request.api)


@pytest.mark.parametrize(
    ("attempt", "sentence"),
    [
        (lambda w, g, t: g.join(1, topics=[]), "group 'billing': members need at least one topic"),
        (lambda w, g, t: (g.join("a", topics=[t]), g.join("a", topics=[t])), "the name 'a' is taken"),
        (lambda w, g, t: g.join("broker", topics=[t]), "the name 'broker' is taken"),
        (lambda w, g, t: w.topic("orders", partitions=2), "topic 'orders' exists already"),
        (lambda w, g, t: w.topic("none", partitions=0), "topic 'none' needs at least one partition, not 0"),
        (lambda w, g, t: w.add_partitions(t, 1), "topic 'orders' has 1 already: 2 would be 1 more"),
        (lambda w, g, t: w.group("billing"), "group 'billing' exists already"),
        (lambda w, g, t: w.group(""), "a group needs a name"),
        (lambda w, g, t: w.group("x", assignor="rang"), "unknown assignor 'rang'; near names: range"),
        (lambda w, g, t: w.group("x", config={"sesion.timeout.ms": 1}), "unknown setting 'sesion.timeout.ms'; near"),
        (lambda w, g, t: w.group("x", config={"session.timeout.ms": 3_000}), "must be less than session.timeout.ms"),
        (
            lambda w, g, t: w.configure_broker({"group.max.size": 3}),
            "configure_broker must come before the first group",
        ),
        (lambda w, g, t: g.join(1, topics=[t])[0].kill(), "member 'm1' has not been started yet"),
    ],
)
def test_what_a_scenario_can_not_ask_for_is_refused_in_a_sentence(attempt, sentence: str) -> None:  # type: ignore[no-untyped-def]
    from groupsim.events.errors import GroupsimError

    def story(world: World) -> Script:
        topic = world.topic("orders", partitions=1)
        group = world.group("billing")
        attempt(world, group, topic)
        yield world.sleep(1)

    with pytest.raises(GroupsimError, match=sentence):
        play(story, 1_000)


def test_starting_what_runs_is_refused() -> None:
    def story(world: World) -> Script:
        group = world.group("billing")
        (member,) = group.join(1, topics=[world.topic("orders", partitions=1)])
        yield world.sleep(1)
        yield member.start()

    with pytest.raises(BadScenario, match="member 'm1' runs already"):
        play(story, 1_000)


def test_a_backoff_of_nothing_does_not_stop_time() -> None:
    def story(world: World) -> Script:
        group = world.group("billing", config={**SHORT, "retry.backoff.ms": 0})
        (member,) = group.join(1, topics=[world.topic("orders", partitions=2)])
        yield group.stable(members=1, within=seconds(20))
        with world.network.cut(member, world.broker):
            yield world.sleep(seconds(15))
        yield group.stable(members=1, within=seconds(20))

    assert play(story, 60_000, record="facts").info.simulated_ms == 60_000
