"""Recorded runs of consumer groups on Kafka 4.4, re-enacted: epochs, and how long partitions were unavailable."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from groupsim.conformance.timelines.equivalence import callbacks, generations, unavailable_ms, unavailable_partitions
from groupsim.conformance.timelines.reenact import reenact

GOLDEN = Path(__file__).parent.parent / "golden" / "recordings-848"
SEEDS = range(6)
KILLED, SLOW, LAST_NEW_ONE = (
    "S04-kill9__kip848-uniform__d0__r1",
    "P01-max-poll-exceeded-join__kip848-uniform__d0__r1",
    "M05-last-new-member-killed__range-and-kip848__d0__r1",
)


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((GOLDEN / f"{name}.json.gz").read_bytes()))
    return found


def kinds(run: dict[str, Any], member: str) -> list[str]:
    """The callbacks of a member in order, without those for an empty set."""
    return [
        e["kind"]
        for e in run["events"]
        if e["member"] == member and e["kind"] in ("assigned", "revoked", "lost") and e["partitions"]
    ]


@pytest.mark.parametrize(("name", "share"), [(KILLED, 0.15), (SLOW, 0.5), (LAST_NEW_ONE, 0.15)])
def test_every_seed_has_the_recorded_epochs_and_about_the_recorded_time(name: str, share: float) -> None:
    theirs = recorded(name)
    ours = [reenact(theirs, seed) for seed in SEEDS]
    for run in ours:
        assert generations(run) == generations(theirs)
        assert abs(len(unavailable_partitions(run)) - len(unavailable_partitions(theirs))) <= 1
    truth = unavailable_ms(theirs)
    assert abs(median(unavailable_ms(run) for run in ours) - truth) <= share * truth


def test_a_member_whose_batch_outlasts_max_poll_loses_everything_at_its_next_poll_and_works_on_till_then() -> None:
    theirs = recorded(SLOW)
    ours = reenact(theirs, 0)
    for run in (theirs, ours):
        assert kinds(run, "m2")[-3:].count("lost") == 1
        assert "revoked" not in kinds(run, "m2")[-3:]


def test_two_libraries_in_one_group_behave_each_in_its_own_way() -> None:
    theirs = recorded(KILLED)
    theirs["config"]["library_of_process"] = {"m2.0": "librdkafka"}
    ours = reenact(theirs, 0)
    firsts = {m: next(e for e in ours["events"] if e["member"] == m and e["kind"] == "assigned") for m in ("m2", "m3")}
    assert firsts["m2"]["partitions"], "librdkafka calls no listener for a first target that is empty"
    assert not firsts["m3"]["partitions"]


@pytest.mark.parametrize("name", [KILLED, LAST_NEW_ONE])
def test_with_the_recorded_ids_and_starts_every_callback_has_its_recorded_partitions(name: str) -> None:
    theirs = recorded(name)
    ours = reenact(theirs, 1, recorded_times=True)
    assert callbacks(ours) == callbacks(theirs)
    assert set(ours["member_ids"]) == set(theirs["member_ids"])
