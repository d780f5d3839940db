"""Every code block of the README and of docs/ is run, and its output compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doc_blocks import ROOT, agree, blocks, masked, needs_spark, run, steps
from tests.postgres import Server, server
from tests.thinned import some

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = {page: found for page in PAGES if (found := blocks(page.read_text("utf-8")))}
SHOWN_IN_FULL = [ROOT / "README.md", ROOT / "docs" / "tutorial.md"]


@pytest.fixture
def postgres() -> Iterator[Server]:
    """For the page about it."""
    with server() as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.spark] * any(map(needs_spark, found))) for page, found in RUN.items()],
    ids=[page.name for page in RUN],
)
def test_every_block_does_what_the_page_says(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """README by a shell, as its readers; of the others what needs none is called in this process."""
    settings = {}
    if page.stem == "postgresql":
        settings["GROUPSIM_STORE"] = request.getfixturevalue("postgres").schema("groupsim")
    alike = _advices(page)
    left_out = set(alike) - set(some(alike, 6, 1))
    for ran in run(page, tmp_path, settings, here=page.stem != "README", left_out=left_out):
        assert ran.status == 0, f"{page.name}: {ran.step.command}\n{ran.stderr}"
        got = ran.stdout.splitlines()
        assert agree(ran.step.expected, got), f"{page.name}: {ran.step.command} printed\n{ran.stdout}"


def _advices(page: Path) -> list[str]:
    """Advices on scenarios that keep no run, and those with a limit.

    No later block shows them, and each takes up to a quarter of a minute.
    """
    commands = [step.command for block in RUN[page] for step in steps(block)]
    kept = ("groupsim advise deploy ", "groupsim advise latest ")
    every = [each for each in commands if each.startswith("groupsim advise ")]
    asked = [each for each in every if not each.startswith(kept) or " --subject-to " in each]
    return [each for each in asked if " --to " not in each]


@pytest.mark.parametrize("page", SHOWN_IN_FULL, ids=lambda page: page.name)
def test_an_ellipsis_stands_only_for_ids_and_digests(page: Path) -> None:
    for block in blocks(page.read_text("utf-8")):
        for step in steps(block) if block.language == "console" else ():
            for line in step.expected:
                assert "…" not in line.removeprefix("run …").removeprefix("digest of the run …").replace(" … ", ""), (
                    f"{page.name} shows no figures: {step.command}\n{line}\npython -m tests.doc_blocks prints them"
                )


def test_a_difference_in_the_output_is_noticed() -> None:
    assert agree(["run …  ok", "…", "end"], ["run 1a  ok", "x", "y", "end"])
    assert not agree(["run …  ok"], ["run 1a  failed"])
    assert not agree(["one"], ["one", "two"])


def test_ids_and_digests_are_not_shown() -> None:
    assert masked("run 550f680f6691   again: groupsim run x --seed 7") == "run …   again: groupsim run x --seed 7"
    assert masked(f"digest of the run {'0a' * 32}") == "digest of the run …"
    assert masked("run of 24 partitions") == "run of 24 partitions"
