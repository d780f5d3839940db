"""groupsim new, doctor, tour, completion, --quiet, and the help of every command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from groupsim.cli.main import app
from tests.cli.conftest import Call


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every command of the program."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


COMMANDS = sorted(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_help_of_every_command_has_an_example_of_that_command(path: tuple[str, ...], call: Call) -> None:
    shown = call(*path, "--help")
    assert shown.status == 0
    short = path[1:] if path[0] == "incident" else path  # its commands are `groupsim import`, and so on
    assert f"Example: groupsim {' '.join(short)}" in shown.out


def test_an_unknown_command_is_answered_with_a_near_one(call: Call) -> None:
    answer = call("rum")
    assert (answer.status, answer.err) == (2, "groupsim: No such command 'rum'. Did you mean 'run'?\n")


def test_a_command_of_a_group_is_found_without_the_group(call: Call) -> None:
    assert call("reenact", "x.json").err == (
        "groupsim: No such command 'reenact'. Did you mean `groupsim conformance reenact`?\n"
    )
    assert call("whatiff").err == "groupsim: No such command 'whatiff'. Did you mean 'whatif'?\n"
    assert call("incident", "unavailabel").err.endswith("Did you mean `groupsim unavailable`?\n")
    assert call("xyzzy").err == "groupsim: No such command 'xyzzy'.\n"


def test_the_version_is_printed(call: Call) -> None:
    assert call("--version").out.startswith("groupsim 0.")


def test_quiet_leaves_notes_out_and_errors_in(call: Call) -> None:
    assert call("new", "one", "-q") == (0, "one.py\n", "")
    assert "run it with" in call("new", "two").err
    refused = call("--quiet", "new", "one")
    assert refused.status == 2
    assert "one.py already exists" in refused.err


def test_a_new_scenario_runs_as_it_is_and_with_its_parameters_set(call: Call, tmp_path: Path) -> None:
    (tmp_path / "my").mkdir()
    assert call("new", "my/deploy").out == "my/deploy.py\n"
    summary = call("run", "my/deploy.py", "--set", "members=4", "--format", "json")
    assert summary.status == 0
    assert summary.json["scenario"] == "deploy"
    assert summary.json["groups"]["billing"]["members"] == 3
    assert summary.json["unavailable"]["by_label"]["OWNER_DEAD"] > 0


@pytest.mark.parametrize("name", ["my-deploy", "class", "7up", "a b"])
def test_a_name_that_python_can_not_have_is_refused(name: str, call: Call, tmp_path: Path) -> None:
    answer = call("new", name)
    assert answer.status == 2
    assert "can't be the name of a scenario" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_scenario_in_a_folder_that_is_not_there_is_refused(call: Call) -> None:
    answer = call("new", "nowhere/deploy")
    assert (answer.status, answer.err) == (
        2,
        "groupsim: nowhere/deploy.py can't be written: No such file or directory\n",
    )


def test_the_doctor_finds_this_environment_healthy(call: Call) -> None:
    answer = call("doctor", "--format", "json")
    assert answer.status == 0
    checks = {row["check"]: row["state"] for row in answer.json}
    assert checks["Python"] == checks["packages"] == checks["Java"] == checks["store"] == "ok"


def test_the_doctor_names_a_store_that_is_none(call: Call, tmp_path: Path) -> None:
    (tmp_path / "groupsim.db").write_bytes(b"not a database, but long enough to be looked at" * 100)
    answer = call("doctor", "--format", "json")
    assert answer.status == 1
    assert [row["check"] for row in answer.json if row["state"] == "wrong"] == ["store"]


@pytest.mark.slow
def test_the_tour_goes_through_without_a_failure_and_leaves_nothing(call: Call, tmp_path: Path) -> None:
    answer = call("tour", "--no-wait")
    assert answer.status == 0
    assert "11 of 11." in answer.out
    assert "verified" in answer.out
    assert "matches" not in answer.err  # no stop shows an empty page
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "offered"),
    [("groupsim run rolling_", "rolling_restart"), ("groupsim assign --assignor coop", "cooperative-sticky")],
)
def test_tab_completes_scenarios_and_assignors(line: str, offered: str, tmp_path: Path) -> None:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    shell = {**os.environ, **words, "_GROUPSIM_COMPLETE": "complete_bash"}
    program = Path(sys.executable).parent / "groupsim"
    done = subprocess.run([program], env=shell, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [offered]
