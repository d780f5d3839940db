"""Every code block of the README and of docs/ is run, and its output compared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Server, server

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(console|python|json)((?: [\w=./]+)*)\n(.*?)^```$", re.M | re.S)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """(language, attributes, text) of each block that can be run."""
    return [(m[1], m[2].strip(), m[3]) for m in BLOCK.finditer(page.read_text("utf-8"))]


def shape(line: str) -> re.Pattern[str]:
    """A line of expected output; … stands for anything, white space at the end counts for nothing."""
    return re.compile(".*".join(re.escape(part) for part in line.rstrip().split("…")))


def agree(expected: list[str], got: list[str]) -> bool:
    """Whether output has the expected shape; a line … alone stands for any number of lines."""
    if not expected:
        return not got
    if expected[0].strip() == "…":
        return any(agree(expected[1:], got[i:]) for i in range(len(got) + 1))
    matches = bool(got) and shape(expected[0]).fullmatch(got[0].rstrip()) is not None
    return matches and agree(expected[1:], got[1:])


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Each `$ command` with the lines expected after it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


@pytest.fixture
def postgres() -> Iterator[Server]:
    """For the page about it."""
    with server() as running:
        yield running


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_every_block_does_what_the_page_says(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("GROUPSIM_STORE", None)
    if page.stem == "postgresql":
        environment["GROUPSIM_STORE"] = request.getfixturevalue("postgres").schema("groupsim")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for language, attributes, text in blocks(page):
        if attributes.startswith("file="):
            (tmp_path / attributes.removeprefix("file=")).write_text(text, "utf-8")
            continue
        steps = commands(text) if language == "console" else [(f"{sys.executable} -c {_quoted(text)}", ["…"])]
        for command, expected in steps:
            done = subprocess.run(
                command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{page.name}: {command}\n{done.stderr}"
            got = done.stdout.splitlines()
            assert agree(expected, got), f"{page.name}: {command} printed\n{done.stdout}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def test_a_difference_in_the_output_is_noticed() -> None:
    assert agree(["run …  ok", "…", "end"], ["run 1a  ok", "x", "y", "end"])
    assert not agree(["run …  ok"], ["run 1a  failed"])
    assert not agree(["one"], ["one", "two"])
