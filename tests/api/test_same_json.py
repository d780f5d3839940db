"""Each command and its function give the same JSON: what the README shows, on the same runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import groupsim
from tests.cli.conftest import Call, call

__all__ = ["call"]

KILL9 = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"
_RUN = re.compile(r'"run": "([0-9a-f]{12})"|\b(?:whatif|explain|advise) ([0-9a-f]{12})\b')


def comparable(found: Any) -> Any:
    """JSON without what differs between two runs of the same: their ids."""
    text = json.dumps(found, default=str)
    for ids in _RUN.findall(text):
        text = text.replace("".join(ids), "RUN")
    return json.loads(text)


@pytest.fixture(scope="module")
def incident() -> groupsim.Run:
    return groupsim.import_logs(sorted(KILL9.glob("*.log.gz")))


def test_run(call: Call) -> None:
    called = call("run", "bad_leader", "--seed", "3", "--set", "load.rate=20", "--format", "json")
    run = groupsim.run("bad_leader", seed=3, settings={"load.rate": 20})
    assert comparable(run.to_dict()) == comparable(called.json)
    assert groupsim.load(run.store).to_dict() == run.to_dict()  # of a run that is loaded, invariants are checked again


def test_import(call: Call, incident: groupsim.Run) -> None:
    called = call("import", *map(str, sorted(KILL9.glob("*.log.gz"))), "--format", "json")
    assert comparable(incident.to_dict()) == comparable(called.json)


def test_explain_logs(call: Call) -> None:
    called = call("explain", str(KILL9), "--format", "json")
    assert groupsim.explain(KILL9).to_dict() == called.json


def test_explain_a_run(call: Call) -> None:
    assert call("run", "bad_leader", "--seed", "3").status == 0
    called = call("explain", "latest", "--format", "json")
    assert comparable(groupsim.explain(groupsim.load("groupsim.db")).to_dict()) == comparable(called.json)


def test_explain_as_text(call: Call) -> None:
    called = call("explain", str(KILL9), "--no-try")
    assert str(groupsim.explain(KILL9, simulate=False)) + "\n" == called.out


def test_what_if(call: Call, incident: groupsim.Run) -> None:
    assert call("import", *map(str, sorted(KILL9.glob("*.log.gz")))).status == 0
    choices = ["--assignor", "cooperative-sticky", "--set", "session.timeout.ms=10000,membership=static"]
    called = call("whatif", "latest", *choices, "--seeds", "0:3", "--format", "json")
    found = incident.what_if(
        assignor="cooperative-sticky",
        settings={"session.timeout.ms": 10_000, "membership": "static"},
        seeds=range(3),
    )
    assert comparable(found.to_dict()) == comparable(called.json)


def test_advise_on_a_run(call: Call, incident: groupsim.Run) -> None:
    assert call("import", *map(str, sorted(KILL9.glob("*.log.gz")))).status == 0
    asked = ["--vary", "session.timeout.ms=6000,10000", "--budget", "12", "--jobs", "1"]
    called = call("advise", "latest", *asked, "--format", "json")
    found = groupsim.advise(incident, vary={"session.timeout.ms": [6_000, 10_000]}, budget=12, jobs=1)
    assert comparable(found.to_dict()) == comparable(called.json)


def test_advise_on_a_scenario(call: Call) -> None:
    asked = ["--vary", "heartbeat.interval.ms=1000,3000", "--budget", "12", "--jobs", "1"]
    called = call("advise", "initial_delay", *asked, "--format", "json")
    found = groupsim.advise("initial_delay", vary={"heartbeat.interval.ms": [1_000, 3_000]}, budget=12, jobs=1)
    assert comparable(found.to_dict()) == comparable(called.json)


def test_assign(call: Call, tmp_path: Path) -> None:
    problem = {
        "topics": {"orders": 5},
        "members": [{"id": "a", "topics": ["orders"]}, {"id": "b", "topics": ["orders"], "owned": [["orders", 0]]}],
    }
    file = tmp_path / "problem.jsonl"
    file.write_text(json.dumps({"id": "1", "problem": problem}), encoding="utf-8")
    called = call("assign", "--assignor", "sticky", "--input", str(file))
    members = {"a": ["orders"], "b": {"topics": ["orders"], "owned": [("orders", 0)]}}
    found = groupsim.assign("sticky", topics={"orders": 5}, members=members)
    assert found.to_dict() == called.json["assignments"]["sticky"]
    assert found.metrics == called.json["metrics"]["sticky"]


@pytest.mark.spark
def test_sweep(call: Call, tmp_path: Path) -> None:
    called = call(
        "sweep", "follower_rejoins", "--grid", "assignor=range,sticky", "--seeds", "0:2", "--to", "lake",
        "--master", "local[2]", "--format", "json",
    )  # fmt: skip
    grid = {"assignor": ["range", "sticky"]}
    found = groupsim.sweep("follower_rejoins", grid=grid, seeds=range(2), to=tmp_path / "again", master="local[2]")
    assert found.to_dict() | {"to": ""} == called.json | {"to": ""}
    frame = found.to_frame()
    assert len(frame) == 4
    assert set(frame["assignor"]) == {"range", "sticky"}
    assert frame["partition_ms"].gt(0).all()


def test_a_report_is_the_commands(call: Call, tmp_path: Path) -> None:
    assert call("run", "bad_leader", "--seed", "3").status == 0
    assert call("report", "latest", "-o", "by-command.html").status == 0
    written = groupsim.load("groupsim.db").report(tmp_path / "by-python.html")
    assert written.read_text("utf-8") == (tmp_path / "by-command.html").read_text("utf-8")
