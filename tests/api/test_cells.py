"""A scenario that stands in a cell of a notebook is given to other processes as a text of its own."""

from __future__ import annotations

import linecache
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import groupsim
from groupsim.api.scenarios import subject
from groupsim.pipeline.grid import load
from groupsim.simulation.run import Scenario, run
from groupsim.storage import open_store


class Notebook:
    """Cells as a kernel runs them: one after the other in `__main__`, each kept where its text can be read."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def cell(self, text: str) -> None:
        place = f"/nowhere/ipykernel_1/{len(self.names)}.py"
        text = dedent(text)
        linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
        exec(compile(text, place, "exec"), self.names)


@pytest.fixture
def notebook() -> Notebook:
    found = Notebook()
    found.cell("import groupsim\nfrom groupsim import seconds\nfrom datetime import timedelta as delta\nPAUSE = 5\n")
    found.cell(
        """
        def restarted(member):
            return member.restart(downtime=seconds(PAUSE))
        """
    )
    found.cell(
        """
        @groupsim.scenario(lasts=seconds(40))
        def deploy(world: groupsim.World, members: int = 2) -> groupsim.Script:
            group = world.group("billing")
            running = group.join(members, topics=[world.topic("orders", partitions=4)])
            yield group.stable(members=members)
            for member in running:
                yield restarted(member)
                yield group.stable(members=members)

        raise_if_swept_here = [1]
        """
    )
    return found


def played(story: Scenario) -> str:
    return run(story, open_store(":memory:"), seed=3).info.digest or ""


def test_the_text_has_what_the_function_uses_and_nothing_else(notebook: Notebook) -> None:
    notebook.cell("orders = [print]; member = open; world = object()")  # names of attributes and of arguments, too
    what = subject(notebook.names["deploy"])
    assert what.scenario == "deploy.py::deploy"
    assert what.text is not None
    assert "PAUSE = 5\n" in what.text
    assert "delta" not in what.text
    assert "raise_if_swept_here" not in what.text
    assert played(load(what)) == played(notebook.names["deploy"])


def test_a_changed_value_is_another_text(notebook: Notebook) -> None:
    before = subject(notebook.names["deploy"])
    notebook.cell("PAUSE = 6")
    assert subject(notebook.names["deploy"]) != before


@pytest.mark.parametrize("value", ["print", "[print]", "object()", "lambda: 1", "float('nan')"])
def test_a_value_that_has_no_text_is_one_sentence(notebook: Notebook, value: str) -> None:
    notebook.cell(f"PAUSE = {value}")
    if value == "print":
        assert "print as PAUSE" in (subject(notebook.names["deploy"]).text or "")
        return
    with pytest.raises(groupsim.GroupsimError, match=r"'deploy'.* uses 'PAUSE', .*%%writefile deploy\.py"):
        subject(notebook.names["deploy"])


def test_a_function_inside_a_function_keeps_what_it_was_given(notebook: Notebook) -> None:
    notebook.cell(
        """
        def made(pause):
            @groupsim.scenario(lasts=seconds(40))
            def slow(world):
                world.group("g").join(1, topics=[world.topic("t", partitions=1)])
                yield world.sleep(pause)
            return slow

        slow = made(2_000)
        """
    )
    what = subject(notebook.names["slow"])
    assert "pause = 2000\n" in (what.text or "")
    assert played(load(what)) == played(notebook.names["slow"])


def test_a_function_that_calls_itself_is_written_once(notebook: Notebook) -> None:
    notebook.cell("def restarted(member, n=1):\n    return restarted(member, 0) if n else member.restart(downtime=1)\n")
    assert (subject(notebook.names["deploy"]).text or "").count("def restarted") == 1


def test_a_cell_that_a_debugger_has_written_is_no_file(notebook: Notebook, tmp_path: Path) -> None:
    place = tmp_path / "ipykernel_7" / "1.py"
    place.parent.mkdir()
    place.write_text("@groupsim.scenario(lasts=9)\ndef one(world):\n    yield world.sleep(1)\n\nraise OSError\n")
    text = place.read_text().removesuffix("\nraise OSError\n")
    exec(compile(text, str(place), "exec"), notebook.names)
    assert "OSError" not in (subject(notebook.names["one"]).text or "")


def test_a_scenario_that_uses_another_one_is_the_one_that_is_meant(notebook: Notebook) -> None:
    notebook.cell(
        """
        @groupsim.scenario(lasts=seconds(90))
        def twice(world: groupsim.World) -> groupsim.Script:
            yield from deploy.story(world)
        """
    )
    assert load(subject(notebook.names["twice"])).name == "twice"


def test_a_what_if_knows_the_function_that_was_run(notebook: Notebook, tmp_path: Path) -> None:
    story = notebook.names["deploy"]
    store = tmp_path / "runs.db"
    run = groupsim.run(story, seed=3, store=store)
    found = run.what_if(assignor="range", seeds=range(2))
    assert list(found.to_frame()["choice"]) == ["as recorded", "range"]
    loaded = groupsim.load(store)
    with pytest.raises(
        groupsim.GroupsimError, match=r"'deploy', stood in no file: give it: scenario=FILE, or its func"
    ):
        loaded.what_if(assignor="range")
    assert loaded.what_if(assignor="range", seeds=range(2), scenario=story).answer == found.answer
