"""groupsim assign, assignors, incident, conformance, and what all commands share."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "incidents"
PROBLEM = {
    "id": "p",
    "problem": {
        "topics": {"t": 3},
        "members": [
            {"id": "a", "topics": ["t"], "owned": [], "generation": -1, "group_instance_id": None, "rack": None}
        ],
    },
}


def test_assign_answers_in_order_and_reports_a_bad_line_by_number(call: Call, tmp_path: Path) -> None:
    lines = [json.dumps(PROBLEM), "{nonsense", json.dumps({**PROBLEM, "id": "q"})]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    called = call("assign", "--assignor", "range", "--assignor", "sticky", "--input", "in.jsonl")
    assert called.status == 2
    answers = [json.loads(line) for line in called.out.splitlines()]
    assert [a["id"] for a in answers] == ["p", "q"]
    assert answers[0]["assignments"]["range"] == {"a": [["t", 0], ["t", 1], ["t", 2]]}
    assert "line 2" in called.err


def test_explain_measures_against_the_optimum_and_proves_it(call: Call, tmp_path: Path) -> None:
    members = [
        {"id": f"C{i}", "topics": [f"t{j}" for j in range(i + 1)], "owned": [], "generation": -1} for i in range(3)
    ]
    problem = {"id": "x", "problem": {"topics": {"t0": 1, "t1": 2, "t2": 3}, "members": members}}
    (tmp_path / "in.jsonl").write_text(json.dumps(problem))
    names = ("--assignor", "range", "--assignor", "optimal-sticky")
    answer = call("assign", *names, "--input", "in.jsonl", "--explain").json
    assert answer["metrics"]["optimal-sticky"]["balance_gap"] == 0
    assert answer["metrics"]["range"]["balance_gap"] > 0
    assert answer["explain"]["optimal-sticky"]["certificate"]["proved"] is True
    plain_answer = call("assign", *names, "--input", "in.jsonl").json
    assert "explain" not in plain_answer
    assert "balance_gap" not in plain_answer["metrics"]["range"]


def test_assign_reads_gzip_and_refuses_unknown_assignors(call: Call, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(json.dumps(PROBLEM).encode()))
    assert call("assign", "--assignor", "roundrobin", "--input", "in.jsonl.gz").status == 0
    refused = call("assign", "--assignor", "rang", "--input", "in.jsonl.gz")
    assert (refused.status, "near names: range" in refused.err) == (2, True)
    missing = call("assign", "--assignor", "range", "--input", "none.jsonl")
    assert (missing.status, missing.err) == (2, "groupsim: none.jsonl: No such file or directory\n")


def test_assignors_are_listed_with_source_and_drawback(call: Call) -> None:
    listed = {row["name"]: row for row in call("assignors", "--format", "json").json}
    assert {"range", "roundrobin", "sticky", "cooperative-sticky"} <= set(listed)
    assert all(row["source"] and row["drawback"] for row in listed.values())


def test_an_incident_is_read_imported_and_asked_like_any_run(call: Call) -> None:
    logs = sorted(map(str, (EXAMPLES / "kill9-range").glob("*.log.gz")))
    read = call("incident", "read", *logs, "--format", "jsonl")
    assert read.status == 0
    rows = [json.loads(line) for line in read.out.splitlines()]
    assert set(rows[0]) == {"file", "line", "at", "kind", "group", "member", "client", "detail"}
    counts, *advice = read.err.splitlines()
    assert "lines read" in counts
    assert advice[0] == "logs of brokers: broker.log.gz"
    assert advice[-1].startswith("next: `groupsim import`")
    assert call("--quiet", "incident", "read", *logs, "--format", "jsonl") == read._replace(err="")
    imported = call("incident", "import", *logs, "--name", "kill9", "--format", "json").json
    assert imported["source"] == "recorded"
    assert imported["unavailable"]["by_label"]["OWNER_DEAD"] > 0
    assert imported["notes"]
    rebalances = call("rebalances", "latest", "--format", "json").json
    assert [r["generation"] for r in rebalances] == [1, 2, 3, 4]
    assert [r["at"] for r in rebalances] == sorted(r["at"] for r in rebalances)
    assert rebalances[0]["at"].startswith("2026-11-20T11:27:14.")
    assert call("show", "latest", "--format", "json").json[0]["at"] == imported["origin"]
    assert call("timeline", "latest", "--format", "json").json
    assert call("unavailable", "latest").status == 0
    assert call("replay", "latest", "--format", "json").status == 0
    assert call("replay", "latest", "--verify").status == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("incident", "read", "none.log"), "none.log"),
        (("incident", "import", "none.log"), "none.log"),
        (("incident", "import", "x.log", "--topic", "orders"), "expected KEY=VALUE"),
        (("incident", "import", "x.log", "--topic", "orders=many"), "whole number"),
        (("incident", "import", "x.log", "--topic", "orders=0"), "at least 1"),
        (("conformance", "play", "none.jsonl"), "none.jsonl"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_and_status_2(call: Call, arguments: tuple[str, ...], says: str) -> None:
    called = call(*arguments)
    assert called.status == 2
    assert says in called.err
    assert len(called.err.strip().splitlines()) == 1


def test_conformance_check_names_the_first_difference(call: Call, tmp_path: Path) -> None:
    golden = Path(__file__).parent.parent / "golden" / "broker" / "cases.jsonl.gz"
    records = [json.loads(line) for line in gzip.decompress(golden.read_bytes()).splitlines()[:3]]
    (tmp_path / "ok.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert call("conformance", "check", "ok.jsonl").out == "ok.jsonl  3 equal  0 different\n"
    records[1]["steps"][0]["response"]["error"] = "NOT_COORDINATOR"
    (tmp_path / "bad.jsonl").write_text("\n".join(map(json.dumps, records)))
    called = call("conformance", "check", "bad.jsonl")
    assert called.status == 1
    assert f"first difference: {records[1]['name']}: step 0" in called.out
    played = [json.loads(line) for line in call("conformance", "play", "bad.jsonl").out.splitlines()]
    assert [p["name"] for p in played] == [r["name"] for r in records]
    assert set(played[0]["steps"][0]) >= {"response", "after", "t"}


def test_names_from_a_log_cannot_speak_to_the_terminal(call: Call, tmp_path: Path) -> None:
    evil = "g\x1b[31m[bold]x"
    line = (
        f"[2024-01-01 00:00:00,000] INFO [GroupCoordinator 0]: Preparing to rebalance group {evil} in state "
        "PreparingRebalance with old generation 1 (__consumer_offsets-1) (reason: removing member m-1 on heartbeat "
        "expiration) (kafka.coordinator.group.GroupCoordinator)\n"
    )
    (tmp_path / "evil.log").write_text(line)
    for arguments in (("incident", "read", "evil.log"), ("incident", "import", "evil.log"), ("rebalances", "latest")):
        called = call(*arguments)
        assert "\x1b[31m" not in called.out + called.err


def test_every_command_has_help_with_an_example(call: Call) -> None:
    commands = [
        "run",
        "unavailable",
        "timeline",
        "rebalances",
        "replay",
        "runs",
        "show",
        "export",
        "assign",
        "assignors",
    ]
    nested = [("incident", "read"), ("incident", "import"), ("conformance", "play"), ("conformance", "check")]
    for command in [(name,) for name in commands] + nested:
        called = call(*command, "--help")
        assert called.status == 0
        assert f"groupsim {' '.join(command)}" in called.out.replace("\n", " ")
