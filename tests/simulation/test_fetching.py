"""What Java's poll() returns, and what waits meanwhile: one fetch in flight, answers that no thread has read."""

from __future__ import annotations

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.client import CallbackKind
from groupsim.scenarios.dsl import Application, World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import FinishedRun, play

SHORT = {"session.timeout.ms": 6_000, "heartbeat.interval.ms": 1_000, "max.poll.interval.ms": 10_000}
WORKING = Application(process_ms=100)
AT_MS = 20_000


def one_after_the_other(client: str) -> list[int]:
    """How many records each poll() returned when three arrive a millisecond after each other, in three partitions."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=3, times={i: [AT_MS + i] for i in range(3)})
        world.group("billing", config=SHORT).join("alice", topics=[orders], application=WORKING, client=client)
        yield world.sleep(seconds(25))

    return [event.records for at, event in play(story, 26_000).each(p.PollEnd)]


@pytest.mark.parametrize(("client", "batches"), [("java", [1, 1, 1]), ("librdkafka", [1, 2])])
def test_java_s_next_fetch_is_answered_by_the_first_record_that_comes(client: str, batches: list[int]) -> None:
    assert one_after_the_other(client) == batches


def two_and_a_third(application: Application, assignor: str, rate: float = 1_000) -> FinishedRun:
    """Two members that always have records, and a third that joins at 20 s."""

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=6, rate=rate)
        group = world.group("billing", config=SHORT, assignor=assignor)
        group.join("alice", "bob", topics=[orders], application=application)
        yield world.sleep(AT_MS)
        group.join("carol", topics=[orders])
        yield world.sleep(seconds(10))

    return play(story, 31_000)


def test_records_that_came_with_a_heartbeat_s_answer_are_worked_on_before_the_rejoin() -> None:
    finished = two_and_a_third(Application(process_ms=50), "range")
    asked = [at for at, _ in finished.each(p.RejoinRequested, process="alice.0") if at > AT_MS]
    revoked = [
        at for at, _ in finished.each(p.CallbackStart, process="alice.0", kind=CallbackKind.REVOKED) if at > AT_MS
    ]
    assert 50 <= revoked[0] - asked[0] < 100, "one more batch: the answer and the records were read at once"


def test_a_cooperative_member_works_while_its_commit_before_the_join_is_under_way() -> None:
    finished = two_and_a_third(Application(process_ms=300), "cooperative-sticky")
    asked = next(at for at, _ in finished.each(p.RejoinRequested, process="alice.0") if at > AT_MS)
    sent = next(at for at, _ in finished.each(p.JoinSent, process="alice.0") if at > asked)
    polls = [at for at, _ in finished.each(p.PollEnd, process="alice.0") if asked <= at <= sent]
    assert len(polls) >= 1
    assert sent - asked >= 300


@pytest.mark.parametrize(("client", "expires"), [("java", True), ("kafka-python", True), ("librdkafka", False)])
def test_a_listener_that_runs_for_longer_than_max_poll_interval_costs_the_membership(
    client: str, expires: bool
) -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        slow = Application(callback_ms={CallbackKind.ASSIGNED: 13_000})
        group = world.group("billing", config=SHORT, assignor="range")
        group.join("alice", topics=[orders], client=client, application=slow)
        yield world.sleep(seconds(25))

    finished = play(story, 26_000)
    (began, *_) = finished.at(p.CallbackStart, kind=CallbackKind.ASSIGNED)
    expired = finished.at(p.PollExpired)
    assert bool(expired) is expires
    assert bool(finished.each(c.MemberRemoved, cause="left")) is expires
    if expires:
        assert began + 10_000 <= expired[0] <= began + 11_000
