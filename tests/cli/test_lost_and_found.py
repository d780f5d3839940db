"""Nothing is lost or changed without a word: damaged stores, formulas in CSV, left files, orders of arguments."""

from __future__ import annotations

import csv
import fcntl
import gzip
import json
import random
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from groupsim.incidents.logs.scan import BLOCK, LONGEST_LINE, Scan
from tests.cli.conftest import Call
from tests.incidents.imported import adding, joined
from tests.incidents.lines import write

C2 = "[Consumer clientId=c2, groupId=billing] "
READERS = (
    ("unavailable",),
    ("timeline",),
    ("rebalances",),
    ("blame",),
    ("report", "-o", "r.html"),
    ("incident", "whatif"),
    ("replay",),
)


def damaged(statement: str, *values: object) -> None:
    connection = sqlite3.connect("groupsim.db")
    for trigger in ("facts_stay", "runs_stay"):
        connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    connection.execute(statement, values)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
def test_no_reader_gives_numbers_of_changed_facts(call: Call, command: tuple[str, ...]) -> None:
    call("run", "steady_state", "--set", "duration.ms=9000", "--set", "members=2")
    asked = (*command, "latest") if command[0] == "incident" else (command[0], "latest", *command[1:])
    damaged("UPDATE facts SET at_ms = at_ms + 1 WHERE seq = 20")
    refused = call(*asked)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "not as it was written" in refused.err
    assert "groupsim verify" in refused.err


