"""The same words in many layouts: times by shape, prefixes in layers, structured records, continuation lines."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groupsim.incidents.logs.reading import read_files
from tests.incidents.lines import CLASS, CLIENT, OLD, only, read, write

SAID = "[Consumer clientId=c1, groupId=billing] (Re-)joining group"
AT = "2024-03-01T10:00:00.250Z"

LAYOUTS = {
    "log4j": f"[2024-03-01 10:00:00,250] INFO {SAID}{CLASS}",
    "log4j with a line number": f"[2024-03-01 10:00:00,250] INFO {SAID} (org.apache.kafka.clients.consumer.internals.AbstractCoordinator:533)",
    "Connect": f"[2024-03-01 10:00:00,250] INFO [sink|task-0] {SAID}{CLASS}",
    "Spring console": f"2024-03-01 10:00:00.250  INFO 3647 --- [ntainer#0-0-C-1] o.a.k.c.c.internals.ConsumerCoordinator  : {SAID}",
    "Spring file": f"2024-03-01 10:00:00,250  INFO 171 --- [org.springframework.kafka.Endpoint#0-0-C-1] o.a.k.Coordinator : {SAID}",
    "Spring 3 with an offset": f"2024-03-01T11:00:00.250+01:00  INFO 1 --- [app] [C-1] o.a.k.c.c.i.ConsumerCoordinator : {SAID}",
    "logback": f"2024-03-01 10:00:00.250 INFO  [main] o.a.k.c.c.i.ConsumerCoordinator - {SAID}",
    "time only in logback, day from Kubernetes": f"2024-03-01T10:00:00.250123456Z 10:00:00.250 [main] INFO o.a.k.Coordinator - {SAID}",
    "docker compose": f"app-1  | [2024-03-01 10:00:00,250] INFO {SAID}{CLASS}",
    "CRI": f"2024-03-01T10:00:00.250123456Z stdout F {SAID}",
    "kubectl with a prefix": f"[pod/app-7d9/app] 2024-03-01T10:00:00.250123456Z {SAID}",
    "syslog around log4j": f"Mar  1 10:00:00 host1 app[812]: [2024-03-01 10:00:00,250] INFO {SAID}{CLASS}",
    "RFC 5424": f"<14>1 2024-03-01T10:00:00.250Z host1 app 812 - - {SAID}",
    "JSON, logstash": json.dumps({"@timestamp": AT, "level": "INFO", "thread_name": "main", "message": SAID}),
    "JSON, docker": json.dumps(
        {"log": f"[2024-03-01 10:00:00,250] INFO {SAID}{CLASS}\n", "stream": "stdout", "time": AT}
    ),
    "JSON, log4j 2": json.dumps({"instant": {"epochSecond": 1709287200, "nanoOfSecond": 250000000}, "message": SAID}),
    "JSON, milliseconds": json.dumps({"ts": 1709287200250, "msg": SAID}),
    "JSON, seconds": json.dumps({"ts": 1709287200.25, "msg": SAID}),
    "key=value": f'time=2024-03-01T10:00:00.250Z level=INFO msg="{SAID}"',
    "slashes": f"2024/03/01 10:00:00.250 {SAID}",
    "ANSI colours": f"\x1b[32m2024-03-01 10:00:00.250\x1b[0;39m \x1b[1mINFO\x1b[m [main] x.Y - {SAID}",
    "Docker Desktop": f"2024-03-01 11:00:01 [2024-03-01 10:00:00,250] INFO {SAID}{CLASS}",
    "Logstash": f"[2024-03-01T10:00:00,250][INFO ][org.apache.kafka.clients.consumer.internals.AbstractCoordinator] {SAID}",
    "Spark, quoted in an issue": f">>> 24/03/01 10:00:00.250 INFO internals.AbstractCoordinator: {SAID}",
    "indented": f"    2024-03-01 10:00:00,250 INFO {SAID}",
    "level first": f"INFO 2024-03-01 10:00:00,250 {SAID}",
    "epoch": f"[1709287200.250] {SAID}",
    "month by name": f"01 Mar 2024 10:00:00,250 INFO {SAID}",
    "an apache date": f"01/Mar/2024:11:00:00 +0100 {SAID}".replace("11:00:00", "11:00:00.250"),
    "ECS with a nested level": json.dumps(
        {"@timestamp": AT, "log": {"level": "INFO", "logger": "x.Y"}, "message": SAID}
    ),
    "Google's cloud": json.dumps({"jsonPayload": {"message": SAID}, "timestamp": "2024-03-01T10:00:00.250123456Z"}),
    "Serilog": json.dumps({"Timestamp": AT, "Level": "Information", "RenderedMessage": SAID}),
    "Loki": json.dumps({"line": SAID, "timestamp": "1709287200250000000", "fields": {}}),
    "JSON in CRI": "2024-03-01T10:00:00.300123456Z stdout F " + json.dumps({"@timestamp": AT, "message": SAID}),
    "logfmt, caller first": f'caller=x.go:12 ts=2024-03-01T10:00:00.250Z level=info msg="{SAID}"',
    "logfmt, epoch": f'level=info ts=1709287200.25 msg="{SAID}"',
    "zap console": f"2024-03-01T10:00:00.250Z\tINFO\tapp/main.go:12\t{SAID}",
    "journald short-iso": f"2024-03-01T10:00:00+0000 host1 app[812]: [2024-03-01 10:00:00,250] INFO {SAID}{CLASS}",
    "journald with its own milliseconds": f"2024-03-01T10:00:00.250123+00:00 host1 app[812]: {SAID}",
    "RFC 5424 with data": f'<165>1 2024-03-01T10:00:00.250Z host1 app 812 ID47 [x@32473 iut="3"] {SAID}',
    "logback, thread first": f"[heartbeat | billing] 2024-03-01 10:00:00,250 INFO {SAID}",
    "logback, pipes": f"2024-03-01 10:00:00.250|INFO|main|o.a.k.C|{SAID}",
    "WildFly": f"2024-03-01 10:00:00,250 INFO  [org.apache.kafka.Coordinator] (main) {SAID}",
    "Tomcat": f"01-Mar-2024 10:00:00.250 INFO [main] org.apache.C.log {SAID}",
    "Celery": f"[2024-03-01 10:00:00,250: INFO/MainProcess] {SAID}",
    "US, 24 hours": f"03/01/2024 10:00:00.250 INFO {SAID}",
    "German": f"01.03.2024 10:00:00.250 INFO {SAID}",
    "day first, dashes": f"01-03-2024 10:00:00,250 INFO {SAID}",
    "day first, slashes": f"25/12/2023 10:00:00.250 INFO {SAID}",
    "glog": f"I20240301 10:00:00.250123 123 main.go:12] {SAID}",
    "zone by name": f"2024-03-01 11:00:00.250 CET INFO {SAID}",
    "Java's Date": f"Fri Mar 01 10:00:00.250 UTC 2024 {SAID}",
    "RFC 1123": f"Fri, 01 Mar 2024 10:00:00.250 GMT {SAID}",
    "ISO basic": f"20240301T100000.250Z INFO {SAID}",
    "grep -n": f"./logs/server.log:123:[2024-03-01 10:00:00,250] INFO {SAID}",
    "stern": f"app-7d9f-abc app 2024-03-01T10:00:00.250123456Z {SAID}",
    "a JSON string": f'"[2024-03-01 10:00:00,250] INFO {SAID}{CLASS}",',
    "a list in Markdown": f"- [2024-03-01 10:00:00,250] INFO {SAID}{CLASS}",
    "Ruby": f"I, [2024-03-01T10:00:00.250123 #812]  INFO -- : {SAID}",
    "Rust": f"[2024-03-01T10:00:00.250Z INFO  app::consumer] {SAID}",
    "Airflow": f"[2024-03-01T10:00:00.250+0000] {{consumer.py:12}} INFO - {SAID}",
}


@pytest.mark.parametrize("line", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_whatever_stands_around_the_words_is_peeled_off(tmp_path: Path, line: str) -> None:
    row = only(tmp_path, line)
    at = AT.replace("2024-03-01", "2023-12-25") if line.startswith("25/12/2023") else AT
    assert (row.kind, row.group, row.client, row.at) == ("joining", "billing", "c1", at)


@pytest.mark.parametrize(
    ("line", "at"),
    [
        (f"02/14/2025 04:40:40 PM {SAID}", "2025-02-14T16:40:40.000Z"),
        (f"02/14/2025 12:40:40 AM {SAID}", "2025-02-14T00:40:40.000Z"),
        (f"2022.11.09 17:49:34.282778 [ 73593 ] {{}} <Debug> T: {SAID}", "2022-11-09T17:49:34.282Z"),
        (f"[main] INFO org.apache.Coordinator - {SAID}", None),
        (f"Mar  1 10:00:00 host app[1]: {SAID}", None),
        (f"[2024-13-45 10:00:00,250] INFO {SAID}", None),
    ],
)
def test_a_time_is_read_by_its_shape_or_not_at_all(tmp_path: Path, line: str, at: str | None) -> None:
    assert only(tmp_path, line).at == at


def test_a_zone_applies_to_times_that_name_none(tmp_path: Path) -> None:
    log = write(tmp_path, f"[2024-07-01 10:00:00,000] INFO {SAID}", f"2024-07-01T10:00:01.000Z {SAID}")
    assert [row.at for row in read_files([log], tz="Europe/Berlin").rows] == [
        "2024-07-01T08:00:00.000Z",
        "2024-07-01T10:00:01.000Z",
    ]
    assert read_files([log], tz="+05:30").rows[0].at == "2024-07-01T04:30:00.000Z"


def test_a_cooperative_block_is_the_assignment_where_no_adding_line_follows(tmp_path: Path) -> None:
    block = (
        CLIENT + "Updating assignment with",
        "\tAssigned partitions:                       [orders-0, orders-1]",
        "\tCurrent owned partitions:                  [orders-0, orders-2]",
        "\tAdded partitions (assigned - owned):       [orders-1]",
        "\tRevoked partitions (owned - assigned):     [orders-2]",
        " (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
    )
    row = only(tmp_path, *block)
    assert (row.line, row.kind, row.detail["partitions"], row.detail["revoked"]) == (
        1,
        "assigned",
        ["orders-1"],
        ["orders-2"],
    )
    adding = CLIENT + "Adding newly assigned partitions: orders-1" + CLASS
    assert [(r.line, r.kind) for r in read(tmp_path, *block, adding).rows] == [(7, "assigned")]


def test_hard_wrapped_lines_are_joined(tmp_path: Path) -> None:
    whole = CLIENT + "Revoke previously assigned partitions " + ", ".join(f"orders-{n}" for n in range(20)) + CLASS
    lines = [whole[start : start + 100] for start in range(0, len(whole), 100)]
    reading = read(
        tmp_path, "[2024-03-01 09:59:59,000] INFO before (x.Y)", *lines, "[2024-03-01 10:00:01,000] INFO after (x.Y)"
    )
    (row,) = reading.rows
    assert (row.line, row.at) == (2, "2024-03-01T10:00:00.000Z")
    assert row.detail["partitions"] == [f"orders-{n}" for n in range(20)]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("close", ["", ",", "}"])
@pytest.mark.parametrize("before", [[], ["the service starts", "it listens"]])
def test_json_that_a_terminal_cut_is_joined(tmp_path: Path, width: int, close: str, before: list[str]) -> None:
    records = [
        json.dumps({"time": f"2024-03-01T10:00:0{n}.000Z", "logger": "a.b.C", "message": f"[Consumer clientId=c1, groupId=billing] {said}"})
        for n, said in enumerate(("(Re-)joining group", "Adding newly assigned partitions: orders-1, orders-2"))
    ]  # fmt: skip
    lines = [record[at : at + width] for record in records for at in range(0, len(record), width)]
    lines = [line + close if line.endswith('"}') else line for line in lines]
    rows = read(tmp_path, *before, *lines).rows
    assert [(row.kind, row.group, row.at) for row in rows] == [
        ("joining", "billing", "2024-03-01T10:00:00.000Z"),
        ("assigned", "billing", "2024-03-01T10:00:01.000Z"),
    ]
    assert rows[0].line == len(before) + 1
    assert rows[1].detail["partitions"] == ["orders-1", "orders-2"]


BARE = "[GroupCoordinator 1]: Member c1-11111111-2222-4333-8444-555566667777 in group billing-of-the-west"


@pytest.mark.parametrize("head", ["[2024-03-01 10:00:00,000] INFO ", ""])
@pytest.mark.parametrize("space", ["  ", "        "])
def test_a_sentence_that_goes_on_below_set_in_is_joined(tmp_path: Path, head: str, space: str) -> None:
    lines = (head + BARE, f"{space}has failed, removing it from the group (kafka.Coordinator)", head + BARE, "{")
    reading = read(tmp_path, *lines)
    assert [(row.line, row.kind, row.group) for row in reading.rows] == [(1, "member_failed", "billing-of-the-west")]


def test_settings_and_frames_set_in_below_a_line_are_no_part_of_it(tmp_path: Path) -> None:
    lost = CLIENT + "Request joining group due to: group is already rebalancing"
    for below in ("        at java.base/java.lang.Thread.run(Thread.java:840)", "        group.id = billing"):
        (row,) = read(tmp_path, lost, below).rows
        assert row.detail["reason"] == "group is already rebalancing"


def test_what_follows_a_log_in_a_post_is_no_part_of_its_last_line(tmp_path: Path) -> None:
    """A log with a longer line was not wrapped at the length of its last one."""
    longer = CLIENT + "Adding newly assigned partitions: " + ", ".join(f"orders-{n}" for n in range(20)) + CLASS
    ends = "[2024-03-01 10:00:00,250] [1] [INFO] Setting newly assigned partitions {TopicPartition(topic='orders', partition=0)} for group billing"
    assert [row.group for row in read(tmp_path, longer, ends, "```").rows] == ["billing", "billing"]


def test_a_stack_trace_is_not_taken_for_a_wrapped_line(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        CLIENT + "Rebalance failed.",
        "org.apache.kafka.common.errors.MemberIdRequiredException: The group member needs to have a valid member id",
        "\tat org.apache.kafka.clients.consumer.KafkaConsumer.poll(KafkaConsumer.java:1)",
        f"[2024-03-01 10:00:00,000] INFO [GroupCoordinator 1]: Stabilized group billing generation 4 {OLD}",
    )
    assert [(row.line, row.kind) for row in reading.rows] == [(1, "rebalance_failed"), (4, "stabilized")]


PYTHON_TAKES = (
    "INFO Setting newly assigned partitions {{TopicPartition(topic={0}orders{0}, partition=0)}} for group r&d"
)


@pytest.mark.parametrize("mark", ["'", "&#39;", "&#039;", "&#x27;", "&apos;", "&amp;#39;"])
def test_a_page_s_entities_are_decoded_and_an_ampersand_is_kept(tmp_path: Path, mark: str) -> None:
    row = only(tmp_path, "2024-03-01 10:00:00,250 " + PYTHON_TAKES.format(mark))
    assert (row.group, row.detail["partitions"]) == ("r&d", ["orders-0"])


@pytest.mark.parametrize("name", ["a&b", "a&amp", "a&b;c", "&#7;", "&#x1b;", "&#10;", "&unknown;", "a&lt"])
def test_what_is_no_entity_of_a_printed_character_stays(tmp_path: Path, name: str) -> None:
    said = SAID.replace("billing", name)
    assert only(tmp_path, f"[2024-03-01 10:00:00,250] INFO {said}{CLASS}").group == name


def test_quotation_marks_inside_a_value_do_not_end_it(tmp_path: Path) -> None:
    said = "[Consumer clientId=c1, groupId=billing] Request joining group due to: &quot;rolled&quot; by hand"
    for line in (json.dumps({"ts": AT, "msg": said}), f'ts={AT} msg="{said}"', f'"{AT}","{said}"'):
        row = only(tmp_path, line)
        assert (row.group, row.detail["reason"]) == ("billing", '"rolled" by hand')
