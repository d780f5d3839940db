"""Whatever is asked and wherever it is printed: one sentence and a status, never a traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
    write(Path(), LINE, f"{c}Adding newly assigned partitions: orders-0, orders-1500")
    assert call("incident", "import", "a.log", "--most-partitions", "1500").status == 2
    assert call("incident", "import", "a.log", "--most-partitions", "1501").status == 0


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
        ["bash", "-c", re.sub(r"(?<![\w/.])groupsim(?=\s)", lambda _: groupsim, line)],
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        check=False,
        timeout=60,
    )


def test_an_output_that_is_full_closed_cut_or_ascii(call: Call, tmp_path: Path) -> None:
    """Each in a process of its own: what Python prints at its end counts, too."""
    full = shell(tmp_path, "groupsim scenarios > /dev/full")
    assert full.returncode == 2
    assert full.stderr.decode().endswith("the output can't be used: No space left on device\n")
    assert full.stderr.count(b"\n") == 1
    closed = shell(tmp_path, "groupsim scenarios >&-")
    assert (closed.returncode, closed.stderr) == (2, b"groupsim: the output can't be used: it is closed\n")
    silent = shell(tmp_path, "groupsim scenarios >&- 2>&-")
    assert (silent.returncode, silent.stderr) == (2, b"")
    assert call("run", "steady_state").status == 0
    assert shell(tmp_path, "groupsim report latest >&-").returncode == 0  # a file is its output
    cut = shell(tmp_path, "set -o pipefail; groupsim show latest --limit 100000 --format jsonl | head -1")
    assert (cut.returncode, cut.stderr, cut.stdout.count(b"\n")) == (0, b"", 1)
    plain = shell(tmp_path, "groupsim scenarios", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (plain.returncode, plain.stderr) == (0, b"")


def test_a_limit_on_file_sizes_is_named_and_the_store_is_whole(call: Call, tmp_path: Path) -> None:
    assert call("run", "steady_state").status == 0
    limited = shell(tmp_path, "ulimit -f 10; groupsim report latest")
    assert limited.returncode == 2
    assert b"is there no space, or a limit on file sizes?" in limited.stderr
    limited = shell(tmp_path, "ulimit -f 40; groupsim report latest")
    assert limited.returncode == 2
    assert limited.stderr.decode().endswith("report.html can't be written: File too large\n")
    assert call("verify", "latest").status == 0


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
