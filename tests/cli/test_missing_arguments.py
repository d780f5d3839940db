"""What is said of an argument that is missing, and of a run that there is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer

from groupsim.cli.main import app
from tests.cli.conftest import Call


def commands() -> dict[str, Any]:
    """All commands with an argument that must be given, by their words."""
    found: dict[str, Any] = {}

    def walk(words: tuple[str, ...], command: Any) -> None:
        for name, below in getattr(command, "commands", {}).items():
            walk((*words, name), below)
        if not hasattr(command, "commands") and any(param.required for param in command.params):
            found[" ".join(words)] = command

    walk((), typer.main.get_command(app))
    return found


@pytest.mark.parametrize("words", commands())
def test_each_command_shows_its_example(call: Call, words: str) -> None:
    missing = call(*words.split())
    assert (missing.status, missing.err.count("\n")) == (2, 1)
    assert "Missing " in missing.err
    short = words.removeprefix("incident ")  # `groupsim incident import` is `groupsim import`
    assert f"; for example: groupsim {short} " in missing.err
    assert ".;" not in missing.err


@pytest.mark.parametrize("words", [("report",), ("plot", "latest"), ("unavailable",), ("incident", "whatif")])
def test_a_missing_run_is_answered_with_the_runs_there_are(call: Call, words: tuple[str, ...]) -> None:
    assert "; there is no store at groupsim.db; for example: groupsim " in call(*words).err
    runs = [
        str(call("run", name, "--set", "duration.ms=10000", "--format", "json").json["run"])
        for name in ("steady_state", "zombie_member")
    ]
    missing = call(*words).err
    assert f"; groupsim.db has {runs[1]} (zombie_member), {runs[0]} (steady_state); for example: groupsim " in missing
    Path("groupsim.db").rename("other.db")
    for store in (["--store", "other.db"], ["--store=other.db"]):
        assert f"; other.db has {runs[1]} (zombie_member), " in call(*words, *store).err


def test_a_variable_that_is_empty_names_no_store(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSIM_STORE", "")
    assert "; there is no store at groupsim.db; for example: " in call("show").err
    monkeypatch.setenv("GROUPSIM_STORE", "other.db")
    assert "; there is no store at other.db; for example: " in call("show").err


def test_a_missing_scenario_is_answered_with_where_they_are(call: Call) -> None:
    for words in (("fuzz",), ("run",)):
        missing = call(*words).err
        assert "`groupsim scenarios` lists the built-in " in missing
        assert f"; for example: groupsim {words[0]} " in missing


def test_an_unknown_run_is_answered_with_ids_and_names(call: Call) -> None:
    run = call("run", "steady_state", "--set", "duration.ms=10000", "--format", "json").json["run"]
    unknown = call("unavailable", "qqqqqqqq")
    assert unknown.err == f"groupsim: there is no run 'qqqqqqqq' in groupsim.db; it has {run} (steady_state)\n"


def test_adding_partitions_means_to_so_many_and_says_it(call: Call) -> None:
    Path("story.py").write_text(
        "from groupsim.scenarios.dsl import scenario\n"
        "@scenario(lasts=90_000)\n"
        "def story(world):\n"
        "    topic = world.topic('t', 12)\n"
        "    world.group('g').join(1, topics=[topic])\n"
        "    yield world.sleep(20_000)\n"
        "    world.add_partitions(topic, 5)\n"
    )
    said = "add_partitions(…, 5) means to 5 in all, and topic 't' has 12 already: 17 would be 5 more"
    assert said in call("run", "story.py").err


@pytest.mark.parametrize("command", ["whatif", "blame", "report"])
def test_logs_instead_of_a_run_are_answered_with_what_comes_first(call: Call, command: str, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    first = f"to ask about logs: groupsim import {logs}, then groupsim {command} latest\n"
    assert call(command, str(logs)).err == f"groupsim: there is no store at groupsim.db; {first}"
    call("run", "steady_state", "--set", "duration.ms=10000")
    refused = call(command, str(logs))
    assert (refused.status, refused.err.endswith(first)) == (2, True)
    assert "import" not in call(command, "nothing").err
