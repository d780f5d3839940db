"""Scripts recorded from Kafka 4.4's share groups, played against the simulated coordinator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groupsim.conformance.scripts.check import Shares
from groupsim.conformance.scripts.groups.compare import differences
from groupsim.conformance.scripts.groups.topics import beside, with_topic_ids
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import read

GOLDEN = Path(__file__).parent.parent / "golden" / "share-groups"
IDS = beside(GOLDEN / "cases.jsonl.gz")
SIZES = {"cases": 83, "matrix": 224, "random": 149, "restart": 4, "put-aside": 131, "put-aside-2": 130}
LOST = {
    "B.empty.m1-hb": {(3, "records")},
    "B.empty.offsets": {(3, "records")},
}
"""What no play can have: the group is recorded as Empty after its last member left, but not the records that say so."""


def scripts(file: str) -> list[dict[str, Any]]:
    return [with_topic_ids(script, IDS) for script in read(GOLDEN / f"{file}.jsonl.gz")]


@pytest.mark.parametrize("file", SIZES)
def test_members_are_answered_partitions_initialised_and_records_written_as_kafka_does(file: str) -> None:
    recorded = scripts(file)
    assert len(recorded) == SIZES[file]
    for script in recorded:
        found = {(difference.step["i"], difference.what) for difference in differences(script, play(script))}
        assert found == LOST.get(script["name"], set()), script["name"]


def test_without_what_was_recorded_the_coordinator_takes_its_own_time_to_initialise() -> None:
    """Answers and epochs are the recorded ones: a heartbeat after 100 ms finds nothing, one after 600 ms does."""
    asked = ("i", "at", "as", "op", "v", "request")
    for script in scripts("cases"):
        if script["name"] in ("A.join-at-once", "A.join-first", "A.leave-all", "A.offsets", "A.six-join"):
            bare = {**script, "steps": [{key: step[key] for key in asked} for step in script["steps"]]}
            for was, now in zip(script["steps"], play(bare)["steps"], strict=True):
                if was["op"].startswith("share_"):
                    assert was["response"] == now["response"]


def test_a_planted_difference_is_named_with_its_step() -> None:
    script = next(script for script in scripts("cases") if script["name"] == "A.two-join")
    script["steps"][3]["response"]["member_epoch"] += 1
    shares = Shares()
    shares.add(script)
    assert str(shares.first).startswith("A.two-join: step 3 (m1 share_heartbeat at 1300 ms), response: recorded")