def test_a_changed_head_is_found_by_readers_too(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    damaged("UPDATE runs SET seed = seed + 1")
    assert "what is known of the run" in call("unavailable", "latest").err


@pytest.mark.parametrize("command", READERS[:4] + READERS[-1:], ids=lambda command: command[0])
def test_a_run_too_long_to_be_checked_is_said_to_be_unchecked(
    call: Call, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    call("run", "steady_state", "--set", "duration.ms=9000", "--set", "members=2")
    asked = (command[0], "latest", *command[1:])
    assert "not compared" not in call(*asked).err
    monkeypatch.setattr("groupsim.storage.audit.MOST_CHECKED", 20)
    answered = call(*asked)
    assert answered.status == 0
    assert answered.err.count("they were not compared with their digest before this answer; `groupsim verify") == 1
    assert call(*asked, "--quiet").err == ""


def test_a_flipped_bit_in_the_store_changes_no_number(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=9000", "--set", "members=2")
    whole = Path("groupsim.db").read_bytes()
    truth = call("unavailable", "latest", "--format", "json").json
    rng = random.Random(3)
    for _ in range(25):
        at = rng.randrange(len(whole))
        Path("groupsim.db").write_bytes(whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :])
        answered = call("unavailable", "latest", "--format", "json")
        if answered.status == 0:
            assert answered.json == truth
        else:
            assert answered.err.count("\n") == 1
            assert "unexpected" not in answered.err


def test_text_that_is_no_utf_8_is_damage_and_is_not_printed(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=9000", "--set", "members=2")
    with closing(sqlite3.connect("groupsim.db")) as store:
        store.execute("DROP TRIGGER runs_stay")
        store.execute("UPDATE runs SET created_at = CAST(x'fffe' AS TEXT)")
        store.commit()
    called = call("runs")
    said = "groupsim: the store groupsim.db can't be used: it is damaged: the text in column created_at is no UTF-8\n"
    assert (called.status, called.out, called.err) == (2, "", said)


def test_damage_to_what_is_stored_about_a_run_hides_no_other(call: Call) -> None:
    for _ in range(3):
        call("run", "steady_state", "--set", "duration.ms=9000", "--set", "members=2")
    with closing(sqlite3.connect("groupsim.db")) as store:
        store.execute("DROP TRIGGER runs_stay")
        store.execute("UPDATE runs SET params = '{' WHERE key = 2")
        store.commit()
    listed = call("runs", "--format", "jsonl")
    assert listed.status == 2
    assert listed.out.count("\n") == 2
    assert re.fullmatch(r"groupsim: the stored information about run \S+ can't be read: .+\n", listed.err)


def test_no_cell_of_csv_is_a_formula(call: Call) -> None:
    names = ("=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(1)", "\uff1d1", "harmless")
    lines = [
        line
        for number, name in enumerate(names)
        for line in (
            *joined(number, number + 1, c=f"[Consumer clientId={name}, groupId={name}] "),
            adding(number + 0.5, "orders-0", c=f"[Consumer clientId={name}, groupId={name}] "),
        )
    ]
    write(Path(), *lines)
    call("incident", "import", "a.log")
    seen = ""
    for command in (("timeline",), ("show", "--limit", "9999"), ("unavailable",), ("unavailable", "--by", "group")):
        text = call(command[0], "latest", *command[1:], "--format", "csv").out
        seen += text
        for row in csv.reader(text.splitlines()):
            assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@", "\uff1d"))]
    assert "'=cmd" in seen


def test_what_a_killed_export_left_is_removed_by_the_next(call: Call, tmp_path: Path) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    code = (
        "import os, signal, pyarrow.parquet as pq, groupsim.pipeline.export as e\n"
        "def die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        "e._parts = die\n"
        "from groupsim.cli.main import status\n"
        "status(['export', 'latest', '--to', '{}'])\n"
    )
    for to in ("out.jsonl", "lake"):
        for _ in range(2):
            subprocess.run([sys.executable, "-c", code.format(to)], cwd=tmp_path, capture_output=True, check=False)
        assert len([path for path in Path().rglob(".*.*") if path.is_file()]) == 1  # the second removed the first's
        assert call("export", "latest", "--to", to).status == 0
        assert [path for path in Path().rglob(".*.*") if path.is_file()] == []


def test_an_export_of_another_process_that_runs_is_left_alone(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    with Path(".out.jsonl.1").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        call("export", "latest", "--to", "out.jsonl")
        assert Path(".out.jsonl.1").exists()
    call("export", "latest", "--to", "out.jsonl")
    assert not Path(".out.jsonl.1").exists()


def test_replacing_a_file_is_said(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    assert "replaced" not in call("export", "latest", "--to", "out.jsonl").err
    assert "out.jsonl was there already, and is replaced" in call("export", "latest", "--to", "out.jsonl").err


@pytest.mark.parametrize("more", [-1, 0, 1, BLOCK])
def test_the_rest_of_an_over_long_line_is_noted_wherever_it_is_cut(tmp_path: Path, more: int) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"x" * (LONGEST_LINE + more) + b"\n[2024-03-01] group\n")
    scan = Scan(log)
    windows = [window.line for window in scan.windows()]
    assert windows == [b"[2024-03-01] group"]
    assert bool(scan.damage) == (more > 0) or more < BLOCK  # what fits in the block that is read anyway is not cut
    assert scan.lines == 2
    if more == BLOCK:
        assert "longer than" in scan.damage[0]


def test_a_log_that_is_named_twice_is_read_once(call: Call) -> None:
    """Its lines counted twice: 7,133 partition-milliseconds for a true 7,280, as an exact total."""
    folder = Path(__file__).parents[2] / "examples" / "incidents" / "rolling-restart-range"
    once = call("incident", "import", str(folder), "--format", "json")
    twice = call(
        "incident", "import", str(folder), str(folder / ".." / folder.name / "m1.1.log.gz"), "--format", "json"
    )
    assert once.json["unavailable"] == twice.json["unavailable"]
    assert once.json["unavailable"]["partition_ms"] == 7280
    assert any("m1.1.log.gz is given twice, and read once" in note for note in twice.json["notes"])


@pytest.mark.parametrize("log", ["m1.0.log.gz", "broker.log.gz"])
@pytest.mark.parametrize("share", [1.0, 0.8])
def test_a_copy_of_a_log_and_what_was_copied_earlier_are_left_out(call: Call, log: str, share: float) -> None:
    """An unpacked copy made 12 s of DOUBLE of a client's log, and of a broker's gaps and 8 rebalances of 4."""
    folder = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"
    logs = [str(path) for path in sorted(folder.glob("*.log.gz"))]
    lines = gzip.decompress((folder / log).read_bytes()).splitlines(keepends=True)
    Path("copied.log").write_bytes(b"".join(lines[: int(share * len(lines))]))
    once = call("incident", "import", *logs, "--format", "json")
    twice = call("incident", "import", "copied.log", *logs, "--skew", "copied.log=0", "--format", "json")
    assert (once.json["unavailable"], once.json["groups"]) == (twice.json["unavailable"], twice.json["groups"])
    assert any("copied.log" in note and note.endswith("and is left out") for note in twice.json["notes"])


@pytest.mark.parametrize("name", ["kill9-range", "rolling-restart-cooperative", "static-restart-range"])
def test_a_folder_of_logs_may_hold_what_was_recorded_beside_them(call: Call, name: str) -> None:
    folder = Path(__file__).parents[2] / "examples" / "incidents" / name
    whole = call("incident", "import", str(folder), "--format", "json")
    logs = call("incident", "import", *map(str, sorted(folder.glob("*.log.gz"))), "--format", "json")
    assert (folder / "recording.json").exists()
    assert (whole.status, whole.json["unavailable"]) == (0, logs.json["unavailable"])


def test_a_period_that_ends_before_it_begins_is_refused(call: Call) -> None:
    write(Path(), *joined(1, 4), adding(2, "orders-0"))
    called = call("incident", "import", "a.log", "--since", "2024-03-02", "--until", "2024-03-01")
    assert (called.status, called.err) == (2, "groupsim: --until 2024-03-01 is not later than --since 2024-03-02\n")


def test_the_order_of_the_files_changes_nothing(call: Call) -> None:
    write(Path(), *joined(1, 4), adding(2, "orders-0"), name="b.log")
    write(Path(), *joined(1, 4, member="c2-x", c=C2), adding(2, "orders-1", c=C2), name="a.log")
    write(Path(), *joined(1, 4, member="c2-y", c=C2), adding(2, "orders-2", c=C2), name="c.log")
    digests = {
        call("incident", "import", *files, "--name", "x", "--format", "json").json["digest"]
        for files in (("a.log", "b.log", "c.log"), ("c.log", "a.log", "b.log"), ("b.log", "c.log", "a.log"))
    }
    assert len(digests) == 1


def test_a_misspelt_key_of_a_problem_is_refused(call: Call) -> None:
    problem = {"id": "p", "problem": {"topics": {"t": 1}, "members": [{"id": "a", "topcis": ["t"], "topics": ["t"]}]}}
    Path("in.jsonl").write_text(json.dumps(problem))
    refused = call("assign", "--assignor", "range", "--input", "in.jsonl")
    assert (refused.status, refused.out) == (2, "")
    assert "line 1" in refused.err
    assert "topcis" in refused.err


def test_a_single_seed_is_said_to_be_one(call: Call) -> None:
    assert "0:2 would be the seeds from 0 up to 1" in call("fuzz", "steady_state", "--seeds", "2").err
    assert "would be" not in call("fuzz", "steady_state", "--seeds", "2:3").err


def test_a_time_after_the_end_is_said(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    assert "the run ends at 1000 ms" in call("replay", "latest", "--at", "5000").err


def test_a_spark_master_that_does_not_answer_is_said_at_once(tmp_path: Path) -> None:
    """In a process of its own: a session that another test has started would be in its way."""
    (tmp_path / "a.log").write_text("x\n")
    asked: list[str | Path] = [
        Path(sys.executable).with_name("groupsim"),
        "incident",
        "import",
        "a.log",
        "--master",
        "spark://127.0.0.1:9",
    ]
    refused = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "spark://127.0.0.1:9: 127.0.0.1:9: " in refused.stderr


def test_what_a_killed_report_left_is_removed_by_the_next(call: Call) -> None:
    call("run", "steady_state", "--set", "duration.ms=1000", "--set", "members=1")
    left = [Path(".r.html.99999"), Path(".other.html.99999")]
    for each in left:
        each.write_text("half")
    assert call("report", "latest", "-o", "r.html").status == 0
    assert [each.exists() for each in left] == [False, True]


def test_a_report_goes_where_a_link_points_and_the_link_stays(call: Call) -> None:
    call("run", "steady_state")
    Path("kept").mkdir()
    link = Path("latest.html")
    link.symlink_to("kept/monday.html")
    assert call("report", "latest", "-o", str(link)).status == 0
    assert link.is_symlink()
    assert "<html" in Path("kept/monday.html").read_text(encoding="utf-8")


def test_that_the_logs_go_on_after_until_is_said(call: Call) -> None:
    """The removal of a member that was dead by then is after it, and the total looked certain: 2.3 of 8.1 to 40.1."""
    folder = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"
    said = "the logs go on after --until"
    assert said in call("incident", "import", str(folder), "--until", "2026-11-20T11:27:26").err
    assert said not in call("incident", "import", str(folder), "--until", "2026-11-20T11:27:29").err
    assert said not in call("incident", "import", str(folder)).err
