"""The scenario file that an imported run names is somebody else's code: it is run only if the user names it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from groupsim.storage import open_store
from tests.cli.conftest import Call
from tests.postgres import Server, server

STORY = """
from pathlib import Path
from groupsim.scenarios.dsl import scenario
Path("executed").touch()

@scenario(lasts=1000)
def s(world):
    topic = world.topic("t", 1)
    group = world.group("g")
    group.join("a", topics=[topic])
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with server() as running:
        yield running


def exported(call: Call) -> str:
    Path("story.py").write_text(STORY)
    run = str(call("run", "story.py", "--format", "json").json["run"])
    assert call("replay", run, "--verify").status == 0  # one's own run
    call("export", run, "--to", "out.jsonl", "--store", "groupsim.db")
    assert call("import", "out.jsonl", "--store", "other.db").status == 0
    Path("executed").unlink()
    return run


def test_verifying_or_asking_what_if_does_not_run_it(call: Call) -> None:
    run = exported(call)
    for command in (("replay", run, "--verify"), ("incident", "whatif", run, "--assignor", "range")):
        refused = call(*command, "--store", "other.db")
        assert (refused.status, refused.err.count("\n")) == (2, 1)
        assert "was imported, and its scenario is a file, 'story.py'" in refused.err
    assert not Path("executed").exists()
    call("replay", run, "--fresh", "--store", "other.db")
    assert call("replay", run, "--verify", "--store", "other.db").status == 2
    assert call("replay", run, "--verify", "--scenario", "story.py", "--store", "other.db").status == 0


@pytest.mark.parametrize("how", ["a copy of the store", "an export of the import", "Parquet", "PostgreSQL"])
def test_nor_in_any_store_that_it_gets_into(call: Call, how: str, postgres: Server) -> None:
    run = exported(call)
    where = "third.db"
    if how == "a copy of the store":
        shutil.copy("other.db", where)
    elif how == "PostgreSQL":
        where = postgres.schema("imported_code")
        assert call("import", "out.jsonl", "--store", where).status == 0
    else:
        to = "again.jsonl" if how == "an export of the import" else "lake"
        assert call("export", run, "--to", to, "--store", "other.db").status == 0
        assert call("import", to, "--store", where).status == 0
    refused = call("replay", run, "--verify", "--store", where)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "was imported, and its scenario is a file, 'story.py'" in refused.err
    assert not Path("executed").exists()
    assert call("replay", run, "--verify", "--scenario", "story.py", "--store", where).status == 0
    assert Path("executed").exists()


def test_nor_does_resuming(call: Call) -> None:
    run = exported(call)
    with closing(open_store("groupsim.db")) as store, closing(open_store("cut.db")) as cut:
        whole = store.find(run)
        begun = msgspec.structs.replace(whole, status="running", digest=None, simulated_ms=None, facts=2)
        cut.import_run(begun, list(store.rows(run))[:2])
    refused = call("run", "--resume", run, "--store", "cut.db")
    assert (refused.status, Path("executed").exists()) == (2, False)
    assert "name it: groupsim run FILE --resume" in refused.err
    assert call("run", "story.py", "--resume", run, "--store", "cut.db").status == 0


def test_a_built_in_scenario_is_run_as_before(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=2000")
    call("export", "latest", "--to", "out.jsonl")
    call("import", "out.jsonl", "--store", "other.db")
    assert call("replay", "latest", "--verify", "--store", "other.db").status == 0
