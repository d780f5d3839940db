"""A scenario file that a store names is somebody's program: it runs only if the user names it or says --trust."""

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
NAMED = "is a file that the store names, 'story.py': look at that file, for it will be executed"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with server() as running:
        yield running


def simulated(call: Call) -> str:
    """A run of a file in groupsim.db."""
    Path("story.py").write_text(STORY)
    run = str(call("run", "story.py", "--format", "json").json["run"])
    Path("executed").unlink()
    return run


def cut_to(place: str, run: str) -> None:
    """The beginning of a run of groupsim.db in another store, as a process leaves it that is killed."""
    with closing(open_store("groupsim.db")) as store, closing(open_store(place)) as cut:
        begun = msgspec.structs.replace(
            store.find(run), status="running", digest=None, simulated_ms=None, facts=2, summary={}
        )
        cut.import_run(begun, list(store.rows(run))[:2])


EVERY_COMMAND = {
    "verify": ("replay", "RUN", "--verify", "--store", "cut.db"),
    "what if": ("incident", "whatif", "RUN", "--set", "session.timeout.ms=10000", "--seeds", "0:1"),
    "resume": ("run", "--resume", "RUN", "--store", "cut.db"),
    "advise": ("advise", "RUN", "--vary", "session.timeout.ms=10000,20000"),
    "explain": ("explain", "RUN"),
    "report": ("report", "RUN"),
    "replay": ("replay", "RUN"),
    "blame": ("blame", "RUN"),
}


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_no_command_executes_it(call: Call, command: str) -> None:
    """A store may be a file that a stranger sent."""
    run = simulated(call)
    if command == "resume":
        cut_to("cut.db", run)
    else:
        shutil.copy("groupsim.db", "cut.db")
    call(*(run if word == "RUN" else word for word in EVERY_COMMAND[command]))
    assert not Path("executed").exists()


@pytest.mark.parametrize("command", ["verify", "what if", "resume"])
def test_what_would_execute_it_says_so_and_does_with_trust_or_the_file(call: Call, command: str) -> None:
    run = simulated(call)
    words = [run if word == "RUN" else word for word in EVERY_COMMAND[command]]
    by_name = ["run", "story.py", *words[1:]] if command == "resume" else [*words, "--scenario", "story.py"]
    for more in ([*words, "--trust"], by_name):
        for place in ("cut.db", "executed"):
            Path(place).unlink(missing_ok=True)
        if command == "resume":
            cut_to("cut.db", run)
        else:
            shutil.copy("groupsim.db", "cut.db")
        refused = call(*words)
        assert (refused.status, refused.err.count("\n")) == (2, 1)
        assert NAMED in refused.err
        assert refused.err.endswith("or add --trust\n")
        assert not Path("executed").exists()
        assert call(*more).status == 0, more
        assert Path("executed").exists()


@pytest.mark.parametrize("how", ["an import", "an export of the import", "Parquet", "PostgreSQL"])
def test_nor_in_any_store_that_it_gets_into(call: Call, how: str, postgres: Server) -> None:
    run = simulated(call)
    where = "third.db"
    call("export", run, "--to", "out.jsonl")
    if how == "PostgreSQL":
        where = postgres.schema("stored_code")
    assert call("import", "out.jsonl", "--store", where).status == 0
    if how in ("an export of the import", "Parquet"):
        to = "again.jsonl" if how == "an export of the import" else "lake"
        assert call("export", run, "--to", to, "--store", where).status == 0
        where = "fourth.db"
        assert call("import", to, "--store", where).status == 0
    refused = call("replay", run, "--verify", "--store", where)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert NAMED in refused.err
    assert not Path("executed").exists()
    assert call("replay", run, "--verify", "--scenario", "story.py", "--store", where).status == 0
    assert Path("executed").exists()


def test_the_command_that_goes_on_with_a_killed_run_names_the_file(call: Call) -> None:
    run = simulated(call)
    cut_to("cut.db", run)
    assert f"groupsim run story.py --resume {run} continues it" in call("unavailable", run, "--store", "cut.db").err


def test_trust_and_scenario_without_what_they_are_for_are_refused(call: Call) -> None:
    run = simulated(call)
    assert "--trust is for --resume" in call("run", "story.py", "--trust").err
    assert "--scenario and --trust are for --verify" in call("replay", run, "--trust").err


def test_a_built_in_scenario_and_a_recorded_run_need_neither(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=2000")
    call("export", "latest", "--to", "out.jsonl")
    call("import", "out.jsonl", "--store", "other.db")
    assert call("replay", "latest", "--verify", "--store", "other.db").status == 0
    log = Path(__file__).parents[2] / "examples/incidents/kill9-range"
    call("incident", "import", *sorted(map(str, log.glob("*.log.gz"))))
    asked = call("incident", "whatif", "latest", "--set", "session.timeout.ms=10000", "--seeds", "0:1")
    assert asked.status == 0, asked.err


def test_what_a_store_names_is_one_word_in_a_command_to_copy(call: Call) -> None:
    folder = Path("a; touch owned")
    folder.mkdir()
    (folder / "story.py").write_text(STORY)
    ran = call("run", str(folder / "story.py"), "--set", "session.timeout.ms=10000")
    assert "groupsim run 'a; touch owned/story.py' --seed" in ran.out
    assert "groupsim advise 'a; touch owned/story.py' --set" in call("advise", "latest", "--vary", "a=1,2").err
