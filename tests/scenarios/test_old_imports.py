"""Scenario files written for release 0.1 import `scenarios.dsl` and others; they keep working."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from groupsim.scenarios import catalogue, dsl, probe
from groupsim.scenarios.old_imports import OLD_PACKAGES, old_imports
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

OLD_FILE = """
from assignors import ASSIGNORS
from scenarios.dsl import minutes, scenario
from scenarios.seen import watch
from simulation.clients.process import Script

assert "range" in ASSIGNORS


@scenario(lasts=minutes(1))
def old(world):
    orders = world.topic("orders", partitions=4)
    group = world.group("billing", assignor="range")
    group.join(1, topics=[orders])
    yield group.stable(members=1)
"""


@pytest.fixture(autouse=True)
def not_imported_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in OLD_PACKAGES]:
        monkeypatch.delitem(sys.modules, name)


def _file(folder: Path, text: str) -> Path:
    path = folder / "old.py"
    path.write_text(text)
    return path


def test_an_old_file_runs_and_a_note_names_the_new_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, OLD_FILE)
    found = catalogue.find(str(path))
    assert run(found, MemoryStore()).ok
    assert capsys.readouterr().err == (
        f"note: {path} imports simulation.clients.process; import groupsim.simulation.clients.process instead\n"
    )


def test_old_names_are_the_same_modules_and_only_inside_the_block(tmp_path: Path) -> None:
    spec = dsl.__spec__
    with old_imports(tmp_path / "old.py"):
        import scenarios.dsl as old
        import scenarios.seen as seen  # type: ignore[import-not-found]
    assert (old, seen) == (dsl, probe)
    assert dsl.__spec__ is spec
    assert dsl.__name__ == "groupsim.scenarios.dsl"
    assert not {name for name in sys.modules if name.partition(".")[0] == "scenarios"}
    assert not [finder for finder in sys.meta_path if type(finder).__module__.endswith("old_imports")]


def test_a_module_of_the_user_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "events.py").write_text("PARTITIONS = 7\n")
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").write_text("")
    (tmp_path / "analysis" / "sizes.py").write_text("from events import PARTITIONS\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = "from groupsim.scenarios.dsl import scenario\nfrom analysis.sizes import PARTITIONS\n"
    text += "@scenario(lasts=1)\ndef own(world, partitions: int = PARTITIONS): ...\n"
    assert catalogue.find(str(_file(tmp_path, text))).params == {"partitions": 7}
    assert capsys.readouterr().err == ""


def test_a_folder_of_that_name_is_no_module_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scenarios").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert catalogue.find(str(_file(tmp_path / "scenarios", OLD_FILE)))


def test_what_groupsim_never_had_is_missing_under_the_name_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(BadScenario, match=r"ModuleNotFoundError: No module named 'scenarios\.nothing'"):
        catalogue.find(str(_file(tmp_path, "import scenarios.nothing\n")))
