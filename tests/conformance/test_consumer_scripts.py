"""Scripts recorded from Kafka 4.4's consumer protocol, played against the simulated coordinator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groupsim.cli.main import status
from groupsim.conformance.scripts.check import Shares
from groupsim.conformance.scripts.consumer.compare import differences
from groupsim.conformance.scripts.consumer.topic_ids import beside, with_topic_ids
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import Script, read, write

GOLDEN = Path(__file__).parent.parent / "golden" / "consumer-protocol"
OFFSETS = {"commit", "txn_commit", "fetch", "offset_delete", "delete_group"}
ADMINISTRATOR = {"list", "create_topic", "grow_topic", "delete_topic", "restart", "group_config"}
PLAYED = {"consumer_heartbeat", "consumer_describe"} | ADMINISTRATOR
IDS = beside(GOLDEN / "cases.jsonl.gz")


ATTACHED_BY_CLOCK = ("R.regex.848377", "R.topics.848203")
"""A record stands with the step after its own there (see the README of the recordings)."""


def native(script: Script) -> bool:
    """Only requests of the consumer protocol and about offsets."""
    return {step["op"] for step in script["steps"]} <= PLAYED | OFFSETS and script["name"] not in ATTACHED_BY_CLOCK


@pytest.mark.parametrize(("file", "every"), [("cases", 12), ("matrix", 50), ("random", 30), ("restart", 4)])
def test_native_members_are_answered_as_kafka_answers_them(file: str, every: int) -> None:
    chosen = [script for script in read(GOLDEN / f"{file}.jsonl.gz") if native(script)][::every]
    chosen = [with_topic_ids(script, IDS) for script in chosen]
    found = [f"{script['name']}: {difference}" for script in chosen for difference in differences(script, play(script))]
    assert chosen
    assert found == []


def test_a_difference_names_the_step_and_what_differs() -> None:
    script = next(script for script in read(GOLDEN / "cases.jsonl.gz") if script["name"] == "A.ack-none-left")
    script["steps"][1]["response"] = {"error": "FENCED_MEMBER_EPOCH"}
    first = next(iter(differences(script, play(script))))
    assert (first.step["i"], first.kind) == (1, "consumer_heartbeat response")


def test_a_target_is_computed_unless_ids_are_random() -> None:
    """A script whose records were wrong is played the same where the topics' ids are known."""
    script = next(script for script in read(GOLDEN / "cases.jsonl.gz") if script["name"] == "A.vote-tie-base")
    swapped = json.loads(json.dumps(script).replace('"MemberId": "m1"', '"MemberId": "m9"'))
    right, forced = (play(with_topic_ids(swapped, ids)) for ids in (IDS, {}))
    assert not [d for d in differences(script, right) if d.what != "records"]
    assert any(d.what == "seen" for d in differences(script, forced))


def test_the_shares_of_a_file_name_the_first_difference() -> None:
    scripts = {script["name"]: script for script in read(GOLDEN / "cases.jsonl.gz")}
    shares = Shares()
    shares.add(scripts["A.prev-twice"])
    assert (shares.equal, shares.first) == (1, None)
    wrong = scripts["A.ack-none-left"]
    wrong["steps"][2]["seen"] = {"type": "consumer"}
    shares.add(wrong)
    assert (shares.equal, shares.different) == (1, 1)
    assert str(shares.first).startswith("A.ack-none-left: step 2 (m2 consumer_heartbeat at 200 ms), seen: recorded")
    assert "response 100.00%" in str(shares.of_steps())
    assert "seen 100.00%" not in str(shares.of_steps())


def test_the_command_exits_with_1_where_a_script_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = next(script for script in read(GOLDEN / "cases.jsonl.gz") if script["name"] == "A.vote-tie-base")
    (tmp_path / "index.json").write_text((GOLDEN / "index.json").read_text())
    file = tmp_path / "some.jsonl.gz"
    write(file, [script])
    assert status(["conformance", "check", str(file)]) == 0
    del script["steps"][1]["records"]
    write(file, [script])
    assert status(["conformance", "check", str(file)]) == 1
    assert "first difference: A.vote-tie-base: step 1" in capsys.readouterr().out
    (tmp_path / "index.json").write_text("[]")
    assert status(["conformance", "check", str(file)]) == 2
