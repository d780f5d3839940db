"""Scripts recorded from Kafka 4.4's consumer protocol, played against the simulated coordinator."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest

from groupsim.cli.main import status
from groupsim.conformance.scripts.check import Shares
from groupsim.conformance.scripts.groups.compare import differences, misplaced_records
from groupsim.conformance.scripts.groups.topics import beside, with_topic_ids
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import read, write
from tests.thinned import some

GOLDEN = Path(__file__).parent.parent / "golden" / "consumer-protocol"
IDS = beside(GOLDEN / "cases.jsonl.gz")
FILES = {"cases": 1, "matrix": 6, "random": 6, "restart": 2}
"""The recordings, all 1,830 scripts; in how many parts each is played, for tests side by side."""
recorded = lru_cache(1)(lambda file: read(GOLDEN / f"{file}.jsonl.gz"))
"""The parts of one file come one after the other."""
PARTS = [part for file, parts in FILES.items() for part in some([(file, part, parts) for part in range(parts)], 2)]


@pytest.mark.parametrize(("file", "part", "parts"), PARTS)
def test_members_are_answered_groups_converted_and_records_written_as_kafka_does(
    file: str, part: int, parts: int
) -> None:
    scripts = [with_topic_ids(script, IDS) for script in recorded(file)[part::parts]]
    found = [
        f"{script['name']}: {difference}" for script in scripts for difference in differences(script, play(script))
    ]
    assert scripts
    assert found == []


def test_a_difference_names_the_step_and_what_differs() -> None:
    script = next(script for script in read(GOLDEN / "cases.jsonl.gz") if script["name"] == "A.ack-none-left")
    script["steps"][1]["response"] = {"error": "FENCED_MEMBER_EPOCH"}
    first = next(iter(differences(script, play(script))))
    assert (first.step["i"], first.kind) == (1, "consumer_heartbeat response")


def test_records_may_stand_with_a_neighbouring_step_but_not_two_steps_away_and_none_may_be_missing() -> None:
    script = next(script for script in read(GOLDEN / "cases.jsonl.gz") if script["name"] == "A.ack-none-left")
    played = play(script)
    assert misplaced_records(script, played) == set()
    steps = played["steps"]
    wrote = next(i for i, step in enumerate(steps) if i > 0 and step.get("records") and "records" not in steps[i + 1])
    moved = steps[wrote].pop("records")
    assert [d.what for d in differences(script, played)] == ["records"]
    steps[wrote + 1]["records"] = moved
    assert misplaced_records(script, played) == {wrote, wrote + 1}
    assert list(differences(script, played)) == []
    steps[wrote + 2]["records"] = steps[wrote + 1].pop("records") + steps[wrote + 2].get("records", [])
    assert "records" in [d.what for d in differences(script, played)]


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
