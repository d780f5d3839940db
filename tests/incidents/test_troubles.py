"""Troubles that a member or its program has, as each library words them. Lines are our own."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.lines import AT, read
from tests.incidents.test_evidence import RDKAFKA, THREAD, Said

JAVA = AT + "[Consumer clientId=c1, groupId=billing] "
WORKER = AT + "[Worker clientId=connect-1, groupId=connect-a] "
THREAD_1 = AT + "stream-thread [app-StreamThread-1] "
STRANGER = "2024-03-01 10:00:00,000 ERROR "
TROUBLES = [
    Said(
        JAVA + "Error while fetching metadata with correlation id 2 : {orders=LEADER_NOT_AVAILABLE}",
        "error_named",
        "billing",
        {"name": "LEADER_NOT_AVAILABLE"},
    ),
    Said(
        JAVA + "Received unknown topic or partition error in fetch for partition orders-3",
        "error_named",
        "billing",
        {"name": "UNKNOWN_TOPIC_OR_PARTITION"},
    ),
    Said(
        JAVA + "The following subscribed topics are not assigned to any members: [orders]",
        "topics_unassigned",
        "billing",
        {"topics": "orders"},
    ),
    Said(JAVA + "Received fatal exception: group.instance.id gets fenced", "fatal_error", "billing", {}),
    Said(JAVA + "Heartbeat thread failed due to unexpected error", "fatal_error", "billing", {}),
    Said(
        WORKER + "Current config state offset 5 does not match group assignment 7. Forcing rebalance.",
        "config_behind",
        "connect-a",
        {"offset": 5, "wanted": "7"},
    ),
    Said(
        WORKER + "Current config state offset 5 is behind group assignment 7, reading to end of config log",
        "config_behind",
        "connect-a",
        {"offset": 5},
    ),
    Said(
        WORKER + "Finished reading to end of log and updated config snapshot, new config log offset: 7",
        "config_read",
        "connect-a",
        {"offset": 7},
    ),
    Said(WORKER + "Connector sink-1 config updated", "connector_changed", "connect-a", {"connector": "sink-1"}),
    Said(
        WORKER + "Tasks [sink-1-0, sink-1-1] configs updated",
        "connector_changed",
        "connect-a",
        {"tasks": "sink-1-0, sink-1-1"},
    ),
    Said(
        "org.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed",
        "error_named",
        None,
        {"name": "COMMIT_FAILED"},
    ),
    Said(
        "org.apache.kafka.common.errors.GroupAuthorizationException: Not authorized to access group: billing",
        "error_named",
        None,
        {"name": "GROUP_AUTHORIZATION_FAILED"},
    ),
    Said(
        "Caused by: org.apache.kafka.common.errors.InconsistentGroupProtocolException: no common protocol",
        "error_named",
        None,
        {"name": "INCONSISTENT_GROUP_PROTOCOL"},
    ),
    Said(
        "org.apache.kafka.common.errors.GroupMaxSizeReachedException: too many members",
        "error_named",
        None,
        {"name": "GROUP_MAX_SIZE_REACHED"},
    ),
    Said(
        "org.apache.kafka.common.errors.UnreleasedInstanceIdException: i1",
        "error_named",
        None,
        {"name": "UNRELEASED_INSTANCE_ID"},
    ),
    Said(
        "org.apache.kafka.common.errors.UnsupportedVersionException: the broker is too old",
        "error_named",
        None,
        {"name": "UNSUPPORTED_VERSION"},
    ),
    Said(
        'KafkaError{code=FENCED_INSTANCE_ID,val=82,str="fenced"}', "error_named", None, {"name": "FENCED_INSTANCE_ID"}
    ),
    Said(
        'KafkaError{code=UNKNOWN_TOPIC_OR_PART,val=3,str="Subscribed topic not available: orders"}',
        "error_named",
        None,
        {"name": "UNKNOWN_TOPIC_OR_PARTITION"},
    ),
    Said(
        "Confluent.Kafka.ConsumeException: Application maximum poll interval (300000ms) exceeded by 91ms",
        "error_named",
        None,
        {"name": "MAX_POLL_EXCEEDED"},
    ),
    Said(
        "kafka.errors.GroupAuthorizationFailedError: [Error 30] GroupAuthorizationFailedError: billing",
        "error_named",
        None,
        {"name": "GROUP_AUTHORIZATION_FAILED"},
    ),
    Said(
        STRANGER + "kafka.cluster Topic orders is not available during auto-create initialization",
        "error_named",
        None,
        {"name": "UNKNOWN_TOPIC_OR_PARTITION"},
    ),
    Said(
        STRANGER
        + "aiokafka.consumer.group_coordinator Group Coordinator Request failed: [Error 15] CoordinatorNotAvailableError",
        "error_named",
        None,
        {"name": "COORDINATOR_NOT_AVAILABLE"},
    ),
    Said(
        "2024/03/01 10:00:00 consumer: kafka server: Request was for a topic or partition that does not exist on this broker",
        "error_named",
        None,
        {"name": "UNKNOWN_TOPIC_OR_PARTITION"},
    ),
    Said(
        '{"level":"ERROR","timestamp":"2024-03-01T10:00:00.250Z","logger":"kafkajs","message":"[Connection] Response Metadata(key: 3, version: 6)","broker":"b1:9092","clientId":"c1","error":"This server does not host this topic-partition"}',
        "error_named",
        None,
        {"name": "UNKNOWN_TOPIC_OR_PARTITION"},
    ),
    Said(
        '{"level":"info","ts":"2024-03-01T10:00:00.250Z","msg":"metadata update triggered","why":"inner errors: UNKNOWN_TOPIC_OR_PARTITION{orders}"}',
        "error_named",
        None,
        {"name": "UNKNOWN_TOPIC_OR_PARTITION"},
    ),
    Said(
        RDKAFKA
        + "COMMIT"
        + THREAD
        + "OffsetCommit for 2 partition(s) in join-state steady: manual: returned: Broker: Group rebalance in progress",
        "error_named",
        None,
        {"error": "Broker: Group rebalance in progress"},
    ),
    Said(
        RDKAFKA
        + "SUBSCRIPTION"
        + THREAD
        + 'Group "billing": subscription updated from metadata change: rejoining group in state up',
        "reason_given",
        "billing",
        {},
    ),
    Said(
        RDKAFKA + "CGRPCOORD" + THREAD + 'Group "billing": marking the coordinator (1) dead: _TRANSPORT: disconnected',
        "reason_given",
        "billing",
        {},
    ),
    Said(
        THREAD_1 + "Requested to schedule probing rebalance for 1709287200000 ms.",
        "streams_probing",
        None,
        {"thread": "app-StreamThread-1"},
    ),
    Said(THREAD_1 + "Triggering the followup rebalance scheduled for 1709287200000 ms.", "streams_probing", None, {}),
    Said(THREAD_1 + "Restoration took 32000 ms for all tasks [0_0]", "streams_restored", None, {"after_ms": 32000}),
    Said(
        THREAD_1 + "Detected that the thread is being fenced. This implies that this thread missed a rebalance",
        "thread_fenced",
        None,
        {},
    ),
]


@pytest.mark.parametrize("said", TROUBLES, ids=lambda said: said.line[-60:])
def test_a_trouble_is_evidence_whoever_words_it(tmp_path: Path, said: Said) -> None:
    (row,) = read(tmp_path, said.line).evidence
    assert (row.kind, row.group) == (said.kind, said.group)
    assert said.detail.items() <= row.detail.items()


NOT_A_MEMBERS = [
    AT + "[Producer clientId=p1] Node 1 disconnected.",
    AT + "[Producer clientId=p1] Error while fetching metadata with correlation id 2 : {orders=LEADER_NOT_AVAILABLE}",
    AT + "[AdminClient clientId=a1] Connection to node 1 could not be established.",
    AT
    + "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Remote broker is not the leader: UNKNOWN_TOPIC_OR_PARTITION",
    AT
    + "[BrokerToControllerChannelManager id=1 name=heartbeat] Client requested disconnect from node 3, NOT_COORDINATOR",
    "%3|1700000000.250|FAIL|rdkafka#producer-1| [thrd:b1:9092/1]: b1:9092/1: Disconnected (after 600000ms in state UP)",
]


@pytest.mark.parametrize("line", NOT_A_MEMBERS, ids=lambda line: line[-60:])
def test_troubles_of_brokers_and_producers_are_no_evidence(tmp_path: Path, line: str) -> None:
    beside = "2024-03-01 10:00:00,000 INFO Successfully synced group billing with generation 4"
    assert read(tmp_path, beside, line).evidence == []


def test_a_worker_that_polls_too_late_says_so_like_a_consumer(tmp_path: Path) -> None:
    (row,) = read(
        tmp_path, WORKER + "worker poll timeout has expired. This means the time between polls was longer"
    ).rows
    assert (row.kind, row.group) == ("poll_timeout", "connect-a")
