"""The only broker of a cluster is away: clients reach none, and forget what they knew."""

from __future__ import annotations

from itertools import pairwise

import pytest

from groupsim.analysis.availability.labels import Label, SubLabel
from groupsim.diagnosis.explain import explain_run
from groupsim.events import client as p
from groupsim.events import group as g
from groupsim.scenarios.dsl import Application, World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import FinishedRun, play

SHORT = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000, "request.timeout.ms": 3_000}


def outage(
    *, alone: bool, release: str | None = None, poll_timeout_ms: int = 60_000, protocol: str = "classic"
) -> FinishedRun:
    """Two members, eager ones in a classic group, and a broker that is away for five seconds."""

    def story(world: World) -> Script:
        group = world.group(
            "billing", protocol=protocol, assignor="range", config=SHORT if protocol == "classic" else {}
        )
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


@pytest.mark.parametrize("release", [None, "4.0"])
@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_partitions_are_unavailable_while_the_only_broker_is_down(protocol: str, release: str | None) -> None:
    finished = outage(alone=True, release=release, protocol=protocol, poll_timeout_ms=100)
    (down,) = finished.at(g.CoordinatorUnloaded)
    (up,) = finished.at(g.CoordinatorLoaded)
    for partition in (0, 1):
        stalled = next(i for i in finished.intervals(partition) if i.sub_label == SubLabel.NO_BROKER)
        assert (stalled.label, stalled.cause, stalled.unavailable) == (Label.OWNER_STALLED, "no-broker", True)
        assert stalled.from_ms == down + 1, "the connection was closed"
        assert up <= stalled.to_ms <= up + 1_300, "it may be about to wait for the longest backoff"


def test_they_are_not_where_other_brokers_have_the_data() -> None:
    finished = outage(alone=False)
    (down,) = finished.at(g.CoordinatorUnloaded)
    assert [finished.unavailable_ms(partition, down) for partition in (0, 1)] == [0, 0]


def test_nobody_reads_while_the_only_broker_is_down() -> None:
    finished = outage(alone=True, release="4.0")
    (down,), (up,) = finished.at(g.CoordinatorUnloaded), finished.at(g.CoordinatorLoaded)
    commits = [(at, e.offsets[0][2]) for at, e in finished.each(p.CommitSent) if e.offsets]
    assert {offset for at, offset in commits if at <= down} != {offset for at, offset in commits if at > up}
    assert len({offset for at, offset in commits if down < at < up}) <= 1


def test_what_a_simulated_run_says_is_that_clients_asked_bootstrap_servers_in_vain() -> None:
    found = explain_run(outage(alone=True).log)
    assert found is not None
    (finding, *_) = found.groups[0].findings
    assert finding.code == "coordinator-moved"
    asked = [text for text in found.texts.values() if "no broker" in text]
    assert asked
