"""What a sweep asks for: points with ids of their own, and a folder that holds one sweep only."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.coordinator.config import BadSetting
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.grid import Subject, Sweep, grid_of, keep_manifest, read_manifest, run_id, subject
from groupsim.pipeline.sweep import check
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.settings import check_settings
from tests.pipeline.stories import quick

RANGE = Subject(scenario="rolling_restart")


def test_every_choice_comes_under_every_seed() -> None:
    sweep = Sweep(RANGE, grid_of(["assignor=range,sticky", "session.timeout.ms=6000"]), range(2), {"members": "3"})
    assert [(point.seed, point.choice) for point in sweep.points()] == [
        (0, "assignor=range members=3 session.timeout.ms=6000"),
        (1, "assignor=range members=3 session.timeout.ms=6000"),
        (0, "assignor=sticky members=3 session.timeout.ms=6000"),
        (1, "assignor=sticky members=3 session.timeout.ms=6000"),
    ]
    assert len({point.run for point in sweep.points()}) == 4


def test_a_run_has_the_same_id_in_every_sweep_that_holds_it_and_another_one_where_anything_differs() -> None:
    small, large = Sweep(RANGE, {"members": ["3"]}, [1]), Sweep(RANGE, {"members": ["2", "3"]}, [0, 1])
    (point,) = small.points()
    assert point in large.points()
    others = [
        run_id(RANGE, 2, {"members": "3"}),
        run_id(RANGE, 1, {"members": "4"}),
        run_id(Subject(scenario="rolling_restart", record="facts"), 1, {"members": "3"}),
        run_id(Subject(scenario="rolling_restart", text="another"), 1, {"members": "3"}),
    ]
    assert len({point.run, *others}) == 5


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["assignor"], "--grid 'assignor': expected KEY=V1,V2,..."),
        (["=range"], "--grid '=range': expected KEY=V1,V2,..."),
        (["assignor=range,"], "--grid 'assignor=range,': expected KEY=V1,V2,..."),
        (["members=1,2,1"], "--grid members: '1' is given twice"),
        (["members=1", "members=2"], "--grid 'members' is given twice"),
    ],
)
def test_a_wrong_grid_is_one_sentence(texts: list[str], said: str) -> None:
    with pytest.raises(PipelineError) as caught:
        grid_of(texts)
    assert str(caught.value) == said


def test_keys_and_values_are_checked_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"unknown setting 'asignor'; near names: assignor"):
        check(Sweep(RANGE, {"asignor": ["range"]}, [0]))
    with pytest.raises(BadScenario, match=r"parameter members must be int, not 'many'"):
        check(Sweep(RANGE, {"members": ["3", "many"]}, [0]))
    with pytest.raises(BadScenario, match=r"unknown scenario 'roling_restart'; near names: rolling_restart"):
        check(Sweep(Subject(scenario="roling_restart"), {}, [0]))
    check(Sweep(subject(quick(tmp_path)), {"waits": ["3", "4"], "session.timeout.ms": ["6000"]}, [0]))


def test_a_choice_of_a_what_if_is_said_to_be_one() -> None:
    with pytest.raises(BadSetting, match="membership is a choice of whatif and advise; in a run its scenario decides"):
        check_settings({"membership": "static"})
    check_settings({"membership": "static"}, also=["membership"])


def test_a_folder_holds_one_sweep_and_is_continued_only_when_asked_to(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    with pytest.raises(PipelineError, match=r"--resume: .*lake has no sweep"):
        keep_manifest(RANGE, folder, resume=True)
    keep_manifest(RANGE, folder, resume=False)
    assert read_manifest(folder) == RANGE
    with pytest.raises(PipelineError, match=r"lake has a sweep; --resume continues it"):
        keep_manifest(RANGE, folder, resume=False)
    keep_manifest(RANGE, folder, resume=True)
    with pytest.raises(PipelineError, match=r"lake is a sweep of rolling_restart, not of zombie_member"):
        keep_manifest(Subject(scenario="zombie_member"), folder, resume=True)
    with pytest.raises(PipelineError, match=r"was started with --record all, not facts"):
        keep_manifest(Subject(scenario="rolling_restart", record="facts"), folder, resume=True)
    with pytest.raises(PipelineError, match=r"has other files; choose a new folder"):
        keep_manifest(RANGE, tmp_path, resume=False)


def test_a_folder_in_which_a_process_was_killed_before_it_said_what_is_swept_is_like_a_new_one(tmp_path: Path) -> None:
    for resume in (False, True):
        folder = tmp_path / str(resume)
        folder.mkdir()
        (folder / ".sweep.json.4711").write_text("{")
        keep_manifest(RANGE, folder, resume=resume)
        assert [path.name for path in folder.iterdir()] == ["sweep.json"]


@pytest.mark.parametrize("text", [b"{}", b'{"scenario": "\xb4"}', b"[" * 5_000])
def test_a_damaged_manifest_is_one_sentence(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "sweep.json").write_bytes(text)
    with pytest.raises(PipelineError, match="can't be read"):
        keep_manifest(RANGE, tmp_path, resume=True)


def test_a_story_that_was_edited_since_is_not_mixed_with_what_it_was(tmp_path: Path) -> None:
    file = quick(tmp_path)
    keep_manifest(subject(file), tmp_path / "lake", resume=False)
    Path(file).write_text(Path(file).read_text() + "\n# a word more\n")
    with pytest.raises(PipelineError, match=r"quick.py has changed since the sweep in .*lake started"):
        keep_manifest(subject(file), tmp_path / "lake", resume=True)
