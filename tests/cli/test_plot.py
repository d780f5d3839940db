"""groupsim plot: pictures as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call

PNG, SVG = b"\x89PNG", b"<?xml"


@pytest.fixture
def run(call: Call) -> str:
    """A short run in the store."""
    return str(call("run", "initial_delay", "--format", "json").json["run"])


def test_pictures_of_a_run_are_written_by_the_name_of_the_file(call: Call, run: str) -> None:
    for kind in ("timeline", "unavailable", "lag", "rebalance"):
        assert call("plot", kind, run) == (0, "", f"picture written to {kind}.png\n")
        assert Path(f"{kind}.png").read_bytes().startswith(PNG)
    assert call("plot", "timeline", run, "-o", "a.svg", "--theme", "dark", "-q") == (0, "", "")
    assert Path("a.svg").read_bytes().startswith(SVG)


def test_equal_runs_give_equal_files(call: Call, run: str) -> None:
    for name in ("a.svg", "b.svg"):
        assert call("plot", "unavailable", run, "-o", name).status == 0
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


def test_runs_are_compared_in_a_page_that_zooms_and_needs_no_other(call: Call, run: str) -> None:
    other = call("run", "initial_delay", "--set", "delay_ms=3000", "--format", "json").json["run"]
    assert call("plot", "compare", run, other, "--by", "phase", "-o", "both.html").status == 0
    page = Path("both.html").read_text("utf-8")
    assert f"initial_delay {run}" in page
    assert "<script src=" not in page


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("timelin", "latest"), "near names: timeline"),
        (("compare", "latest"), "needs 2 to 8 different runs, not 1"),
        (("timeline", "latest", "--group", "bill"), "has no group 'bill'; it has"),
        (("timeline", "latest", "--theme", "red"), "--theme must be light or dark"),
        (("timeline", "latest", "-o", "x.gif"), "the name must end in .png"),
        (("timeline", "latest", "-o", "nowhere/x.png"), "there is no folder 'nowhere'"),
        (("rebalance", "latest", "--generation", "999"), "999"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_status_2(
    call: Call, run: str, arguments: tuple[str, ...], says: str
) -> None:
    answer = call("plot", *arguments)
    assert answer.status == 2
    assert says in answer.err
    assert answer.err.count("\n") == 1
