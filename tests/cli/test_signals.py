"""Ctrl-C and SIGTERM: one sentence, the status that shells report, and a run that says how far it came."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from groupsim.cli.signals import quietly
from tests.cli.conftest import Call
from tests.cli.test_no_traceback import shell


@pytest.mark.parametrize(("number", "ended"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_while_the_program_loads_ends_it_in_one_sentence(number: str, ended: int, tmp_path: Path) -> None:
    comes_with_typer = (
        "import importlib.abc, signal, sys\n"
        "class Comes(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'typer': signal.raise_signal(signal.{number})\n"
        "sys.meta_path.insert(0, Comes())\n"
        "from groupsim.cli.entry import main\n"
        "main()\n"
    )
    (tmp_path / "loads.py").write_text(comes_with_typer)
    found = shell(tmp_path, f"{sys.executable} loads.py")
    assert (found.returncode, found.stderr, found.stdout) == (ended, b"groupsim: interrupted\n", b"")


@pytest.mark.parametrize(("number", "ended"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_within_evaluated_text_has_the_status_of_that_signal(number: str, ended: int, tmp_path: Path) -> None:
    """As `namedtuple` and `dataclass` evaluate text: Python would end by SIGINT, whatever came, if run by `-m`."""
    (tmp_path / "evaluates.py").write_text(
        "import signal\n"
        "import groupsim.cli.main as program\n"
        f"program._without_quiet = lambda _: exec('signal.raise_signal(signal.{number})')\n"
        "program.main()\n"
    )
    found = shell(tmp_path, f"exec {sys.executable} -m evaluates")
    assert (found.returncode, found.stderr, found.stdout) == (ended, b"groupsim: interrupted\n", b"")


@pytest.mark.parametrize(("number", "ended"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_what_a_library_says_of_the_interruption_is_not_printed(number: str, ended: int, tmp_path: Path) -> None:
    """As SQLAlchemy's pool does, with a traceback, once any library has set logging up."""
    (tmp_path / "says.py").write_text(
        "import logging, signal, warnings\n"
        "import groupsim.cli.main as program\n"
        "logging.basicConfig()\n"
        "def interrupted(_):\n"
        "    try:\n"
        f"        signal.raise_signal(signal.{number})\n"
        "    finally:\n"
        "        logging.getLogger('sqlalchemy.pool.impl.QueuePool').exception('not closed')\n"
        "        warnings.warn('transaction already deassociated')\n"
        "program._without_quiet = interrupted\n"
        "program.main()\n"
    )
    found = shell(tmp_path, f"exec {sys.executable} says.py")
    assert (found.returncode, found.stderr, found.stdout) == (ended, b"groupsim: interrupted\n", b"")


