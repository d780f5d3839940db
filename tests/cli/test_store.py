"""The store at the shell: any database by its URL, verify, import, --resume; trouble is one sentence and status 2."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from groupsim.storage import open_store, sqlite
from tests.cli.conftest import Call
from tests.postgres import PASSWORD, Server, server
from tests.storage.facts import info, plain, write

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with server() as running:
        yield running


@pytest.fixture
def ended(call: Call) -> str:
    """The id of a run in the store of this test's folder."""
    return str(call("run", "zombie_member", "--record", "facts", "--format", "json").json["run"])


def killed(path: Path, run: str, keep: int) -> str:
    """Put what a process that was killed had written of the run into another store; gives its id."""
    store = open_store(path)
    whole = store.find(run)
    cut = open_store("killed.db")
    rows = list(store.rows(run, stop=keep))
    about = info("cut", seed=whole.seed, params=whole.params, facts=keep, record=whole.record)
    cut.import_run(type(about)(**{**{f: getattr(about, f) for f in about.__struct_fields__}, "name": whole.name}), rows)
    cut.close()
    store.close()
    return "cut"


def test_every_command_works_on_postgresql(call: Call, postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSIM_STORE", postgres.schema("every_command"))
    here = call("run", "zombie_member", "--store", "here.db", "--format", "json").json
    there = call("run", "zombie_member", "--format", "json").json
    assert there["digest"] == here["digest"]
    for command in ("unavailable", "timeline", "rebalances", "show", "replay"):
        answers = [call(command, "latest", "--format", "json", *place) for place in ((), ("--store", "here.db"))]
        assert [answer.status for answer in answers] == [0, 0]
        assert answers[0].json == answers[1].json, command
    assert call("replay", "latest", "--verify").status == 0
    assert call("verify", "latest", "--format", "json").json["ok"]
    assert [run["run"] for run in call("runs", "--format", "json").json] == [there["run"]]
    for place in ("lake", "facts.jsonl"):
        assert call("export", "latest", "--to", place).status == 0
        (got,) = call("import", place, "--store", f"{place}.db", "--format", "json").json
        assert got == {
            "run": there["run"],
            "name": "zombie_member",
            "facts": there["facts"],
            "digest": there["digest"],
            "new": True,
        }
    (got,) = call("import", "lake", "--format", "json").json
    assert not got["new"]


def test_a_database_that_can_not_be_reached_is_one_sentence_without_the_password(call: Call, postgres: Server) -> None:
    wrong = {
        postgres.url(password="hunter2"): "password authentication failed",
        postgres.url(database="nowhere"): 'database "nowhere" does not exist',
        f"postgresql+psycopg://me:{PASSWORD}@127.0.0.1:1/x": "Connection refused",
        f"postgresql+psycopg://me:{PASSWORD}@127.0.0.1:port/x": "neither a path nor a database URL",
        f"postgresql+psycopg2://me:{PASSWORD}@127.0.0.1/x": "'postgresql+psycopg2' is not supported for a store",
        f"mysql://me:{PASSWORD}@127.0.0.1/x": "'mysql' is not supported for a store",
        postgres.schema("still_empty"): "there is no store at postgresql://127.0.0.1:",
    }
    for url, sentence in wrong.items():
        called = call("runs", "--store", url)
        assert (called.status, called.out, called.err.count("\n")) == (2, "", 1), called
        assert sentence in called.err
        assert PASSWORD not in called.err
        assert "hunter2" not in called.err


def test_verify_says_ok_or_where_damage_begins(call: Call, ended: str) -> None:
    assert call("verify", ended[:6]).out.startswith(f"ok  run {ended}  ")
    connection = sqlite3.connect("groupsim.db")
    connection.execute("DROP TRIGGER facts_stay")
    connection.execute("UPDATE facts SET at_ms = at_ms + 1 WHERE seq = 100")
    connection.commit()
    connection.close()
    verified = call("verify", "latest", "--format", "json")
    assert (verified.status, verified.json["ok"]) == (1, False)
    assert verified.json["first_seq"] <= 100 <= verified.json["last_seq"]
    assert "DAMAGED  run" in call("verify", "latest").err
    again = call("replay", "latest", "--verify")
    assert again.status == 1
    assert "fact 100 at" in again.err


def test_a_killed_run_is_resumed_to_the_same_digest(call: Call, ended: str) -> None:
    run = killed(Path("groupsim.db"), ended, 100)
    before = call("runs", "--format", "json").json[0]
    assert call("verify", run, "--store", "killed.db").status == 0
    resumed = call("run", "--resume", run, "--store", "killed.db", "--format", "json")
    assert (resumed.status, resumed.json["digest"], resumed.json["run"]) == (0, before["digest"], run)
    assert call("verify", run, "--store", "killed.db").status == 0
    again = call("run", "--resume", run, "--store", "killed.db")
    assert (again.status, again.err) == (2, "groupsim: run cut has ended (finished), so it can't be resumed\n")


def test_a_prefix_that_comes_out_otherwise_is_refused_by_its_first_fact(call: Call, ended: str) -> None:
    run = killed(Path("groupsim.db"), ended, 100)
    connection = sqlite3.connect("killed.db")
    connection.execute("UPDATE runs SET seed = seed + 1")
    connection.commit()
    connection.close()
    refused = call("run", "--resume", run, "--store", "killed.db")
    assert refused.status == 2
    assert "run cut can't be resumed: fact " in refused.err
    assert call("runs", "--store", "killed.db", "--format", "json").json[0]["facts"] == 100
    for more in (("zombie_member",), ("--seed", "1"), ("--set", "a=1")):
        assert "--resume takes scenario, seed and settings from" in call("run", "--resume", run, *more).err


def test_a_full_disk_is_one_sentence_and_leaves_the_store_whole(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "groupsim.cli.main",
        "run",
        "eager_vs_cooperative",
        "--store",
        str(tmp_path / "s.db"),
    ]
    small = ["sh", "-c", 'ulimit -f 800 && exec "$@"', "sh", *command]  # blocks of 512 bytes
    full = subprocess.run(small, capture_output=True, text=True, cwd=ROOT, check=False, timeout=300)
    assert (full.returncode, full.stdout, full.stderr.count("\n")) == (2, "", 1), full
    assert "s.db can't be used: disk I/O error" in full.stderr
    store = open_store(tmp_path / "s.db")
    (run,) = store.runs()
    assert run.status == "running"
    assert [row[0] for row in store.rows(run.id)] == list(range(run.facts))
    assert run.facts > 0
    assert full.stderr.endswith(f"; `groupsim run --resume {run.id}` continues from what was stored\n")
    store.close()
    again = [*command[:4], "--resume", run.id, *command[5:], "--format", "json"]
    resumed = subprocess.run(again, capture_output=True, text=True, cwd=ROOT, check=True)
    assert json.loads(resumed.stdout)["status"] == "finished"


def test_a_store_that_is_only_read_answers_and_refuses_to_be_written(call: Call, ended: str) -> None:
    url = f"sqlite:///file:{Path.cwd()}/groupsim.db?mode=ro&uri=true"
    assert call("replay", "latest", "--store", url).status == 0
    assert call("verify", "latest", "--store", url).status == 0
    refused = call("run", "zombie_member", "--store", url)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "attempt to write a readonly database" in refused.err
    assert call("runs", "--format", "json").json[0]["run"] == ended


def test_a_store_is_named_by_sqlalchemys_url_too(call: Call, ended: str) -> None:
    assert call("runs", "--store", "sqlite:///groupsim.db", "--format", "json").json[0]["run"] == ended
    write(store := open_store("groupsim.db"), "more", 3).append(9, "s", [plain(1)])
    store.close()
    assert len(call("runs", "--store", "groupsim.db", "--format", "json").json) == 2


ENDLESS = """
import os
from pathlib import Path
from groupsim.scenarios.dsl import scenario

@scenario(lasts=600_000)
def story(world):
    topic = world.topic("t", 12)
    world.group("g").join(3, topics=[topic])
    yield world.sleep(300_000)
    {}
"""


@pytest.mark.parametrize("what", ["Path('s.db').unlink()", "os.replace('other.db', 's.db')"])
def test_a_store_that_is_deleted_or_replaced_while_a_run_is_written_is_a_failure(call: Call, what: str) -> None:
    """SQLite writes on, to a file that no name leads to."""
    Path("story.py").write_text(ENDLESS.format(what))
    call("run", "steady_state", "--store", "other.db")
    lost = call("run", "story.py", "--store", "s.db")
    assert (lost.status, lost.out) == (2, "")
    assert (
        lost.err == "groupsim: the store s.db was deleted or replaced while it was written: what was written is lost\n"
    )


@pytest.mark.parametrize("command", [("runs",), ("run", "steady_state", "--set", "duration.ms=10000")])
def test_a_store_that_another_process_has_locked_is_waited_for_and_it_is_said(
    call: Call, monkeypatch: pytest.MonkeyPatch, command: Sequence[str]
) -> None:
    call("run", "steady_state", "--set", "duration.ms=10000")
    locking = sqlite3.connect("groupsim.db", isolation_level=None)
    locking.execute("PRAGMA locking_mode = EXCLUSIVE")
    locking.execute("BEGIN EXCLUSIVE")
    locking.execute("CREATE TABLE other (a)")
    monkeypatch.setattr(sqlite, "_SILENT_S", -1.0)
    monkeypatch.setattr(sqlite, "let_through", locking.close)
    waited = call(*command)
    assert waited.err.startswith("note: waiting for the store groupsim.db, for 60 s at most: another process")
    assert "groupsim: " not in waited.err
    assert waited.out
