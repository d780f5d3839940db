"""What re-enacted programs see of records, commits, batches and polls has the form of the recordings."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from groupsim.conformance.timelines.progress import Progress, first_record_median_ms
from groupsim.conformance.timelines.recorded_form import Libraries
from groupsim.conformance.timelines.reenact import reenact
from groupsim.events import client
from groupsim.events.types import TopicPartition
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA
from tests.conformance.runs import NAMES, played, recording

SLOW = "S10-slow-callback__cooperative-sticky__d0__r1"
UNEQUAL = "S14-unequal-subscriptions__range__d3__r1"
STOPPED = "S05-sigstop-beyond-session__range__d0__r1"
ORDERS = TopicPartition("orders", 0)


@pytest.mark.parametrize("name", NAMES)
def test_the_median_wait_for_a_first_record_follows_from_the_recorded_events(name: str) -> None:
    recorded = recording(name)
    assert first_record_median_ms(recorded["events"]) == recorded["summary"]["first_record_after_assigned_ms_median"]


def _of(run: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [e for e in run["events"] if e["kind"] == kind]


def test_polls_are_long_where_callbacks_are_slow() -> None:
    theirs, ours = recording(SLOW), played(SLOW, 0)
    assert Counter(e["member"] for e in _of(ours, "poll_long")) == Counter(
        e["member"] for e in _of(theirs, "poll_long")
    )
    assert all(2_000 <= e["ms"] <= 2_100 for e in _of(ours, "poll_long"))


def test_a_changed_subscription_is_seen_when_the_program_comes_round_to_it() -> None:
    (theirs,), (ours,) = (_of(run, "subscription_changed") for run in (recording(UNEQUAL), played(UNEQUAL, 0)))
    assert (ours["member"], ours["topics"]) == (theirs["member"], theirs["topics"]) == ("m3", "[orders, payments]")
    assert 26_000 < ours["t_ms"] <= 26_200


def test_every_first_record_is_one_of_a_partition_just_assigned() -> None:
    for name in (SLOW, UNEQUAL, STOPPED):
        held: set[tuple[str, int, str, int]] = set()
        seen = 0
        for event in played(name, 0)["events"]:
            who = (event["member"], event["incarnation"])
            if event["kind"] == "callback_end" and event["of"] == "assigned":
                held |= {(*who, topic, partition) for topic, partition in event["partitions"]}
            for topic, partition, _ in event["offsets"] if event["kind"] == "first_records" else ():
                seen += 1
                held.remove((*who, topic, partition))
        assert seen >= 12


def test_of_a_programs_own_commits_the_first_of_a_generation_and_every_25th_are_noted() -> None:
    commits = [e for e in _of(played(STOPPED, 0), "commit_ok") if e["member"] == "m1"]
    assert {e["how"] for e in commits} == {"auto", "sync"}
    generations = [e["generation"] for e in commits if e["how"] == "auto"]
    assert len(set(generations)) >= 3


@pytest.mark.parametrize(
    ("library", "auto", "noted"),
    [
        (JAVA, True, [0, 1, 25, 27]),
        (JAVA, False, [0, 0, 13, 25, 26, 38]),
        (LIBRDKAFKA, True, [0, 25]),
        (LIBRDKAFKA, False, [0, 25]),
        (KAFKA_PYTHON, True, []),
        (KAFKA_PYTHON, False, [0, 25]),
    ],
)
def test_which_of_fifty_commits_in_two_generations_a_recorder_notes(library: str, auto: bool, noted: list[int]) -> None:
    seen: list[int] = []
    progress = Progress(lambda at, process, kind, **more: seen.append(at))
    progress.libraries, progress.auto_commit = Libraries(library), auto
    for n in range(50):
        progress.committed(n, "a.0", 1 + n // 25, 4)
    assert seen == noted


def test_what_is_given_up_before_its_first_record_came_is_not_noted() -> None:
    noted: list[tuple[int, str, Any]] = []
    progress = Progress(lambda at, process, kind, **more: noted.append((at, kind, more)))
    progress.libraries = Libraries(LIBRDKAFKA)
    progress.arrival = lambda topic, partition, offset: 100 * offset
    progress.observe(10, client.PositionReady(process="a.0", offsets=(("orders", 0, 3), ("orders", 1, 4))))
    progress.observe(350, client.ViewChanged(process="a.0", partitions=(ORDERS,)))
    progress.finish(1_000)
    assert noted == [(300, "first_records", {"offsets": [["orders", 0, 3]]})]


def test_a_topic_without_records_has_no_first_ones() -> None:
    recorded = recording(STOPPED)
    recorded["config"]["records_per_partition_per_s"] = 0
    run = reenact(recorded, 1)
    assert not _of(run, "first_records")
    assert run["summary"]["first_record_after_assigned_ms_median"] is None
