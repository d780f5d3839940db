"""karafka, Quarkus, kaffe, Faust, .NET and old librdkafka: lines written by hand after the sentences in their sources."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groupsim.incidents.logs.reading import read_files
from tests.incidents.lines import CLIENT, M1, read, stamped

RUBY = "I, [2024-03-01T10:00:00.250000 #17]  INFO -- : "
QUARKUS = "2024-03-01 10:00:00,250 INFO  [io.sma.rea.mes.kafka] (smallrye-kafka-consumer-thread-0) "
KAFKAJS = '{{"level":"ERROR","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[Connection] Response {}","clientId":"c1","groupId":"billing","error":"{}"}}'
THREAD = "[thrd:main]: "
OLD_JOIN = f"JoinGroup response: GenerationId 4, Protocol range, LeaderId {M1} (me), my MemberId {M1}, 2 members in group: (no error)"

LINES: list[tuple[str, list[str], str | None, dict[str, Any]]] = [
    (RUBY + "Group billing rebalance: Partition(s) 0, 2 of orders assigned", ["assigned"], "billing", {"partitions": ["orders-0", "orders-2"]}),
    (RUBY + "Group billing rebalance: Partition(s) 1 of my-topic revoked", ["revoked"], "billing", {"partitions": ["my-topic-1"]}),
    (RUBY + "Group billing rebalance: No partitions revoked", ["revoked"], "billing", {"partitions": []}),
    (QUARKUS + "SRMSG18224: Executing consumer revoked re-balance listener for group 'billing'", ["revoked"], "billing", {}),
    (QUARKUS + "SRMSG18225: Executed consumer assigned re-balance listener for group 'billing'", ["assigned"], "billing", {}),
    (QUARKUS + "SRMSG18226: Executed consumer revoked re-balance listener for group 'billing'", [], None, {}),
    (QUARKUS + "SRMSG18222: Unable to execute consumer revoked re-balance listener for group 'billing'", ["rebalance_failed"], "billing", {}),
    (f"%7|1709287200.250|JOINGROUP|c1#consumer-1| {THREAD}{OLD_JOIN}", ["joined"], None, {"generation": 4, "member": M1}),
    (f"7|2024-03-01 10:00:00.250|c1#consumer-1|JOINGROUP| {OLD_JOIN}", ["joined"], None, {"generation": 4, "member": M1}),
    ('7|2024-03-01 10:00:00.250|c1#consumer-1|CGRPJOINSTATE| Group "billing" changed join state init -> wait-join', ["cgrp_state"], "billing", {"to": "wait-join"}),
    (f'1709287200.250 RDKAFKA-7-CGRPJOINSTATE: c1#consumer-1: {THREAD}Group "billing" changed join state init -> wait-join (v1, state up)', ["cgrp_state"], "billing", {"to": "wait-join"}),
    (f'%7|1709287200.250|CGRPOP|c1#consumer-1| {THREAD}Group "billing" received op SUBSCRIBE (v0) in state wait-broker (join state init, v1 vs 0)', ["cgrp_state"], "billing", {"op": "SUBSCRIBE", "join_state": "init"}),
    (f'%7|1709287200.250|CGRPOP|c1#consumer-1| {THREAD}Group "billing" received op PARTITION_JOIN in state up (join state assigned, v2) for orders [1]', ["cgrp_state"], "billing", {"partitions": ["orders-1"]}),
    (f"2024-03-01T10:00:00.250Z {{ severity: 7, fac: 'CGRPOP' }} {THREAD}Group \"billing\" received op ASSIGN in state up (join-state steady)", ["cgrp_state"], "billing", {"op": "ASSIGN"}),
    (f'2024-03-01T10:00:00.250Z Debug | {THREAD}Group "billing" heartbeat error response in state up (join-state steady, 3 partition(s) assigned): Broker: Group rebalance in progress', ["heartbeat_says_rebalancing"], "billing", {}),
    (f'2024-03-01T10:00:00.250Z Debug | {THREAD}Group "billing": assignment operations done in join-state steady (rebalance rejoin=false)', [], None, {}),
    (f'2024-03-01 10:00:00.250: LOG-7-ASSIGNDONE: {THREAD}Group "billing": assignment operations done in join-state steady', [], None, {}),
    (stamped(1, "event#assignments_revoked=Elixir.Kaffe.GroupMember.billing_sub.orders.v2"), ["revoked"], None, {"topics": ["orders.v2"]}),
    (stamped(1, CLIENT.partition("INFO ")[2] + "Join group failed with org.apache.kafka.common.errors.MemberIdRequiredException: an id is needed"), ["join_failed"], "billing", {"error": "org.apache.kafka.common.errors.MemberIdRequiredException: an id is needed"}),
    (KAFKAJS.format("Heartbeat(key: 12, version: 3)", "The coordinator is not aware of this member"), ["generation_reset"], "billing", {"reason": "The coordinator is not aware of this member"}),
    (KAFKAJS.format("LeaveGroup(key: 13, version: 1)", "This is not the correct coordinator"), ["leave_failed"], "billing", {"error": "This is not the correct coordinator"}),
    (stamped(1, "Unexpected error in join group 'billing' response: [Error 41] NotController"), ["join_failed"], None, {"error": "[Error 41] NotController"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "kinds", "group", "detail"), LINES, ids=range(len(LINES)))
def test_a_line_becomes_its_rows(
    tmp_path: Path, line: str, kinds: list[str], group: str | None, detail: dict[str, Any]
) -> None:
    reading = read(tmp_path, line, "2024-03-01 10:00:09,000 INFO lunch")
    assert [(row.kind, row.group) for row in reading.rows] == [(kind, group) for kind in kinds]
    assert reading.unrecognised == []
    assert all(row.at is not None and row.at.startswith("2024-03-01T10:00:0") for row in reading.rows)
    for row in reading.rows:
        assert {**row.detail, **detail} == row.detail


def test_old_librdkafka_lines_name_their_client(tmp_path: Path) -> None:
    (row,) = read(tmp_path, LINES[9][0]).rows
    assert row.client == "c1#consumer-1"


def test_quarkus_topics_and_positions_are_context(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        QUARKUS
        + "SRMSG18257: Kafka consumer c1, connected to Kafka brokers 'b:9092', belongs to the 'billing' consumer group and is configured to poll records from [orders, my-topic]",
        QUARKUS + "SRMSG18256: Initialize record store for topic-partition 'orders-0' at position 12.",
    )
    subscribed, position = reading.context
    assert (subscribed.kind, subscribed.client, subscribed.group) == ("client_subscribed", "c1", "billing")
    assert subscribed.detail["topics"] == ["orders", "my-topic"]
    assert position.detail == {"partition": "orders-0", "offset": 12}


ROUND = [
    "┌Topic Partition Set──┬────────────┐",
    "│ topic              │ partitions │",
    "├────────────────────┼────────────┤",
]
PLAIN = [
    "+Topic Partition Set-+------------+",
    "| topic              | partitions |",
    "+--------------------+------------+",
]
ROWS = [" orders             | {0, 2-4}   ", " my-topic           | {1}        "]


@pytest.mark.parametrize(
    ("table", "bar", "last"),
    [(ROUND, "│", "└────────────────────┴────────────┘"), (PLAIN, "|", "+--------------------+------------+")],
)
@pytest.mark.parametrize(
    ("lead", "kind"), [("Setting newly assigned", "assigned"), ("Revoking previously assigned", "revoked")]
)
def test_fausts_tables_are_lists_of_partitions(
    tmp_path: Path, table: list[str], bar: str, last: str, lead: str, kind: str
) -> None:
    head = f"[2024-03-01 10:00:00,250] [17] [INFO] {lead} partitions "
    rows = [f"{bar}{row.replace('|', bar)}{bar}" for row in ROWS]
    reading = read(tmp_path, head, *table, *rows, f"{last} for group billing ", stamped(1, "lunch"))
    (row,) = reading.rows
    assert (row.kind, row.group, row.line) == (kind, "billing", 1)
    assert row.detail["partitions"] == ["orders-0", "orders-2", "orders-3", "orders-4", "my-topic-1"]
    assert reading.unrecognised == []


def test_dotnets_console_prints_the_message_below_time_and_category(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        "2024-03-01 10:00:00 info: Shop.Billing.Worker[0]",
        "      Assigned partitions: [orders [[0]], orders [[1]]]",
        "2024-03-01 10:00:05 warn: Shop.Billing.Worker[0]",
        f"      {THREAD}Application maximum poll interval (300000ms) exceeded by 12ms (adjust max.poll.interval.ms for long-running message processing): leaving group",
    )
    assert [(row.kind, row.at, row.line) for row in reading.rows] == [
        ("assigned", "2024-03-01T10:00:00.000Z", 1),
        ("poll_timeout", "2024-03-01T10:00:05.000Z", 3),
        ("leave_sent", "2024-03-01T10:00:05.000Z", 3),
    ]


STRANGERS = [
    "group 'billing' rebalanced in 312 ms, now 4 consumers",
    "consumer billing-7 was evicted by the coordinator of its group",
    "worker claims partition 3 of the orders topic in its group",
    "c-4 left the group, partitions are being released",
    "rejoining the group with a new identity",
    "the coordinator lost partitions 3, 4 and 9 of orders in a rebalance",
]


@pytest.mark.parametrize("said", STRANGERS)
def test_a_client_that_is_not_known_is_never_silent(tmp_path: Path, said: str) -> None:
    reading = read(tmp_path, stamped(1, said))
    assert reading.rows == []
    assert [line.line for line in reading.unrecognised] == [1]


@pytest.mark.parametrize(
    "head",
    [
        "%7|1709287200.250|{facility}|c1#consumer-1| ",
        "%7|2024-03-01 10:00:00.250|{facility}|c1#consumer-1| ",
        "2024-03-01 10:00:00,250 DEBUG {facility} [c1#consumer-1] ",
        "2024-03-01 10:00:00,250 - kafka - DEBUG - {facility} [c1#consumer-1] ",
        "[2024-03-01 10:00:00.250] [debug] {facility} [c1#consumer-1]: ",
    ],
)
def test_librdkafkas_lines_name_their_client_however_a_logger_prints_them(tmp_path: Path, head: str) -> None:
    """confluent-kafka's `logger=` prints FACILITY [client]; a line without a group is of its client's group then."""
    said = [
        ("CGRPSTATE", '[thrd:main]: Group "billing" changed join state init -> wait-join (state up)'),
        ("JOINGROUP", '[thrd:main]: JoinGroup response: GenerationId 3, Protocol range, LeaderId c1-a (me), my MemberId'
         " c1-a, member metadata count 2: (no error)"),
    ]  # fmt: skip
    (tmp_path / "c.log").write_text("".join(f"{head.format(facility=name)}{text}\n" for name, text in said))
    rows = {str(row.kind): row for row in read_files([tmp_path / "c.log"]).rows}
    assert (rows["joined"].group, rows["joined"].client) == ("billing", "c1#consumer-1")
    assert rows["joined"].at == "2024-03-01T10:00:00.250Z"
