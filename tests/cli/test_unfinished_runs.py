"""A run that did not run to its end is not taken for a whole one; an interrupted import says which runs are stored."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groupsim.cli import incident
from groupsim.incidents.facts import importer
from groupsim.storage import open_store
from groupsim.storage.sql import SqlStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from tests.cli.conftest import Call
from tests.cli.test_unknown_total import broker_log

STORY = """import signal
from groupsim.scenarios.dsl import scenario

@scenario(lasts=90_000)
def story(world):
    world.group("g").join("m", topics=[world.topic("t", 1)])
    yield world.sleep(12_300)
    END
"""
READING = (
    "unavailable latest",
    "unavailable latest --by label --format json",
    "blame latest",
    "timeline latest",
    "rebalances latest",
    "show latest",
    "replay latest",
    "report latest",
    "plot timeline latest",
    "export latest --to lake",
)


def _ended(call: Call, how: str) -> str:
    Path("story.py").write_text(STORY.replace("END", how))
    call("run", "story.py")
    return str(call("runs", "--format", "json").json[-1]["run"])


def _copy(original: str, target: str, **changes: Any) -> str:
    """Put the facts of the run into another store, as of a run with these properties."""
    store, other = open_store("groupsim.db"), open_store("other.db")
    whole = store.find(original)
    rows = list(store.rows(original, stop=40))
    about = {**{name: getattr(whole, name) for name in RunInfo.__struct_fields__}, **changes}
    other.import_run(RunInfo(**{**about, "id": target, "facts": len(rows), "digest": None, "summary": {}}), rows)
    store.close()
    other.close()
    return target


@pytest.fixture
def interrupted(call: Call) -> str:
    """The id of a run that Ctrl-C ended after 12.3 s."""
    return _ended(call, "signal.raise_signal(signal.SIGINT)")


@pytest.mark.parametrize("asked", READING)
def test_each_command_says_once_that_a_run_was_interrupted(call: Call, interrupted: str, asked: str) -> None:
    called = call(*asked.split())
    said = f"note: run {interrupted} was interrupted at 12,300 ms: its facts and figures are up to then\n"
    assert (called.status, called.err.count(said), called.err.count("interrupted")) == (0, 1, 1), called.err
    assert "12,300 ms" not in call(*asked.split(), "--quiet").err


def test_a_comparison_says_it_of_each_run_that_has_no_end(call: Call, interrupted: str) -> None:
    failed = _ended(call, "world.check(False, 'never')")
    whole = _ended(call, "pass")
    called = call("compare", interrupted, failed, whole)
    notes = [line for line in called.err.splitlines() if line.startswith("note: run")]
    assert notes == [
        f"note: run {interrupted} was interrupted at 12,300 ms: its facts and figures are up to then",
        f"note: run {failed} failed at 12,300 ms: its facts and figures are up to then",
    ]


def test_of_a_run_without_an_end_it_says_what_continues_it(call: Call) -> None:
    run = _copy(_ended(call, "pass"), "killed", status=RunStatus.RUNNING, simulated_ms=None)
    called = call("unavailable", run, "--store", "other.db")
    assert called.err == (
        "note: run killed has not ended: it runs still, or was killed; its facts and figures are up to its last stored"
        " fact; groupsim run story.py --resume killed continues it\n"
    )


def test_a_recorded_run_without_an_end_is_imported_again(call: Call) -> None:
    changes = {"status": RunStatus.RUNNING, "simulated_ms": None, "source": RunSource.RECORDED}
    run = _copy(_ended(call, "pass"), "cut", **changes, origin="2024-03-01T10:00:00.000Z", seed=None)
    called = call("timeline", run, "--store", "other.db")
    assert "run cut has not ended: its import runs still, or was killed; " in called.err
    assert called.err.endswith("up to its last stored fact; import its logs again\n")


def test_whole_runs_and_refused_requests_have_no_such_note(call: Call, interrupted: str) -> None:
    refused = call("unavailable", interrupted, "--between", "9", "x")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert call("runs").err == ""
    _ended(call, "pass")
    call("incident", "import", str(broker_log(Path())), "--topic", "orders=12", "--name", "logs", "--store", "logs.db")
    for store in ("groupsim.db", "logs.db"):
        assert "note: run" not in call("timeline", "latest", "--store", store).err


@pytest.fixture
def signalled_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], None]:
    """Ctrl-C comes as soon as a function has done its work, before its caller has the answer."""

    def patch(where: Any, name: str) -> None:
        function = getattr(where, name)

        def then(*given: Any, **more: Any) -> None:
            function(*given, **more)
            signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(where, name, then)

    return patch


@pytest.mark.parametrize(("where", "name"), [(importer, "_write"), (incident, "measured")])
def test_ctrl_c_after_logs_are_stored_names_the_run(
    call: Call, signalled_after: Callable[[Any, str], None], tmp_path: Path, where: Any, name: str
) -> None:
    log = broker_log(tmp_path)
    signalled_after(where, name)
    called = call("incident", "import", str(log), "--topic", "orders=12")
    (run,) = call("runs", "--format", "json").json
    assert (called.status, called.out, run["status"]) == (130, "", "finished")
    named = f"run {run['run']} was stored by then, and is whole: groupsim unavailable {run['run']}"
    assert called.err == f"groupsim: interrupted; {named}\n"


def test_ctrl_c_before_logs_are_stored_names_no_run(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    log = broker_log(Path())
    monkeypatch.setattr(importer, "_write", lambda *_: signal.raise_signal(signal.SIGINT))
    called = call("incident", "import", str(log), "--topic", "orders=12")
    assert (called.status, called.err) == (130, "groupsim: interrupted\n")


def test_ctrl_c_within_an_import_names_the_runs_that_are_stored(
    call: Call, signalled_after: Callable[[Any, str], None]
) -> None:
    for seed in ("1", "2"):
        assert call("run", "zombie_member", "--seed", seed, "--record", "facts").status == 0
    ids = [row["run"] for row in call("runs", "--format", "json").json]
    assert call("export", *ids, "--to", "runs.jsonl").status == 0
    signalled_after(SqlStore, "import_run")
    sentences = [
        f"run {ids[0]} was stored by then, and is whole: groupsim unavailable {ids[0]}",
        f"run {ids[1]} was stored by then, and is whole: groupsim unavailable {ids[1]}",
    ]
    for sentence in sentences:
        called = call("import", "runs.jsonl", "--store", "new.db")
        assert (called.status, called.out) == (130, "")
        assert called.err.endswith(f"groupsim: interrupted; {sentence}\n")


def test_all_runs_that_an_interrupted_import_has_stored_are_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in ("1", "2"):
        assert call("run", "zombie_member", "--seed", seed, "--record", "facts").status == 0
    ids = [row["run"] for row in call("runs", "--format", "json").json]
    assert call("export", *ids, "--to", "lake").status == 0
    monkeypatch.setattr("groupsim.cli.output.rows", lambda *_: signal.raise_signal(signal.SIGINT))
    called = call("import", "lake", "--store", "new.db")
    assert called.err == f"groupsim: interrupted; runs {ids[0]}, {ids[1]} were stored by then, and are whole\n"
