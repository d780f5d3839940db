"""Whatever is asked and wherever it is printed: one sentence and a status, never a traceback."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groupsim.cli import main as program
from tests.cli.conftest import Call
from tests.incidents.lines import BROKER, OLD, write

LINE = f"{BROKER}Preparing to rebalance group billing in state PreparingRebalance with old generation 0{OLD}"
MANY = "9" * 30
ASKED = [
    ("--tz", "+99:99"),
    ("--tz", "-24:00"),
    ("--tz", ""),
    ("--tz", "x" * 300),
    ("--tz", "../../etc/passwd"),
    ("--tz", "\0"),
    ("--skew", f"a.log={MANY}"),
    ("--skew", "a.log=" + "9" * 18),
    ("--skew", "a.log=-" + "9" * 15),
    ("--since", "0001-01-01T00:00:00+14:00"),
    ("--until", "9999-12-31T23:59:59-14:00"),
    ("--since", "2024-03-01T10:00+99:99"),
    ("--topic", "t=2000000000"),
    ("--topic", "t=" + "9" * 5000),
    ("--most-partitions", "0"),
    ("--most-partitions", MANY),
]


@pytest.mark.parametrize("option", ASKED, ids=[f"{name} {value[:20]!r}" for name, value in ASKED])
def test_an_option_that_can_not_be_is_one_sentence(call: Call, option: tuple[str, str]) -> None:
    write(Path(), LINE)
    refused = call("incident", "import", "a.log", *option)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "unexpected" not in refused.err
    assert not Path("groupsim.db").exists() or not call("runs", "--format", "json").json


@pytest.mark.parametrize(
    "command",
    [
        ("run", "x" * 300),
        ("run", "x" * 300 + ".py"),
        ("run", "/" + "y" * 5000 + "/z.py"),
        ("run", "a\0.py"),
        ("run", "steady_state", "--seed", MANY),
        ("run", "steady_state", "--set", "duration.ms=-5"),
        ("run", "steady_state", "--set", f"duration.ms={MANY}"),
        ("runs", "--store", "x" * 300 + ".db"),
        ("runs", "--store", "bogus://x"),
        ("runs", "--store", "a\0b"),
        ("unavailable", "x" * 300),
        ("export", "x" * 300, "--to", "q"),
    ],
    ids=lambda command: " ".join(command)[:40].replace("\0", "0"),
)
def test_a_request_that_can_not_be_is_one_sentence(call: Call, command: tuple[str, ...]) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    refused = call(*command)
    assert refused.status in (1, 2)
    assert refused.err.count("\n") == 1
    assert "unexpected" not in refused.err


@pytest.mark.parametrize(
    "command",
    [
        ("show", "--around", MANY),
        ("replay", "--at", MANY),
        ("unavailable", "--between", "5", MANY),
        ("show", "--limit", MANY),
    ],
    ids=lambda command: command[0] + command[1],
)
def test_numbers_beyond_all_bounds_are_answered(call: Call, command: tuple[str, ...]) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    answered = call(command[0], "latest", *command[1:])
    assert answered.status in (0, 2)
    assert "unexpected" not in answered.err


def test_days_at_the_ends_of_the_calendar_are_read(call: Call) -> None:
    for year, zone in (("0001", "+14:00"), ("0001", "Asia/Tokyo"), ("9999", "-14:00"), ("9980", "UTC")):
        write(Path(), LINE.replace("2024", year))
        assert call("incident", "read", "a.log", "--tz", zone).status == 0
        imported = call("incident", "import", "a.log", "--tz", zone)
        assert imported.status in (1, 2)
        assert "unexpected" not in imported.err


def test_a_partition_number_in_a_log_takes_no_memory(call: Call) -> None:
    c = "[2024-03-01 10:00:00,000] INFO [Consumer clientId=c1, groupId=billing] "
    write(Path(), LINE, f"{c}Adding newly assigned partitions: orders-0, orders-1000000000")
    refused = call("incident", "import", "a.log")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "a.log:2: partition 1,000,000,000 of topic orders" in refused.err
    assert "--most-partitions" in refused.err
    write(Path(), LINE, f"{c}Adding newly assigned partitions: orders-0, orders-150000")
    assert call("incident", "import", "a.log").status == 2
    assert call("incident", "import", "a.log", "--most-partitions", "150001").status == 1


def test_a_what_if_has_the_same_limit_and_the_same_option(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=9000", "--set", "members=2")
    asked = ("incident", "whatif", "latest", "--seeds", "0:1", "--set", "heartbeat.interval.ms=1000")
    refused = call(*asked, "--topic", "orders=100001")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "--topic orders: 100,001 partitions are more than 100,000; --most-partitions N allows more" in refused.err
    assert call(*asked, "--topic", "orders=100001", "--most-partitions", "100001").status == 0


def test_an_error_that_nobody_expected_is_one_sentence(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("m1")

    monkeypatch.setattr("groupsim.storage.open_store", broken)
    failed = call("run", "steady_state")
    assert failed.status == 2
    assert (
        failed.err
        == "groupsim: unexpected KeyError: 'm1'; an error of groupsim or of the data (GROUPSIM_TRACEBACK=1)\n"
    )
    monkeypatch.setenv("GROUPSIM_TRACEBACK", "1")
    with pytest.raises(KeyError):
        program.status(["run", "steady_state"])


def shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    groupsim = f"{sys.executable} -m groupsim.cli.main"
    return subprocess.run(
        ["bash", "-c", line.replace("groupsim", groupsim)],
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        check=False,
        timeout=60,
    )


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


def test_ctrl_c_after_the_end_of_a_run_names_the_run(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groupsim.cli.run._summary", lambda *_: signal.raise_signal(signal.SIGINT))
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
        "    print('ready', flush=True)\n"
        "    try:\n"
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


def test_an_output_that_is_full_closed_cut_or_ascii(tmp_path: Path) -> None:
    """Each in a process of its own: what Python prints at its end counts, too."""
    full = shell(tmp_path, "groupsim scenarios > /dev/full")
    assert full.returncode == 2
    assert full.stderr.decode().endswith("the output can't be used: No space left on device\n")
    assert full.stderr.count(b"\n") == 1
    closed = shell(tmp_path, "groupsim scenarios >&- 2>&-")
    assert (closed.returncode, closed.stderr) == (0, b"")
    shell(tmp_path, "groupsim run steady_state")
    cut = shell(tmp_path, "set -o pipefail; groupsim show latest --limit 100000 --format jsonl | head -1")
    assert (cut.returncode, cut.stderr, cut.stdout.count(b"\n")) == (0, b"", 1)
    plain = shell(tmp_path, "groupsim scenarios", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (plain.returncode, plain.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["play", "check", "reenact"])
def test_a_document_of_too_many_levels_is_one_sentence(call: Call, tmp_path: Path, command: str) -> None:
    (tmp_path / "deep.json").write_text('{"steps": ' + "[" * 100_000)
    called = call("conformance", command, str(tmp_path / "deep.json"))
    assert called.status == 2
    assert "deep.json" in called.err
    assert "unexpected" not in called.err


@pytest.mark.parametrize("number", ["1e999", "-Infinity", "NaN"])
@pytest.mark.parametrize("command", ["play", "check", "reenact"])
def test_a_number_without_an_end_is_one_sentence(call: Call, tmp_path: Path, command: str, number: str) -> None:
    (tmp_path / "odd.json").write_text(f'{{"steps": [], "actions": [], "summary": {number}}}')
    called = call("conformance", command, str(tmp_path / "odd.json"))
    assert called.status == 2
    assert "odd.json" in called.err
    assert f"{number} is no finite number" in called.err
