"""Troubles that other programs have, too: lost connections, failed applications, stuck tasks. Lines are our own."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.lines import AT, read
from tests.incidents.test_evidence import Said
from tests.incidents.test_troubles import JAVA, STRANGER, THREAD_1

WEAK = [
    Said(JAVA + "Node 1 disconnected.", "connection_lost", "billing", {"reason": "Node 1 disconnected."}),
    Said(
        JAVA + "Connection to node 1 (b1/10.0.0.1:9092) could not be established. Node may not be available.",
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        JAVA + "Cancelled in-flight FETCH request with correlation id 12 due to node 1 being disconnected",
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        JAVA
        + "User provided listener com.acme.L failed on invocation of onPartitionsRevoked for partitions [orders-0]",
        "app_failed",
        "billing",
        {},
    ),
    Said(
        "%3|1700000000.250|FAIL|rdkafka#consumer-1| [thrd:b1:9092/1]: b1:9092/1: Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)",
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        "%6|1700000000.250|FAIL|rdkafka#consumer-1| [thrd:b1:9092/1]: b1:9092/1: Disconnected (after 600000ms in state UP)",
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        '{"level":"ERROR","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[Connection] Connection error: connect ECONNREFUSED 10.0.0.1:9092","broker":"b1:9092","clientId":"c1"}',
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        '{"level":"ERROR","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[Runner] Error when calling eachMessage","topic":"orders","partition":0,"error":"boom"}',
        "app_failed",
        "billing",
        {},
    ),
    Said(
        "[sarama] 2024/03/01 10:00:00 client/metadata got error from broker -1 while fetching metadata: dial tcp: connection refused",
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        STRANGER
        + "kafka.conn <BrokerConnection node_id=1 host=b1:9092 <connecting> [IPv4 ('10.0.0.1', 9092)]>: Connect attempt returned error 111. Disconnecting.",
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        STRANGER + "aiokafka Unable connect to node with id 1: [Errno 111] Connect call failed",
        "connection_lost",
        "billing",
        {},
    ),
    Said(
        "2024-03-01 10:00:00.250 ERROR 1 --- [ntainer#0-0-C-1] o.s.k.l.KafkaMessageListenerContainer    : Consumer exception",
        "app_failed",
        "billing",
        {},
    ),
    Said(
        "2024-03-01 10:00:00.250 ERROR 1 --- [ntainer#0-0-C-1] o.s.k.l.KafkaMessageListenerContainer    : Stopping container due to an Error",
        "app_failed",
        "billing",
        {},
    ),
    Said("java.lang.OutOfMemoryError: Java heap space", "app_failed", "billing", {}),
    Said(AT + "the consumer group was stopped after 3 failures", "application_said", "billing", {}),
]


@pytest.mark.parametrize("said", WEAK, ids=lambda said: said.line[-60:])
def test_what_other_programs_say_too_counts_only_beside_lines_about_a_group(tmp_path: Path, said: Said) -> None:
    alone = read(tmp_path, said.line)
    names_its_group = "groupId=billing" in said.line
    assert (len(alone.evidence), alone.counts.recognised) == (names_its_group, names_its_group)
    beside = "2024-03-01 10:00:00,000 INFO Successfully synced group billing with generation 4"
    (row,) = read(tmp_path, beside, said.line).evidence
    assert (row.line, row.kind, row.group) == (2, said.kind, said.group)
    assert said.detail.items() <= row.detail.items()


def test_a_state_of_kafka_streams_is_about_its_group(tmp_path: Path) -> None:
    """No other program has stream threads: its states alone are a log of a group."""
    alone = read(tmp_path, THREAD_1 + "State transition from RUNNING to PARTITIONS_REVOKED")
    (row,) = alone.evidence
    assert alone.counts.recognised == 1
    assert (row.kind, row.detail["from"], row.detail["to"]) == ("streams_state", "RUNNING", "PARTITIONS_REVOKED")
