"""What lines say beside a group's history, whoever wrote them: reasons, errors, counts. Lines are our own."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Row
from tests.incidents.lines import AT, M1, read, write

RDKAFKA = "%7|1700000000.250|"
THREAD = "|rdkafka#consumer-1| [thrd:main]: "


class Said(NamedTuple):
    """A line, the kind of its one row, its group, and a part of its detail."""

    line: str
    kind: str
    group: str | None
    detail: dict[str, Any]


LIBRDKAFKA = [
    Said(
        RDKAFKA
        + "REBALANCE"
        + THREAD
        + 'Group "billing" is rebalancing (EAGER) in state up (join-state steady) with 3 assigned partition(s): max.poll.interval.ms exceeded',
        "reason_given",
        "billing",
        {"reason": "max.poll.interval.ms exceeded", "protocol": "EAGER"},
    ),
    Said(
        RDKAFKA
        + "REBALANCE"
        + THREAD
        + 'Group "billing" is rebalancing in state up (join-state started) with assignment: Consumer group session timed out (in join-state started) after 10022 ms without a successful response',
        "reason_given",
        "billing",
        {"join_state": "started"},
    ),
    Said(
        RDKAFKA
        + "REBALANCE"
        + THREAD
        + 'Group "billing" initiating rebalance (COOPERATIVE) in state up (join-state steady) with 2 assigned partition(s) (lost): member fenced - rejoining',
        "reason_given",
        "billing",
        {"reason": "member fenced - rejoining"},
    ),
    Said(
        "%0|1700000000.250|FATAL"
        + THREAD
        + "Fatal error: Broker: Static consumer fenced by other consumer with same group.instance.id: Fatal consumer error",
        "fatal_error",
        None,
        {"error": "Broker: Static consumer fenced by other consumer with same group.instance.id: Fatal consumer error"},
    ),
    Said(
        "%5|1700000000.250|REQTMOUT|rdkafka#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator/1: Timed out LeaveGroupRequest in flight (after 5010ms, timeout #0): possibly held back by preceeding blocking JoinGroupRequest with timeout in 4020ms",
        "request_timed_out",
        None,
        {"request": "LeaveGroup", "after_ms": 5010, "behind": "JoinGroup", "limit_ms": 4020},
    ),
    Said(
        RDKAFKA
        + "ASSIGN"
        + THREAD
        + 'Group "billing": new assignment of 2 partition(s) in join-state wait-assign-call',
        "assignment_counted",
        "billing",
        {"partition_count": 2},
    ),
    Said(
        RDKAFKA + "DUMP_ALL" + THREAD + " orders [3] offset STORED",
        "partition_held",
        None,
        {"partitions": ["orders-3"]},
    ),
]
OTHERS = [
    Said(
        "2024.03.01 10:00:00.250000 [ 812 ] {} <Trace> StorageKafka (queue): No assignment", "no_assignment", None, {}
    ),
    Said(
        "2024.03.01 10:00:00.250000 [ 812 ] {} <Information> StorageKafka (queue): Got empty assignment: Not enough partitions in the topic for all consumers?",
        "no_assignment",
        None,
        {},
    ),
    Said(
        f"[2024-03-01 10:00:00] app.WARNING: errorCode: 82, generationId: 7, memberId: {M1} [] []",
        "error_code",
        None,
        {"error": "FENCED_INSTANCE_ID", "generation": 7},
    ),
    Said(
        '{"level":"info","ts":"2024-03-01T10:00:00.250Z","msg":"beginning heartbeat loop","group":"billing"}',
        "heartbeats_begin",
        "billing",
        {},
    ),
    Said(
        '{"level":"info","ts":"2024-03-01T10:00:00.250Z","msg":"cooperative consumer calling onRevoke at the end of a session even though no partitions were lost","group":"billing"}',
        "session_ended",
        "billing",
        {},
    ),
    Said(
        '{"level":"DEBUG","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[Connection] Request JoinGroup(key: 11, version: 5)","broker":"b1:9092","clientId":"c1","correlationId":3,"size":20}',
        "request_sent",
        None,
        {"request": "JoinGroup"},
    ),
]


def rows_of(folder: Path, line: str) -> list[Row]:
    reading = read(folder, line)
    return [*reading.rows, *reading.context, *reading.evidence]


@pytest.mark.parametrize("said", LIBRDKAFKA + OTHERS, ids=lambda said: said.line[-60:])
def test_the_line_is_evidence_and_no_part_of_the_history(tmp_path: Path, said: Said) -> None:
    (row,) = read(tmp_path, said.line).evidence
    assert rows_of(tmp_path, said.line) == [row]
    assert (row.kind, row.group) == (said.kind, said.group)
    assert row.at is not None
    assert said.detail.items() <= row.detail.items()


SHOWN = [
    Said(
        "2024-03-01 10:00:00,250 INFO arroyo.processing.processor New partitions assigned: {Partition(topic=Topic(name='orders'), index=1): 42}",
        "assigned",
        None,
        {"partitions": ["orders-1"]},
    ),
    Said(
        "2024-03-01 10:00:00,250 INFO arroyo.processing.processor Partitions to revoke: [Partition(topic=Topic(name='orders'), index=1)]",
        "revoked",
        None,
        {"partitions": ["orders-1"]},
    ),
    Said(
        AT
        + f"Loaded member MemberMetadata(memberId={M1}, groupInstanceId=None, clientId=c1, clientHost=/10.0.0.1, sessionTimeoutMs=30000, rebalanceTimeoutMs=60000, supportedProtocols=List(range)) in group billing with generation 12. (kafka.coordinator.group.GroupMetadata$)",
        "group_loaded",
        "billing",
        {"generation": 12, "member": M1, "session_timeout_ms": 30000},
    ),
    Said(
        "[2024-03-01 10:00:00,250] INFO [GroupMetadataManager brokerId=1] "
        + f"Static member MemberMetadata(memberId={M1}, groupInstanceId=Some(i1), clientId=c1, clientHost=/10.0.0.1, sessionTimeoutMs=30000, rebalanceTimeoutMs=300000, supportedProtocols=List(range), ).groupInstanceId of group billing loaded with member id {M1} at generation 12. (kafka.coordinator.group.GroupMetadata$)",
        "group_loaded",
        "billing",
        {"generation": 12, "member": M1, "instance": "i1"},
    ),
    Said(
        '{"level":"DEBUG","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[ConsumerGroup] Group assignment","groupId":"billing","generationId":4,"groupProtocol":"RoundRobinAssigner","assignment":[],"topics":["orders"]}',
        "leader_computed_assignment",
        "billing",
        {"generation": 4, "protocol": "RoundRobinAssigner"},
    ),
    Said(
        "2024.03.01 10:00:00.250000 [ 812 ] {} <Error> StorageKafka (queue): Rebalance error: Local: Timed out",
        "rebalance_failed",
        None,
        {"error": "Local: Timed out"},
    ),
    Said(
        "[2024-03-01 10:00:00,250] INFO [GroupCoordinator 1]: Member m1 in groupbilling has failed, removing it from the group (kafka.coordinator.group.GroupCoordinator)",
        "member_failed",
        "billing",
        {"member": "m1"},
    ),
    Said(
        f'{{"level":"DEBUG","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[Connection] Response JoinGroup(key: 11, version: 5)","broker":"b1:9092","clientId":"c1","size":392,"data":{{"throttleTime":0,"errorCode":0,"generationId":4,"groupProtocol":"RoundRobinAssigner","leaderId":"{M1}","memberId":"{M1}","members":[]}}}}',
        "joined",
        None,
        {"generation": 4, "member": M1, "leader": M1},
    ),
    Said(
        '{"level":"info","ts":"2024-03-01T10:00:00.250Z","msg":"assigning partitions","why":"newly fetched offsets for group billing","how":"assigning everything new, keeping current assignment","input":"orders[2{12 e-1 ce0} 5{9 e-1 ce0}], refunds[0{1 e-1 ce0}]"}',
        "assigned",
        "billing",
        {"partitions": ["orders-2", "orders-5", "refunds-0"]},
    ),
    Said(
        "2024-03-01 10:00:00.250 INFO Got revocated 2 partitions!, partition info is: [ orders[1:42], orders[2:#] ]",
        "revoked",
        None,
        {"partitions": ["orders-1", "orders-2"]},
    ),
    Said(
        "2024.03.01 10:00:00.250000 [ 812 ] {} <Trace> StorageKafka (queue): Topics/partitions assigned: [ orders[0:#] ]",
        "assigned",
        None,
        {"partitions": ["orders-0"]},
    ),
    Said(
        "topic=orders, lvl=7, facility=HEARTBEAT, msg=[thrd:main]: Heartbeat failed: REBALANCE_IN_PROGRESS: group is rebalancing",
        "heartbeat_says_rebalancing",
        None,
        {},
    ),
]


@pytest.mark.parametrize("said", SHOWN, ids=lambda said: said.line[-60:])
def test_the_line_is_an_event_of_the_group(tmp_path: Path, said: Said) -> None:
    (row,) = read(tmp_path, said.line).rows
    assert (row.kind, row.group) == (said.kind, said.group)
    assert said.detail.items() <= row.detail.items()


def test_a_debug_heartbeat_of_aiokafka_names_group_generation_and_member(tmp_path: Path) -> None:
    (row,) = read(
        tmp_path, f"2024-03-01 10:00:00,250 DEBUG aiokafka.consumer.group_coordinator Heartbeat: billing[9] {M1}"
    ).context
    assert (row.kind, row.group, row.member, row.detail["generation"]) == ("heartbeat_sent", "billing", M1, 9)


def test_what_franz_go_reads_is_said_once_where_its_session_names_it(tmp_path: Path) -> None:
    at = '{"level":"info","ts":"2024-03-01T10:00:00.250Z","msg":"'
    session = at + 'new group session begun","group":"billing","added":"orders[2]","lost":""}'
    taken = (
        at
        + 'assigning partitions","why":"newly fetched offsets for group billing","how":"assigning everything new","input":"orders[2{12 e-1 ce0}]"}'
    )
    assert [row.line for row in read(tmp_path, session, taken).rows if row.kind == "assigned"] == [1]


BLANKS = [
    "2024-03-01 10:00:00,250 INFO Successfully synced group billing with generation 4",
    "2024-03-01 10:00:00,250 INFO Discovered coordinator 1 for group billing",
    f"2024-03-01 10:00:00,250 INFO Joined group 'billing' (generation 4) with member_id {M1}",
    "2024-03-01 10:00:00,250 INFO Heartbeat failed for group billing because it is rebalancing",
]


@pytest.mark.parametrize("behind", [" ", "  ", "\t", "\x1b[0m", " \x1b[0m"], ids=repr)
@pytest.mark.parametrize("line", BLANKS, ids=lambda line: line[29:60])
def test_nothing_behind_a_line_is_part_of_a_name(tmp_path: Path, line: str, behind: str) -> None:
    def names(text: str) -> list[tuple[str | None, str | None]]:
        return [(row.group, row.member) for row in rows_of(tmp_path, text)]

    assert names(line + behind) == names(line)
    assert names(f'{{"ts":"2024-03-01T10:00:00.250Z","message":"{line[29:]}"}}{behind}') == names(line)


def test_markdown_around_a_time_or_a_name_is_no_part_of_it(tmp_path: Path) -> None:
    line = (
        "{}24/03/01 10:00:00{} INFO ConsumerCoordinator: [Consumer clientId=c1, groupId=billing] Finished assignment for group at generation 4: {{{}"
        + M1
        + "{}=Assignment(partitions=[orders-0])}}"
    )
    (plain,), (bold,) = (read(tmp_path, line.format(*[sign] * 4)).rows for sign in ("", "**"))
    assert (bold.at, bold.group, bold.detail) == (plain.at, plain.group, plain.detail)


GLOG = "I0301 10:00:0{}.250000   371 consumer.cc:12] {}"


@pytest.mark.parametrize("before", ["", "app.log:112:", "./logs/app.log:112:", "336:"], ids=repr)
def test_a_head_of_glog_behind_what_grep_prints_gives_the_time(tmp_path: Path, before: str) -> None:
    lines = [
        before + GLOG.format(second, f"Got {verb} 1 partitions: [ orders[25:#] ]")
        for second, verb in enumerate(("assigned", "revoked"))
    ]
    rows = read_files([write(tmp_path, *lines)], date="2024-03-01").rows
    assert [(row.at, row.kind) for row in rows] == [
        ("2024-03-01T10:00:00.250Z", "assigned"),
        ("2024-03-01T10:00:01.250Z", "revoked"),
    ]
