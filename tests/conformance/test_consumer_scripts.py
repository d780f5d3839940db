"""Scripts recorded from Kafka 4.4's consumer protocol, played against the simulated coordinator."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.conformance.scripts.consumer.compare import differences
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import Script, read

GOLDEN = Path(__file__).parent.parent / "golden" / "consumer-protocol"
OFFSETS = {"commit", "txn_commit", "fetch", "offset_delete", "delete_group"}
PLAYED = {"consumer_heartbeat", "consumer_describe", "list", "create_topic", "grow_topic", "delete_topic", "restart"}


ATTACHED_BY_CLOCK = ("R.regex.848377", "R.topics.848203")
"""A record stands with the step after its own there (see the README of the recordings)."""


def native(script: Script) -> bool:
    """Only requests of the consumer protocol and about offsets."""
    return {step["op"] for step in script["steps"]} <= PLAYED | OFFSETS and script["name"] not in ATTACHED_BY_CLOCK


@pytest.mark.parametrize(("file", "every"), [("cases", 12), ("matrix", 50), ("random", 30), ("restart", 4)])
def test_native_members_are_answered_as_kafka_answers_them(file: str, every: int) -> None:
    chosen = [script for script in read(GOLDEN / f"{file}.jsonl.gz") if native(script)][::every]
    found = [f"{script['name']}: {difference}" for script in chosen for difference in differences(script, play(script))]
    assert chosen
    assert found == []


def test_a_difference_names_the_step_and_what_differs() -> None:
    script = next(script for script in read(GOLDEN / "cases.jsonl.gz") if script["name"] == "A.ack-none-left")
    script["steps"][1]["response"] = {"error": "FENCED_MEMBER_EPOCH"}
    first = next(iter(differences(script, play(script))))
    assert (first.step["i"], first.kind) == (1, "consumer_heartbeat response")
