"""Lines of rarer clients, written by hand after the sentences in their sources: each becomes its rows."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groupsim.events import client as c
from groupsim.incidents.logs.rows import Program
from tests.incidents.imported import import_logs, of
from tests.incidents.lines import CLASS, M1, M2, read, stamped, write

GO = "2024/03/01 10:00:00 "
RUBY = "I, [2024-03-01T10:00:00.250000 #17]  INFO -- : "
BROD = "2024-03-01 10:00:00.250 [info] "
HEAD = "Group member (billing,coor=<0.310.0>,cb=<0.309.0>,generation=4):"
NEST = "[Nest] 1  - 03/01/2024, 10:00:00 AM   ERROR [ServerKafka] ERROR "
BEHIND = ' {"timestamp":"2024-03-01T10:00:00.275Z","logger":"kafkajs","retryCount":5,"groupId":"billing"}'
ASSIGNED = "Assignment received from leader for group billing for generation 4"

LINES: list[tuple[Program, list[str], list[str], str | None, dict[str, Any]]] = [
    (Program.RUBY_KAFKA, [RUBY + "Joining group `billing`"], ["joining"], "billing", {}),
    (Program.RUBY_KAFKA, [RUBY + f"[[billing] {{}}:] Joined group `billing` with member id `{M1}`"], ["joined"], "billing", {"member": M1}),
    (Program.RUBY_KAFKA, [RUBY + "Partitions assigned for `orders`: 0, 2"], ["assigned"], None, {"partitions": ["orders-0", "orders-2"]}),
    (Program.RUBY_KAFKA, [RUBY + "Leaving group `billing`"], ["leave_sent"], "billing", {}),
    (Program.RUBY_KAFKA, [RUBY + "Failed to join group; resetting member id and retrying in 1s..."], ["join_failed"], None, {"error": "resetting member id and retrying in 1s..."}),
    (Program.RUBY_KAFKA, [RUBY + "Error sending heartbeat: Kafka::RebalanceInProgress"], ["heartbeat_says_rebalancing"], None, {}),
    (Program.RUBY_KAFKA, [RUBY + "Error sending heartbeat: Kafka::UnknownMemberId"], ["generation_reset"], None, {"reason": "Kafka::UnknownMemberId"}),
    (Program.RUBY_KAFKA, [RUBY + "Error committing offsets: Kafka::IllegalGeneration"], ["commit_failed"], None, {}),
    (Program.KAFKA_GO, [GO + f"Joined group billing as member {M1} in generation 4"], ["joined"], "billing", {"generation": 4, "member": M1}),
    (Program.KAFKA_GO, [GO + "sync group finished for group, billing"], ["synced"], "billing", {}),
    (Program.KAFKA_GO, [GO + "subscribed to topics and partitions: map[{topic:orders partition:0}:12 {topic:my-topic partition:3}:-2]"], ["assigned"], None, {"partitions": ["orders-0", "my-topic-3"]}),
    (Program.KAFKA_GO, [GO + f"received empty assignments for group, billing as member {M1} for generation 4"], ["assigned"], "billing", {"partitions": [], "generation": 4}),
    (Program.KAFKA_GO, [GO + "Failed to join group billing: [27] Rebalance In Progress"], ["join_failed"], "billing", {"error": "[27] Rebalance In Progress"}),
    (Program.KAFKA_GO, [GO + f"Leaving group billing, member {M1}"], ["leave_sent"], "billing", {"member": M1}),
    (Program.KAFKA_GO, [GO + "stopped heartbeat for group billing"], ["heartbeat_thread_stopped"], "billing", {}),
    (Program.KAFKA_GO, [GO + "started heartbeat for group, billing [3s]"], [], None, {}),
    (Program.BROD, [BROD + HEAD, "elected=true"], ["joined"], "billing", {"generation": 4}),
    (
        Program.BROD,
        [BROD + HEAD, "assignments received:", "  orders:", "    partition=0 begin_offset=7", "    partition=2 begin_offset=undefined", "  a-b:", "    partition=1 begin_offset=0"],
        ["synced", "assigned"],
        "billing",
        {"generation": 4},
    ),
    (Program.BROD, [BROD + HEAD, "re-joining group, reason:rebalance_in_progress"], ["heartbeat_says_rebalancing"], "billing", {}),
    (Program.BROD, [BROD + HEAD, "re-joining group, reason:unknown_member_id"], ["generation_reset"], "billing", {"reason": "UNKNOWN_MEMBER_ID"}),
    (Program.BROD, [BROD + HEAD, "failed to join group", "reason: not_coordinator"], ["join_failed"], "billing", {"error": "not_coordinator"}),
    (Program.BROD, [BROD + HEAD, "Leaving group, reason: shutdown"], ["leave_sent"], "billing", {"reason": "shutdown"}),
    (
        Program.KAFKAJS,
        ['{"level":"ERROR","timestamp":"2024-03-01T10:00:00.275Z","logger":"kafkajs","message":"[Consumer] Crash: Error: no disk","groupId":"billing"}'],
        ["rebalance_failed"],
        "billing",
        {"error": "Error: no disk"},
    ),
    (Program.LIBRDKAFKA, ["2024-03-01T10:00:00.250Z { severity: 7, fac: 'CGRPJOINSTATE', message: '[thrd:main]: Group \"billing\" changed join state init -> wait-join (state up)' }"], ["cgrp_state"], "billing", {"from": "init", "to": "wait-join"}),
    (Program.LIBRDKAFKA, ['%7|1709287200.250|NOREJOIN|c1#consumer-1| [thrd:main]: Group "billing": Not rejoining group without an assignment: Unassignment done'], [], None, {}),
    (Program.KAFKAJS, [NEST + "[Consumer] Stopped" + BEHIND], ["leave_sent"], "billing", {"reason": "the consumer was stopped"}),
    (Program.KAFKAJS, [NEST + "[Consumer] Restarting the consumer in 10718ms" + BEHIND], [], None, {}),
    (Program.FRANZ_GO, [GO + f"[INFO] join returned MemberIDRequired, rejoining with response's MemberID; group: billing, member_id: {M2}"], ["member_id_created"], "billing", {}),
    (
        Program.BROKER,
        ['{"level":"INFO","timestamp":"2024-03-01 10:00:00,250","message":{"leaderId":"' + M1 + f'","generationId":"4","reason":"{ASSIGNED}","groupId":"billing","coordinatorId":"0","type":"END_REBALANCE","group":"GroupMetadata(groupId=billing, generation=4)"}}}}'],
        ["assignment_received"],
        "billing",
        {"generation": 4},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "lines", "kinds", "group", "detail"), LINES, ids=[f"{x[0]}-{i}" for i, x in enumerate(LINES)]
)
def test_a_rarer_clients_line_becomes_its_rows(
    tmp_path: Path, program: Program, lines: list[str], kinds: list[str], group: str | None, detail: dict[str, Any]
) -> None:
    reading = read(tmp_path, *lines, "2024/03/01 10:00:01 lunch")
    assert [row.kind for row in reading.rows] == kinds
    assert reading.unrecognised == []
    assert {row.program for row in reading.rows} <= {program}
    for row in reading.rows[:1]:
        assert (row.group, row.line) == (group, 1)
        assert {**row.detail, **detail} == row.detail


def test_brods_assignment_is_read_topic_by_topic(tmp_path: Path) -> None:
    lines = next(x[1] for x in LINES if x[2] == ["synced", "assigned"])
    assigned = read(tmp_path, *lines).rows[-1]
    assert assigned.detail["partitions"] == ["orders-0", "orders-2", "a-b-1"]


def test_kafkajs_behind_nests_text_has_the_exact_time(tmp_path: Path) -> None:
    (row,) = read(tmp_path, NEST + "[Consumer] Stopped" + BEHIND).rows
    assert row.at == "2024-03-01T10:00:00.275Z"


SETTINGS = [
    "ConsumerConfig values: ",
    "\tallow.auto.create.topics = true",
    "\tclient.id = c1",
    "\tgroup.id = billing",
    "\tgroup.instance.id = null",
    "\theartbeat.interval.ms = 3000",
    "\tenable.auto.commit = false",
    "\tpartition.assignment.strategy = [class org.apache.kafka.clients.consumer.RangeAssignor, class org.apache.kafka.clients.consumer.CooperativeStickyAssignor]",
    "\tsession.timeout.ms = 10000",
    " (org.apache.kafka.clients.consumer.ConsumerConfig)",
]


def test_the_settings_a_java_consumer_prints_are_of_its_process(tmp_path: Path) -> None:
    client = "[Consumer clientId=c1, groupId=billing] "
    first, *more = SETTINGS
    started = [stamped(0, first), *more, stamped(1, client + "(Re-)joining group" + CLASS)]
    joined = stamped(2, client + "Successfully joined group with generation 4" + CLASS)
    again = [stamped(9, first), *more, stamped(10, client + "(Re-)joining group" + CLASS)]
    log = write(tmp_path, *started, joined, *again)
    _, facts = import_logs(log)
    processes = of(facts, c.ProcessStarted)
    assert [process.process for process in processes] == ["c1.0", "c1.1"]
    assert processes[0].config == {
        "enable.auto.commit": False,
        "heartbeat.interval.ms": 3000,
        "partition.assignment.strategy": "RangeAssignor, CooperativeStickyAssignor",
        "session.timeout.ms": 10000,
    }
    reading = read(tmp_path, *started)
    assert [(row.kind, row.line) for row in reading.context] == [("client_configured", 1)]
    assert (reading.counts.recognised, reading.counts.unrecognised) == (2, 0)
