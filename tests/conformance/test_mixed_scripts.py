"""Scripts with classic members in consumer groups, and with conversions, played against the simulated coordinator."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.conformance.scripts.consumer.compare import differences
from groupsim.conformance.scripts.consumer.topic_ids import beside, with_topic_ids
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import Script, read

GOLDEN = Path(__file__).parent.parent / "golden" / "consumer-protocol"
IDS = beside(GOLDEN / "cases.jsonl.gz")
NOT_AS_SENT = {"A.up-garbage", "A.mixed-garbage", "A.up-userdata"}
"""Scripts whose requests were recorded without the bytes that were sent."""
ATTACHED_BY_CLOCK = {"B.mixed-rejoining.m1-rejoin"}
"""A record stands with the step after its own there (see the README of the recordings)."""
FORGOTTEN = {"R.mixed.848231"}
"""A JoinGroup of an unknown id that makes Kafka forget an empty consumer group is not simulated."""
CLASSIC = {"join", "sync", "heartbeat", "leave"}


def mixed(script: Script) -> bool:
    """It has requests of classic members."""
    left_out = script["name"] in NOT_AS_SENT | ATTACHED_BY_CLOCK | FORGOTTEN
    return not left_out and bool({step["op"] for step in script["steps"]} & CLASSIC)


@pytest.mark.parametrize(("file", "every"), [("cases", 8), ("matrix", 60), ("random", 30), ("restart", 1)])
def test_classic_members_are_answered_and_groups_converted_as_kafka_does(file: str, every: int) -> None:
    chosen = [with_topic_ids(script, IDS) for script in read(GOLDEN / f"{file}.jsonl.gz") if mixed(script)][::every]
    found = [f"{script['name']}: {difference}" for script in chosen for difference in differences(script, play(script))]
    assert chosen
    assert found == []
