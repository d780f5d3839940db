"""groupsim run, replay, runs, show, export."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groupsim.storage import open_store
from tests.cli.conftest import Call

KEYS = {
    "run": str,
    "scenario": str,
    "seed": int,
    "params": dict,
    "simulated_ms": int,
    "facts": int,
    "digest": str,
    "status": str,
    "groups": dict,
    "unavailable": dict,
    "commits": dict,
    "reprocessed_records": int,
    "invariants": list,
}
FAILING = """
from groupsim.scenarios.dsl import minutes, scenario

@scenario(lasts=minutes(1))
def hopeless(world):
    orders = world.topic("orders", partitions=2)
    group = world.group("g")
    group.join(1, topics=[orders])
    yield group.stable(members=2, within=20_000)
"""


def test_the_json_of_a_run_keeps_the_contract(call: Call) -> None:
    called = call("run", "steady_state", "--format", "json")
    assert called.status == 0
    assert called.err == ""
    summary = called.json
    assert {key: type(summary[key]) for key in KEYS} == KEYS
    assert {"protocol", "rebalances", "generation", "members"} <= set(summary["groups"]["billing"])
    assert set(summary["unavailable"]) >= {"partition_ms", "by_label", "max_partitions", "share"}
    assert summary["unavailable"]["partition_ms"] == sum(summary["unavailable"]["by_label"].values())
    assert all(invariant["ok"] and not invariant["violations"] for invariant in summary["invariants"])


def test_a_run_begins_with_the_answer_that_explain_gives(call: Call) -> None:
    printed = call("run", "one_slow_member", "--set", "batch_ms=15000").out.splitlines()
    explained = call("explain", "latest", "--no-try", "--format", "json").json
    assert printed[0] == explained["answer"]
    assert "slow-rejoin" in [finding["code"] for group in explained["groups"] for finding in group["findings"]]
    assert printed[1].startswith("one_slow_member  seed 1")


def test_the_same_seed_gives_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    def digest(hash_seed: str) -> str:
        command = [
            sys.executable,
            "-m",
            "groupsim.cli.main",
            "run",
            "rolling_restart",
            "--seed",
            "7",
            "--format",
            "json",
        ]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "GROUPSIM_STORE": str(tmp_path / "h.db")}
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        return str(json.loads(done.stdout)["digest"])

    assert digest("1") == digest("2")


def test_replay_verifies_a_run_and_finds_a_changed_scenario(call: Call, tmp_path: Path) -> None:
    call("run", "steady_state", "--set", "members=2")
    verified = call("replay", "latest", "--verify", "--format", "json")
    assert verified.status == 0
    assert verified.json["verified"] is True
    group = verified.json["groups"]["billing"]
    assert (group["state"], group["generation"], len(group["members"])) == ("Stable", 1, 2)
    assert sorted(p for m in group["members"].values() for p in m["assigned"]) == [["orders", p] for p in range(12)]

    story = tmp_path / "story.py"
    text = (
        "from groupsim.scenarios.dsl import scenario\n\n"
        "@scenario(lasts=1000)\ndef s(world):\n    world.topic('t', {})\n"
    )
    story.write_text(text.format(1))
    call("run", str(story))
    story.write_text(text.format(2))
    differs = call("replay", "latest", "--verify", "--scenario", str(story))
    assert differs.status == 1
    assert "fact 0 at 0 ms" in differs.err
    assert "partitions=1" in differs.err
    assert "partitions=2" in differs.err


def test_replay_at_an_instant_shows_the_state_then(call: Call) -> None:
    call("run", "steady_state")
    early = call("replay", "latest", "--at", "2500", "--format", "json").json
    assert early["groups"]["billing"]["state"] == "PreparingRebalance"


def test_a_failed_story_is_one_sentence_and_status_1(call: Call, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(FAILING)
    called = call("run", "bad.py", "--format", "json")
    assert called.status == 1
    assert called.json["status"] == "failed"
    assert "not stable with 2 members within 20,000 ms" in called.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "rolling_restar"), "near names: rolling_restart"),
        (("run", "steady_state", "--set", "sesion.timeout.ms=9"), "near names: session.timeout.ms"),
        (("run", "steady_state", "--set", "session.timeout.ms"), "expected KEY=VALUE"),
        (("run", "steady_state", "--set", "session.timeout.ms=soon"), "must be a whole number"),
        (("run", "steady_state", "--set", "group.max.size=0"), "must be from 1 to"),
        (("run", "steady_state", "--set", "members=few"), "members"),
        (("run", "steady_state", "--set", "partition.assignment.strategy=stiky"), "near names: sticky"),
        (("run", "steady_state", "--set", "session.timeout.ms=1000"), "must be less than"),
        (("run", "steady_state", "--record", "some"), "--record must be all or facts"),
        (("run", "steady_state", "--seed", "x"), "--seed"),
        (("run", "nowhere/story.py"), "does not exist"),
        (("replay", "latest"), "groupsim.db"),
        (("no-such-command",), "no-such-command"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_status_2(call: Call, arguments: tuple[str, ...], says: str) -> None:
    called = call(*arguments)
    assert called.status == 2
    assert says in called.err
    assert len(called.err.strip().splitlines()) == 1
    assert "Traceback" not in called.err


def test_a_file_of_that_name_is_offered_where_no_scenario_has_it(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mydeploy.py").write_text("")
    called = call("run", "mydeploy")
    assert (called.status, "unknown scenario 'mydeploy'; did you mean mydeploy.py?" in called.err) == (2, True)


def test_what_a_client_raised_stands_in_the_summary(call: Call) -> None:
    summary = call("run", "upgrade_skipping_the_middle", "--format", "json").json
    assert {each["error"] for each in summary["raised"]} == {"INCONSISTENT_GROUP_PROTOCOL"}
    assert "raised       m1.1 INCONSISTENT_GROUP_PROTOCOL" in call("run", "upgrade_skipping_the_middle").out
    assert "raised" not in call("run", "steady_state", "--format", "json").json


def test_a_refused_run_leaves_nothing_behind(call: Call) -> None:
    call("run", "steady_state", "--set", "session.timeout.ms=1000")
    call("run", "steady_state")
    statuses = [run["status"] for run in call("runs", "--format", "json").json]
    assert statuses == ["finished"]


def test_facts_alone_are_fewer_and_say_the_same(call: Call) -> None:
    everything = call("run", "zombie_member", "--format", "json").json
    facts = call("run", "zombie_member", "--record", "facts", "--format", "json").json
    assert facts["facts"] < everything["facts"] / 2
    assert facts["unavailable"] == everything["unavailable"]


def test_show_filters_by_time_type_and_member(call: Call) -> None:
    call("run", "steady_state")
    rows = [
        json.loads(line) for line in call("show", "latest", "--type", "JoinSent", "--format", "jsonl").out.splitlines()
    ]
    assert {row["type"] for row in rows} == {"JoinSent"}
    assert len(rows) == 6
    some = call("show", "latest", "--member", "m2", "--around", "1000", "--format", "json").json
    assert some
    assert all(row["at_ms"] <= 3000 for row in some)
    assert all("m2" in json.dumps(row["event"]) for row in some)
    assert "near names: JoinSent" in call("show", "latest", "--type", "JoinSend").err


def test_unavailable_parts_add_up_whatever_they_are_broken_down_by(call: Call) -> None:
    totals = call("run", "eager_vs_cooperative", "--format", "json").json["unavailable"]
    rows = call("unavailable", "latest", "--format", "json").json
    assert sum(row["duration_ms"] for row in rows) == totals["partition_ms"]
    assert {"topic", "partition", "label", "cause", "from_ms", "to_ms", "duration_ms"} <= set(rows[0])
    for by in ("label", "cause", "rebalance", "group", "group,label", "group,partition", "partition,cause"):
        parts = call("unavailable", "latest", "--by", by, "--format", "json").json
        assert sum(row["partition_ms"] for row in parts) == totals["after_start_ms"]
    each = call("unavailable", "latest", "--by", "group,partition", "--format", "json").json
    places = {(row["group"], row["topic"], row["partition"]) for row in each}
    assert len(places) == len(each) == len({(row["group"], row["topic"], row["partition"]) for row in rows})
    assert call("unavailable", "latest", "--by", "label,rebalance").status == 2
    half = call("unavailable", "latest", "--between", "0", "30000", "--format", "json").json
    assert max(row["to_ms"] for row in half) <= 30000


def test_export_writes_parquet_and_json_lines(call: Call, tmp_path: Path) -> None:
    facts = call("run", "steady_state", "--format", "json").json["facts"]
    assert call("export", "latest", "--to", "lake").status == 0
    assert call("export", "latest", "--to", "run.jsonl").status == 0
    assert len((tmp_path / "run.jsonl").read_text().splitlines()) >= facts
    assert list((tmp_path / "lake").glob("run=*/*.parquet"))


def test_an_interrupted_run_is_marked_and_keeps_its_facts(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stop.py").write_text(
        "from groupsim.scenarios.dsl import scenario\n\n@scenario(lasts=9000)\ndef stop(world):\n"
        "    world.topic('t', 1)\n    yield world.sleep(10)\n    raise KeyboardInterrupt\n"
    )
    called = call("run", "stop.py")
    assert called.status == 130
    assert "interrupted" in called.err
    info = open_store(tmp_path / "groupsim.db").find("latest")
    assert (info.status, info.facts) == ("interrupted", 2)
