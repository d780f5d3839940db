"""Groups that are not there, and files that have none: what was found, what to do, and exit status 2."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest

from groupsim.incidents.offsets_topic.recording import Head, head_line
from tests.cli.conftest import Call

FOLDER = Path(__file__).parents[1] / "golden" / "offsets-topic"
DUMP = FOLDER / "dev-classic-3.dump.txt.gz"
SEGMENT = gzip.decompress((FOLDER / "dev-classic-3__00000000000000000000.log.gz").read_bytes())
NAME = "00000000000000000000.log"
NOISE = random.Random(1).randbytes(5_000)


def test_all_groups_of_a_dump_are_listed_with_their_records_and_period(call: Call) -> None:
    said = call("incident", "read", str(DUMP), "--groups", "--format", "json")
    rows = said.json
    assert said.status == 0
    assert len(rows) == 8
    assert sum(row["records"] for row in rows) == 657
    assert sum(row["commits"] for row in rows) == 606
    assert [row["records"] for row in rows] == sorted((row["records"] for row in rows), reverse=True)
    assert all(row["first"] < row["last"] and row["lines"] == 0 for row in rows)
    assert call("incident", "read", str(DUMP), "--groups").out.count("2026-11-22T") == 16


def test_records_of_a_dump_and_its_segment_count_once(call: Call) -> None:
    Path(NAME).write_bytes(SEGMENT)
    for files in ([str(DUMP)], [NAME], [str(DUMP), NAME], [str(DUMP), NAME, "part.txt"]):
        Path("part.txt").write_bytes(b"".join(gzip.decompress(DUMP.read_bytes()).splitlines(keepends=True)[:400]))
        rows = call("incident", "read", *files, "--groups", "--format", "json").json
        assert (sum(row["records"] for row in rows), sum(row["commits"] for row in rows)) == (657, 606)
    said = call("incident", "import", str(DUMP), NAME, "--group", "s14-unequal-subscriptions.cooperative-sticky")
    assert '"s14-unequal-subscriptions.cooperative-sticky.d0.r1.a7fd" (169 records)' in said.err


def test_groups_of_logs_are_listed_by_their_lines(call: Call) -> None:
    Path("a.log").write_text(
        "[2024-01-01 10:00:00,000] INFO [GroupCoordinator 1]: Group g with generation 5 is now empty"
        " (__consumer_offsets-1) (kafka.coordinator.group.GroupCoordinator)\n"
    )
    (row,) = call("incident", "read", "a.log", "--groups", "--format", "json").json
    assert row["first"] == row["last"] == "2024-01-01T10:00:00.000Z"
    assert (row["group"], row["records"], row["commits"], row["lines"]) == ("g", 0, 0, 1)


@pytest.mark.parametrize("asked", ["s03-one-closes", "S03", "s03-one-closes.range.d0.r1.a7fb"])
def test_an_unknown_group_is_answered_with_near_names_first(call: Call, asked: str) -> None:
    said = call("incident", "import", str(DUMP), "--group", asked)
    assert said.status == 2
    assert f'no line or record is of the group "{asked}"; near names are "s03-one-closes.' in said.err
    assert "8 groups in all, `groupsim read --groups` with the same files lists all" in said.err
    assert "s14-" not in said.err


def test_an_unknown_group_without_near_names_is_answered_with_those_of_most_records(call: Call) -> None:
    said = call("incident", "import", str(DUMP), "--group", "billing")
    assert said.status == 2
    assert 'there are "s14-unequal-subscriptions.cooperative-sticky.d0.r1.a7fd" (169 records)' in said.err


def test_a_beginning_that_many_names_have_is_answered_with_the_nearest_five(call: Call) -> None:
    said = call("incident", "import", str(DUMP), "--group", "s")
    assert "8 groups in all" in said.err
    assert said.err.count(" records)") == 5
    said = call("incident", "import", str(DUMP), "--group", "s1-join-2s-apart.range.d0.r1.a7f9")
    assert 'near names are "s01-join-2s-apart.range' in said.err


def test_of_two_groups_the_one_that_is_not_there_is_named_and_the_other_imported(call: Call) -> None:
    group = call("incident", "read", str(DUMP), "--groups", "--format", "json").json[0]["group"]
    said = call("incident", "import", str(DUMP), "--group", group, "--group", "billing")
    assert said.status == 0
    assert 'note: no line or record is of the group "billing"' in said.err


def test_a_period_that_leaves_nothing_of_the_topic_is_said_with_that_of_the_group(call: Call) -> None:
    seen = call("incident", "read", str(DUMP), "--groups", "--format", "json").json[0]
    for option, at in (("--since", "2030-01-01T00:00:00.000Z"), ("--until", "2020-01-01T00:00:00.000Z")):
        said = call("incident", "import", str(DUMP), "--group", seen["group"], option, at)
        assert said.status == 2
        assert re.search(rf"is in the period asked for \({option} {at}\): they are from {seen['first']}", said.err)


def test_a_dump_without_the_decoder_beside_logs_is_named_as_that(call: Call) -> None:
    Path("dump.txt").write_bytes(_dump_without_decoder())
    Path("a.log").write_text(
        "[2024-01-01 10:00:00,000] INFO [GroupCoordinator 1]: Group g with generation 5 is now empty"
        " (__consumer_offsets-1) (kafka.coordinator.group.GroupCoordinator)\n"
    )
    said = call("incident", "import", "dump.txt", "a.log", "--topic", "orders=1")
    assert "print it again with --offsets-decoder" in said.err
    assert "one partition of the topic" not in said.err


def _dump_without_decoder() -> bytes:
    return re.sub(rb" key: .*", b"", gzip.decompress(DUMP.read_bytes()))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (NAME, b"", "it is empty (0 bytes); copy it again"),
        (NAME, NOISE, "it holds no record batch of Kafka in its 5,000 bytes: it is damaged, or no segment"),
        (NAME, SEGMENT[:40], "it ends after 40 bytes, in the middle of its first record batch; copy the whole segment"),
        (NAME, bytes(9_000), "it holds nothing but zeros: room that Kafka reserved; take the segments before it, too"),
        ("copy.bin", NOISE, "it is not a text; a segment of __consumer_offsets is known by its first bytes, or by 20"),
        ("x.txt", b"", "it is empty (0 bytes)"),
        ("x.txt", b"Dear team,\n", "(1 line read); expected are logs of Kafka brokers or clients, exports of a log"),
        (
            "dump.txt",
            _dump_without_decoder(),
            "it was printed by kafka-dump-log without the records of groups; print it",
        ),
        ("r.jsonl", head_line(Head(groups=("g",), partitions=50)), "it is a recording without records: the topic had"),
        (f"orders-0/{NAME}", SEGMENT, "it is a segment of orders-0, by its folder's name; those of __consumer_offsets"),
    ],
)
def test_a_file_with_nothing_about_groups_is_refused_by_read_and_import_alike(
    call: Call, name: str, data: bytes, said: str
) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(data)
    for command in (("import",), ("read",), ("read", "--groups")):
        refused = call("incident", *command, name)
        assert refused.status == 2, command
        assert said in refused.err, command
        assert refused.err.splitlines()[-1].startswith(f"groupsim: {name}: no line names a consumer group (")


def test_files_of_a_folder_that_have_nothing_about_groups_are_named_with_the_reason(call: Call) -> None:
    Path("folder").mkdir()
    files = {NAME: SEGMENT, "notes.txt": b"hello\nworld\n", "photo.jpg": NOISE, NAME[:-4] + ".index": NOISE}
    for name, data in files.items():
        (Path("folder") / name).write_bytes(data)
    group = call("incident", "read", "folder", "--groups", "--format", "json").json[0]["group"]
    said = call("incident", "import", "folder", "--group", group, "--format", "json").json
    assert {Path(each["file"]).name: each["why"] for each in said["left_out"]} == {
        "00000000000000000000.index": "is kept by Kafka beside its segments, and not needed",
        "notes.txt": "has 2 lines, none about a consumer group",
        "photo.jpg": "is not a text",
    }
    for command in (("import", "--group", group), ("read",)):
        err = call("incident", command[0], "folder", *command[1:]).err
        assert "3 files were left out, with nothing about groups in them: notes.txt has 2 lines, none about" in err


def test_damage_and_what_is_unknown_are_two_things(call: Call) -> None:
    Path(NAME).write_bytes(SEGMENT[: len(SEGMENT) // 2 + 7])
    group = call("incident", "read", NAME, "--groups", "--format", "json").json[0]["group"]
    for data, damaged in ((SEGMENT[: len(SEGMENT) // 2 + 7], True), (SEGMENT, False)):
        Path(NAME).write_bytes(data)
        said = call("incident", "import", NAME, "--group", group, "--format", "json")
        assert (said.status, said.json["unavailable"]["partition_ms"]) == (0, None)
        assert bool(said.json["damage"]) is damaged
        assert not damaged or "it ends in the middle of a batch" in said.json["damage"][0]
        assert "damage" in json.loads(said.out)


def test_a_second_import_under_the_same_name_says_how_to_tell_them_apart(call: Call) -> None:
    group = call("incident", "read", str(DUMP), "--groups", "--format", "json").json[0]["group"]
    first = call("incident", "import", str(DUMP), "--group", group, "--name", "deploy")
    assert "named 'deploy'" not in first.err
    (run,) = re.findall(r"^run (\w+)$", first.out, re.M)
    second = call("incident", "import", str(DUMP), "--group", group, "--name", "deploy")
    assert f"note: there is 1 other run named 'deploy' ({run}); all are kept" in second.err
    assert call("rebalances", "deploy").status == 2
    third = call("incident", "import", str(DUMP), "--group", group, "--name", "deploy")
    assert "note: there are 2 other runs named 'deploy' (" in third.err


def test_client_logs_that_the_period_leaves_out_are_not_asked_for_again(call: Call) -> None:
    seen = call("incident", "read", str(DUMP), "--groups", "--format", "json").json[0]
    Path("m1.log").write_text(
        f"[2026-11-22 06:00:00,000] INFO [Consumer clientId=m1, groupId={seen['group']}] (Re-)joining group"
        " (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
    )
    said = call("incident", "import", str(DUMP), "m1.log", "--group", seen["group"], "--since", seen["first"])
    assert said.status == 0
    assert "note: 1 log has no line about groups in the period asked for (--since 2026-11-22T06:2" in said.err
    assert "m1.log (2026-11-22T06:00:00.000Z to 2026-11-22T06:00:00.000Z)" in said.err
    assert "the logs given have no line in the period asked for: choose another one" in said.out
    assert "export the logs of the clients" not in said.out + said.err
    assert "missing:" not in said.err
