"""Exports whose times are whole seconds, times with a zone beside them, and names in JSON that would act."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.tables.bounds import supported
from groupsim.analysis.tables.summary import unavailable
from groupsim.cli.main import status
from groupsim.cli.summary import headline
from groupsim.incidents.exports.plain_log import whole_records
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.log_gaps import Precision, log_gaps

BROKER = "[GroupCoordinator 1]: "
STORY = [
    ("c", "INFO [Consumer clientId=c, groupId=g] (Re-)joining group"),
    ("b", f"INFO {BROKER}Preparing to rebalance group g in state PreparingRebalance with old generation 0 (reason: x)"),
    ("b", f"INFO {BROKER}Stabilized group g generation 1 (__consumer_offsets-7) with 1 members"),
    ("c", "INFO [Consumer clientId=c, groupId=g] Successfully joined group with generation Generation{generationId=1,"
     " memberId='c-1', protocol='range'}"),
    ("b", f"INFO {BROKER}Assignment received from leader c-1 for group g for generation 1."
     " The group has 1 members, 0 of which"
     " are static."),
    ("c", "INFO [Consumer clientId=c, groupId=g] Adding newly assigned partitions: t-0"),
]  # fmt: skip
KINDS = ["joining", "rebalance_start", "stabilized", "joined", "assignment_received", "assigned"]
DANGER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def kinds(paths: list[Path]) -> list[str]:
    rows = sorted(read_files(paths).rows, key=lambda row: row.at or "")
    return [row.kind for row in rows if row.kind in KINDS]


@pytest.mark.parametrize("step", [1, -1])
def test_streams_of_one_file_keep_its_order_within_a_second(tmp_path: Path, step: int) -> None:
    lines = [f"2026-11-20T11:49:1{n // 6}+0000 {who} java[8]: {text}" for n, (who, text) in enumerate(STORY * 2)]
    (tmp_path / "a.log").write_text("\n".join(lines[::step]) + "\n")
    assert kinds([tmp_path / "a.log"]) == KINDS * 2


def test_files_are_in_the_order_of_the_protocol_within_a_second(tmp_path: Path) -> None:
    for who in "bc":
        lines = [f"2026-11-20T11:49:14+0000 {who} java[8]: {text}\n" for each, text in STORY if each == who]
        (tmp_path / f"{who}.log").write_text("".join(lines))
    found = kinds(sorted(tmp_path.iterdir()))
    assert [kind for kind in found if kind != "rebalance_start"] == [
        kind for kind in KINDS if kind != "rebalance_start"
    ]
    assert found.index("rebalance_start") < found.index("stabilized")


def test_the_headline_says_whole_seconds_and_the_bounds_they_leave() -> None:
    found = [Interval("g", "t", 0, Label.WITHHELD, None, None, "start", a, b) for a, b in ((0, 3_000), (3_000, 5_000))]
    found.append(Interval("g", "t", 0, Label.OK, None, None, None, 5_000, 9_000))
    shown = supported(log_gaps([], [], [], Precision(1_000)), {"unavailable": unavailable(found), "groups": {}}, found)
    assert headline({**shown, "source": "recorded"})[1] == (
        "  uncertain: logs have times in whole seconds: the total is at least 4.0 and at most 6.0 partition-seconds"
    )


def test_records_that_were_turned_round_keep_the_lines_below_them() -> None:
    time = "[2026-11-20 11:27:53,413] INFO "
    records = [[f"{time}Updating assignment with", "\tAssigned partitions: [t-0]"], [f"{time}Joining"]]
    lines = [*enumerate([each for record in records for each in record], 1)]
    assert [text for _, text in whole_records(lines)] == ["\n".join(record) for record in records]
    assert whole_records(turned := [*enumerate([each for record in records for each in record][::-1], 1)]) == turned


@pytest.mark.parametrize(
    ("zone", "hour"), [("+02:00", 9), ("UTC+2", 9), ("Europe/Berlin", 10), ("EST", 16), ("eu-west-1a", 11), ("", 11)]
)
@pytest.mark.parametrize("stream", [{}, {"pod": "p-1"}])
def test_a_zone_beside_a_local_time_counts(tmp_path: Path, zone: str, hour: int, stream: dict[str, str]) -> None:
    records = [
        {"time": f"2026-11-20T11:49:1{n}.000", "timezone": zone, "message": text, **stream}
        for n, (_, text) in enumerate(STORY)
    ]
    (tmp_path / "a.json").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert read_files([tmp_path / "a.json"]).rows[0].at == f"2026-11-20T{hour:02}:49:10.000Z"


@pytest.mark.parametrize("listed", [True, False])
def test_escaped_control_characters_in_json_reach_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], listed: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    evil = "a\x1b]0;owned\x07\x9b31m\x08b"
    records = [
        {"time": f"2026-11-20T11:49:1{n}.000Z", "message": text.replace("group g", f"group {evil}")
         .replace("groupId=g", f"groupId={evil}"), "pod\x1b[31m": evil}
        for n, (_, text) in enumerate(STORY)
    ]  # fmt: skip
    Path("a.json").write_text(json.dumps(records) if listed else "".join(json.dumps(each) + "\n" for each in records))
    for command in ("incident read a.json", "incident import a.json --notes", "unavailable latest"):
        assert status([*command.split(), "--format", "table"]) in (0, 1)
        printed = capsys.readouterr()
        assert "owned" not in printed.err + printed.out
        assert DANGER.search(printed.out + printed.err) is None, command
