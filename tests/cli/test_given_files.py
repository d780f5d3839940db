"""What a user may name as a log: a pipe, stdin, a file whose name is no text; and what is refused."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from groupsim.cli import progress
from tests.cli.conftest import Call

KILL9 = Path(__file__).parents[2] / "examples/incidents/kill9-range"
NAMES = ("broker", "m1.0", "m2.0", "m3.0")


def text_of(name: str) -> bytes:
    """The lines of one log."""
    return gzip.decompress((KILL9 / f"{name}.log.gz").read_bytes())


@contextmanager
def pipe(path: str, content: bytes) -> Iterator[None]:
    """A named pipe that somebody writes this into, once."""
    os.mkfifo(path)
    writer = threading.Thread(target=Path(path).write_bytes, args=(content,))
    writer.start()
    yield
    writer.join()


def test_logs_may_be_pipes_packed_or_not_and_give_what_files_give(call: Call) -> None:
    files = call("incident", "import", *(str(KILL9 / f"{name}.log.gz") for name in NAMES), "--format", "json").json
    whole = (KILL9 / "m1.0.log.gz").read_bytes()
    with (
        pipe("broker", text_of("broker")),
        pipe("m1.0", whole),
        pipe("m2.0", text_of("m2.0")),
        pipe("m3.0", text_of("m3.0")),
    ):
        piped = call("incident", "import", *NAMES, "--format", "json").json
    assert piped["unavailable"] == files["unavailable"]
    assert (piped["lines"], piped["facts"]) == (files["lines"], files["facts"])
    assert "broker:1" in call("show", "latest", "--format", "jsonl", "--limit", "1000").out


def test_reading_shows_a_pipe_by_its_name(call: Call) -> None:
    with pipe("broker", text_of("broker")):
        read = call("incident", "read", "broker", "--format", "jsonl")
    assert read.out.splitlines()[0].startswith('{"file": "broker", "line": 1,')


def test_a_log_may_come_from_stdin(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text_of("broker"))))
    read = call("incident", "read", "-")
    assert read.status == 0
    assert "logs of brokers: stdin\n" in read.err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text_of("m1.0"))))
    assert call("explain", "-", "--no-try").status == 0


@contextmanager
def descriptors(*contents: bytes) -> Iterator[list[str]]:
    """Pipes as a shell gives them for `<(kubectl logs app)`, with these contents."""
    ends = [os.pipe() for _ in contents]
    writers = [threading.Thread(target=_write, args=(end, text)) for (_, end), text in zip(ends, contents, strict=True)]
    for writer in writers:
        writer.start()
    yield [f"/dev/fd/{reading}" for reading, _ in ends]
    for writer, (reading, _) in zip(writers, ends, strict=True):
        writer.join()
        os.close(reading)


def _write(end: int, text: bytes) -> None:
    with open(end, "wb") as out:
        out.write(text)


def test_a_pipe_of_a_shell_is_not_named_after_its_descriptor(call: Call) -> None:
    with descriptors(text_of("m1.0")) as places:
        call("incident", "import", *places)
    with descriptors(text_of("broker"), text_of("m1.0")) as places:
        two = call("incident", "import", *places)
    assert two.status == 0, two.err
    assert [run["name"] for run in call("runs", "--format", "json").json] == ["pipe", "pipe-1"]
    shown = call("show", "latest", "--format", "jsonl", "--limit", "1000").out
    assert "pipe-1:1" in shown
    assert "pipe-2:" in shown
    assert "/dev/fd" not in shown


def test_a_file_behind_a_descriptor_has_its_own_name(call: Call) -> None:
    Path("app.log").write_bytes(text_of("m1.0"))
    with open("app.log", "rb") as log:
        call("incident", "import", f"/proc/self/fd/{log.fileno()}")
    assert call("runs", "--format", "json").json[0]["name"] == "app"


def test_explain_quotes_the_lines_of_a_pipe_and_opens_none_that_a_store_names(call: Call) -> None:
    with pipe("m1.0", text_of("m1.0")):
        explained = call("explain", "m1.0", "--no-try")
    quoted = [line.partition("  ")[2] for line in explained.out.split("    ") if line.startswith("m1.0:")]
    assert quoted
    assert all(line.splitlines()[0].rstrip("…").encode() in text_of("m1.0") for line in quoted)
    Path("m1.0").unlink()
    with pipe("m1.0", text_of("m1.0")):
        call("incident", "import", "m1.0")
    assert call("explain", "latest", "--no-try").status == 0  # nobody writes to the pipe any more


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
@pytest.mark.parametrize("command", ["read", "import"])
def test_a_device_is_no_log(call: Call, command: str, device: str) -> None:
    refused = call("incident", command, device)
    assert (refused.status, refused.err) == (2, f"groupsim: {device} is a device, not a log\n")


def test_a_pipe_without_an_end_of_line_is_not_read_for_ever(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groupsim.incidents.logs.given_files._LONGEST_LINE", 1 << 20)
    with pipe("zeros", bytes(1 << 20)):
        refused = call("incident", "read", "zeros")
    assert (refused.status, refused.err) == (
        2,
        "groupsim: zeros is no log: its first line is longer than 1,048,576 bytes\n",
    )


def test_a_log_whose_name_is_no_utf_8_is_read_stored_and_shown(call: Call) -> None:
    for number, name in enumerate(NAMES):
        Path(os.fsdecode(b"%d\xff.log" % number)).write_bytes(text_of(name))
    logs = [os.fsdecode(b"%d\xff.log" % number) for number in range(len(NAMES))]
    stored = call("incident", "import", *logs, "--format", "json")
    assert stored.status == 0, stored.err
    assert call("report", "latest").status == 0
    assert r"0\\xff.log:1" in Path("report.html").read_text("utf-8")
    read = call("incident", "read", logs[0], "--format", "jsonl")
    assert read.out.startswith(r'{"file": "0\\xff.log"')
    skewed = call("incident", "import", *logs, "--skew", r"0\xff.log=5", "--format", "json")
    assert skewed.status == 0, skewed.err
    assert r"gone\xfe.log can't be read" in call("incident", "read", os.fsdecode(b"gone\xfe.log")).err


def test_what_takes_long_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said, done = list[str](), threading.Event()

    def note(sentence: str) -> None:
        said.append(sentence)
        done.set()

    monkeypatch.setattr(progress, "note", note)
    with progress.noted_after("reading a pipe to its end", 0.0):
        assert done.wait(30)
    with progress.noted_after("reading what is short", 3_600.0):
        pass
    assert said == ["note: reading a pipe to its end"]
