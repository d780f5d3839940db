"""The only broker of a cluster is away: clients reach none, and forget what they knew."""

from __future__ import annotations

from itertools import pairwise

import pytest

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import FinishedRun, play

SHORT = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000, "request.timeout.ms": 3_000}


def outage(*, alone: bool, release: str | None = None, poll_timeout_ms: int = 60_000) -> FinishedRun:
    """Two eager members, and a broker that is away for five seconds."""

    def story(world: World) -> Script:
        group = world.group("billing", assignor="range", config=SHORT)
        topics, polls = [world.topic("orders", partitions=2)], Application(poll_timeout_ms=poll_timeout_ms)
        group.join(2, topics=topics, application=polls, release=release)
        yield group.stable(members=2, within=seconds(20))
        world.broker.crash(downtime_ms=5_000, alone=alone)
        yield world.sleep(seconds(20))

    return play(story, 60_000)


CHANGED = "cached metadata has changed"


def test_a_leader_that_finds_metadata_and_coordinator_in_one_poll_after_an_outage_rejoins() -> None:
    finished = outage(alone=True)
    assert len(finished.each(p.RejoinRequested, reason=CHANGED)) == 1
    assert finished.generations == [1, 2]
    assert finished.labels(0)[-1] == "OK", "it assigned with fresh metadata"


@pytest.mark.parametrize(
    ("alone", "release", "poll_timeout_ms"), [(False, None, 60_000), (True, "4.0", 60_000), (True, None, 1)]
)
def test_it_does_not_where_others_answer_or_the_metadata_are_kept_or_another_poll_has_begun(
    alone: bool, release: str | None, poll_timeout_ms: int
) -> None:
    finished = outage(alone=alone, release=release, poll_timeout_ms=poll_timeout_ms)
    assert finished.each(p.RejoinRequested, reason=CHANGED) == []
    assert finished.generations == [1]


def test_a_client_that_reaches_no_broker_waits_longer_and_longer_before_it_connects_again() -> None:
    finished = outage(alone=True)
    first = finished.each(p.ProcessStarted)[0][1].process
    tried = finished.at(p.RequestFailed, process=first, api="FindCoordinator")
    waits = [later - earlier for earlier, later in pairwise(tried)]
    assert waits[0] < 150 < 800 <= max(waits) <= 1_200 + 150