@pytest.mark.parametrize(("number", "ended"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_that_python_can_not_raise_is_raised_later(number: str, ended: int, tmp_path: Path) -> None:
    """As in the callbacks of weak references that SQLAlchemy has: Python printed a traceback, and went on."""
    (tmp_path / "forgets.py").write_text(
        "import signal, time\n"
        "import groupsim.cli.main as program\n"
        "class Thing:\n"
        f"    def __del__(self): signal.raise_signal(signal.{number})\n"
        "program._without_quiet = lambda _: (id(Thing()), time.sleep(20))\n"
        "program.main()\n"
    )
    found = shell(tmp_path, f"exec {sys.executable} forgets.py")
    assert (found.returncode, found.stderr, found.stdout) == (ended, b"groupsim: interrupted\n", b"")


_STORY = """import os, signal, time
from groupsim.scenarios.dsl import scenario

@scenario(lasts=9000)
def story(world):
    world.host("ideal")
    (m,) = world.group("g").join("m", topics=[world.topic("t", 1)])
    try:
        yield world.sleep(100)
        BODY
        yield world.sleep(100)
    finally:
        m.kill()
"""


@pytest.mark.parametrize(
    "body",
    [
        "signal.raise_signal(signal.SIGINT); signal.raise_signal(signal.SIGTERM)",
        "os.kill(os.getpid(), signal.SIGINT); time.sleep(30)",
    ],
    ids=["two signals at once", "a story that does not yield"],
)
def test_an_interrupted_story_is_one_sentence_about_its_run(tmp_path: Path, body: str) -> None:
    """Also with a `finally` that acts: Python runs it when it forgets the story, after the end of the run."""
    (tmp_path / "story.py").write_text(_STORY.replace("BODY", body))
    found = shell(tmp_path, "groupsim run story.py")
    assert re.fullmatch(
        rb"groupsim: interrupted at 100 ms; run [0-9a-f]{12} has every fact up to then\n", found.stderr
    ), found.stderr
    assert (found.returncode, found.stdout) == (130, b"")
    assert b"kill" not in shell(tmp_path, "groupsim show latest --limit 1000").stdout


@contextmanager
def at_its_end(*_: object) -> Iterator[Callable[[float], None]]:
    """A bar that is interrupted when all is done."""
    yield lambda share: None
    signal.raise_signal(signal.SIGINT)


def press(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)


def made_an_error_of(*_: object) -> None:
    """As libraries do."""
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    raise ValueError("something was interrupted")


@pytest.mark.parametrize(
    ("place", "then"),
    [
        ("api.numbers.of_simulated", press),
        ("api.numbers.of_simulated", made_an_error_of),
        ("cli.run._print", press),
        ("cli.run.progress", at_its_end),
    ],
)
def test_ctrl_c_after_the_end_of_a_run_names_the_run(
    call: Call, monkeypatch: pytest.MonkeyPatch, place: str, then: Callable[..., object]
) -> None:
    monkeypatch.setattr(f"groupsim.{place}", then)
    called = call("run", "steady_state")
    run = call("runs", "--format", "json").json[0]
    assert (called.status, run["status"]) == (130, "finished")
    assert called.err == (
        f"groupsim: interrupted; run {run['run']} was over by then, and is whole: groupsim unavailable {run['run']}\n"
    )


def test_a_second_ctrl_c_ends_at_once_what_the_first_one_did_not(tmp_path: Path) -> None:
    (tmp_path / "stubborn.py").write_text(
        "import time\n"
        "import groupsim.cli.main as program\n"
        "def stubborn(_):\n"
        "    try:\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(60)\n"
        "    finally:\n"
        "        print('first', flush=True)\n"
        "        time.sleep(60)\n"
        "program._without_quiet = stubborn\n"
        "program.main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "stubborn.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for said in ("ready", "first"):
            assert process.stdout.readline() == f"{said}\n"
            process.send_signal(signal.SIGTERM)
        time.sleep(1.5)
        assert process.poll() is None  # the one that followed at once meant the same
        process.send_signal(signal.SIGTERM)
        assert (process.wait(20), process.stderr.read()) == (143, "groupsim: interrupted\n")


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_while_python_clears_up_prints_nothing(number: str, tmp_path: Path) -> None:
    (tmp_path / "clears.py").write_text(
        "import atexit, signal, sys\n"
        "from groupsim.cli.entry import main\n"
        f"atexit.register(lambda: signal.raise_signal(signal.{number}))\n"
        "sys.argv = ['groupsim', 'scenarios']\n"
        "main()\n"
    )
    found = subprocess.run([sys.executable, "clears.py"], capture_output=True, cwd=tmp_path, check=False, timeout=60)
    assert (found.returncode, found.stderr) == (-getattr(signal, number), b"")
    assert b"steady_state" in found.stdout


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux shows which processes one has started")
@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.1, 0.2])
def test_ctrl_c_of_a_terminal_reaches_processes_that_still_start(tmp_path: Path, after_s: float) -> None:
    """It is sent to all processes in front; each that was loading Python printed a traceback."""
    asked = [sys.executable, "-m", "groupsim.cli.entry", "fuzz", "rolling_restart", "--seeds", "0:8", "--jobs", "2"]
    with subprocess.Popen(asked, stderr=subprocess.PIPE, cwd=tmp_path, start_new_session=True, text=True) as process:
        assert process.stderr is not None
        while process.poll() is None and not Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text():
            time.sleep(0.005)
        time.sleep(after_s)
        os.killpg(process.pid, signal.SIGINT)
        said = process.stderr.read()
        assert process.wait(30) == 130
    assert said.count("\n") == 1, said
    assert said.startswith("groupsim: interrupted")


def test_a_spark_session_that_starts_does_not_take_ctrl_c_over() -> None:
    """PySpark's handler asks the JVM to cancel its jobs, in the middle of another question: a traceback of py4j."""
    before = signal.getsignal(signal.SIGINT)
    found = quietly(lambda: (signal.signal(signal.SIGINT, signal.SIG_IGN), signal.getsignal(signal.SIGINT)))
    assert found == (before, before)
    assert signal.signal(signal.SIGINT, before) is before
