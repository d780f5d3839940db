"""A story in a user's own file is found; whatever is wrong with the file is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.scenarios.catalogue import find
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

STORY = '''
"""Two stories."""
from groupsim.scenarios.dsl import minutes, scenario, seconds


@scenario(seed=5, lasts=minutes(1))
def calm(world, members: int = 2):
    """A calm group."""
    orders = world.topic("orders", partitions=4)
    group = world.group("billing")
    group.join(members, topics=[orders])
    yield group.stable(members=members, within=seconds(20))
'''
SECOND = '''

@scenario(lasts=minutes(1))
def other(world):
    """Another one."""
    yield world.sleep(1)
'''


def _file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.py"
    path.write_text(text)
    return str(path)


def test_the_only_story_of_a_file_needs_no_name(tmp_path: Path) -> None:
    path = _file(tmp_path, STORY)
    story = find(path)
    assert (story.name, story.seed, story.path, story.about) == ("calm", 5, path, "A calm group.")
    result = run(story, MemoryStore(), settings={"members": 3})
    assert result.ok
    assert (result.info.name, result.info.scenario_path) == ("calm", path)


def test_one_of_several_stories_is_named(tmp_path: Path) -> None:
    path = _file(tmp_path, STORY + SECOND)
    assert find(f"{path}::other").path == f"{path}::other"
    with pytest.raises(BadScenario, match=r"more than one scenario; choose one of: .*::calm, .*::other"):
        find(path)
    with pytest.raises(BadScenario, match=r"no scenario 'third'; choose one of: .*::calm, .*::other"):
        find(f"{path}::third")


def test_two_files_of_one_name_are_two_stories(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = _file(tmp_path / "a", STORY)
    second = _file(tmp_path / "b", STORY.replace("calm", "wild"))
    assert (find(first).name, find(second).name, find(first).name) == ("calm", "wild", "calm")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def f(:", r"can't be loaded: SyntaxError: "),
        ("import nothing_of_this_name", r"can't be loaded: ModuleNotFoundError: No module named"),
        ("1 / 0", r"can't be loaded: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", r"can't be loaded: SystemExit: 3"),
        ("x = 1", r"no function is marked @scenario\(lasts=…\)"),
        ("", r"no function is marked @scenario\(lasts=…\)"),
        (STORY.replace("members: int = 2", "members"), r"parameter 'members' needs a default that is a number"),
        (STORY.replace("int = 2", "list = [2]"), r"parameter 'members' needs a default that is a number"),
        (STORY.replace("(world, members: int = 2)", "()"), r"scenario 'calm' needs a parameter for the world"),
    ],
)
def test_a_file_that_is_no_story_is_refused_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = _file(tmp_path, text)
    with pytest.raises(BadScenario, match=sentence) as refused:
        find(path)
    assert path in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.py", tmp_path / "folder.py"):
        (tmp_path / "folder.py").mkdir(exist_ok=True)
        with pytest.raises(BadScenario, match=rf"scenario file '{path}' does not exist"):
            find(str(path))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadScenario, match="can't be loaded"):
        find(str(path))


def test_seconds_and_minutes_are_milliseconds() -> None:
    assert (seconds(1.5), minutes(2), seconds(0.0004)) == (1_500, 120_000, 0)


def test_a_story_knows_its_parameters() -> None:
    @scenario(lasts=1)
    def story(world: World, a: int = 1, b: str = "x", c: bool = False, d: float = 0.5) -> None:
        """No wait."""

    assert dict(story.params) == {"a": 1, "b": "x", "c": False, "d": 0.5}
    assert run(story, MemoryStore(), settings={"c": "TRUE", "d": 2}).ok
