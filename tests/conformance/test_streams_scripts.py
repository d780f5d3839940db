"""Scripts recorded from Kafka 4.4's streams groups, played against the simulated coordinator."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groupsim.conformance.scripts.groups.compare import differences
from groupsim.conformance.scripts.groups.topics import beside, with_topic_ids
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import BadScript, Script, read
from tests.thinned import some

GOLDEN = Path(__file__).parent.parent / "golden" / "streams-groups"
IDS = beside(GOLDEN / "cases.jsonl.gz")
SIZES = {"cases": 317, "matrix": 344, "random": 300, "restart": 16, "put-aside": 223, "put-aside-2": 112}
SIZES |= {"put-aside-3": 211, "kafka-4.3.1": 136}
ALIKE = {"random", "put-aside", "put-aside-2", "put-aside-3"}
"""Drawn by a program: by day every second script is played."""
KNOWN = {"put-aside-2": {"R.topics.20261128018"}, "put-aside-3": {"R.static.20261129019"}}
KNOWN |= {"kafka-4.3.1": {"A.commit-versions", "R.native.1071105"}}
"""By file; `recorders.page.known_differences` has the reasons."""


def scripts(file: str) -> list[Script]:
    return [with_topic_ids(script, IDS) for script in read(GOLDEN / f"{file}.jsonl.gz")]


@pytest.mark.parametrize("file", SIZES)
def test_members_are_answered_tasks_handed_over_and_records_written_as_kafka_does(file: str) -> None:
    recorded = scripts(file)
    found = [
        f"{script['name']}: {difference}"
        for script in some(recorded, 2 if file in ALIKE else 1)
        for difference in differences(script, play(script))
        if script["name"] not in KNOWN.get(file, ())
    ]
    assert len(recorded) == SIZES[file]
    assert found == []


def test_the_examples_of_defects_are_answered_as_kafka_did() -> None:
    examples = Path(__file__).parents[2] / "examples" / "streams-and-share-groups"
    played = {script["name"]: play(script) for script in read(examples / "defects.jsonl.gz")}
    readme = (examples / "README.md").read_text("utf-8")
    assert list(played) == re.findall(r"^\| `([a-z-]+)` \|", readme, re.MULTILINE)
    for script in read(examples / "defects.jsonl.gz"):
        assert list(differences(script, played[script["name"]])) == []
    assert played["no-answer"]["steps"][4]["response"] is None


def test_a_script_may_say_of_which_release_the_broker_is() -> None:
    script = next(script for script in scripts("cases") if script["name"] == "A.static-theft-revoking")
    answers = {}
    for version in ("4.1", "4.3", "4.4"):
        answers[version] = play({**script, "broker_version": version})["steps"][0]["response"]["error"]
    assert answers == {"4.1": "UNSUPPORTED_VERSION", "4.3": "INVALID_REQUEST", "4.4": "NONE"}
    with pytest.raises(BadScript, match=r"broker_version must be one of 4\.0, 4\.1"):
        play({**script, "broker_version": "5.0"})


def test_a_planted_difference_is_found() -> None:
    script = next(script for script in scripts("cases") if script["name"] == "A.static-theft-waiting")
    script["steps"][6]["seen"]["members"][1]["target"]["active"] = {}
    script["steps"][9]["response"]["active"] = {}
    script["steps"][9]["records"].pop()
    assert [(d.step["i"], d.what) for d in differences(script, play(script))] == [
        (6, "seen"),
        (7, "seen"),
        (8, "seen"),
        (9, "response"),
        (9, "records"),
    ]
