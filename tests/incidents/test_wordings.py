"""Single lines of every producer, written by hand after Kafka's and the clients' own sentences."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.incidents.lines import AT, BROKER, CLASS, CLIENT, GENERATION, JAVA_BROKER, M1, M2, NEW, OLD, only, read

PREPARING = "Preparing to rebalance group billing in state PreparingRebalance with old generation 3"

BROKERS: list[tuple[str, str, str | None, dict[str, Any]]] = [
    (
        BROKER + PREPARING + f" (__consumer_offsets-7) (reason: Adding new member {M1} with group instance id None) " + OLD,
        "rebalance_start",
        M1,
        {"old_generation": 3, "reason": f"Adding new member {M1} with group instance id None"},
    ),
    (
        JAVA_BROKER + PREPARING + f" (reason: removing member {M1} on heartbeat expiration.). " + NEW,
        "rebalance_start",
        M1,
        {"reason": f"removing member {M1} on heartbeat expiration."},
    ),
    (
        JAVA_BROKER + PREPARING + f" (reason: explicit `LeaveGroup` request for ({M1}) members.). " + NEW,
        "rebalance_start",
        M1,
        {"reason": f"explicit `LeaveGroup` request for ({M1}) members."},
    ),
    (BROKER + "Preparing to rebalance group billing with old generation 3 (__consumer_offsets-7) " + OLD, "rebalance_start", None, {"old_generation": 3}),
    (BROKER + "Stabilized group billing generation 4 (__consumer_offsets-7) " + OLD, "stabilized", None, {"generation": 4}),
    (JAVA_BROKER + "Stabilized group billing generation 4 with 2 members. " + NEW, "stabilized", None, {"generation": 4, "members": 2}),
    (BROKER + "Assignment received from leader for group billing for generation 4 " + OLD, "assignment_received", None, {"generation": 4}),
    (
        JAVA_BROKER + f"Assignment received from leader {M1} for group billing for generation 4. The group has 2 members, 1 of which are static. " + NEW,
        "assignment_received",
        None,
        {"generation": 4, "leader": M1, "members": 2, "statics": 1},
    ),
    (BROKER + f"Member {M1} in group billing has failed, removing it from the group " + OLD, "member_failed", M1, {"member": M1}),
    (BROKER + f"Member[group.instance.id Some(i1), member.id {M1}] in group billing has left, removing it from the group " + OLD, "member_left", M1, {"instance": "i1"}),
    (
        BROKER + f"Member MemberMetadata(memberId={M1}, groupInstanceId=None, clientId=c1, clientHost=/10.0.0.1, sessionTimeoutMs=45000,"
        " rebalanceTimeoutMs=300000, supportedProtocols=List(range)) has left group billing through explicit `LeaveGroup`;"
        " client reason: the consumer is being closed " + OLD,
        "member_left",
        M1,
        {"session_timeout_ms": 45000, "reason": "the consumer is being closed"},
    ),
    (JAVA_BROKER + f"[Group billing] Member {M1} has left group through explicit `LeaveGroup` request; client reason: not provided " + NEW, "member_left", M1, {"reason": "not provided"}),
    (
        BROKER + f"Dynamic member with unknown member id joins group billing in Empty state. Created a new member id {M1} and request the member to rejoin with this id. " + OLD,
        "member_id_created",
        M1,
        {"group_state": "Empty"},
    ),
    (
        JAVA_BROKER + "Static member with groupInstanceId=i1 and unknown member id joins group billing in Stable state. Created a new member id i1-x for this member and added to the group. " + NEW,
        "member_id_created",
        "i1-x",
        {"instance": "i1", "group_state": "Stable", "added": True},
    ),
    (JAVA_BROKER + f"Pending dynamic member with id {M1} joins group billing in Stable state. Adding to the group now. " + NEW, "pending_member_joins", M1, {"member": M1}),
    (
        BROKER + "Static member with groupInstanceId=i1 and unknown member id joins group billing in Stable state. Replacing previously mapped member i1-old with this groupInstanceId. " + OLD,
        "static_member_replaced",
        None,
        {"instance": "i1", "old_member": "i1-old"},
    ),
    (BROKER + "Static member Some(i1) of group billing with unknown member id rejoins, assigning new member id i1-new, while old member i1-old will be removed. " + OLD, "static_member_replaced", "i1-new", {"instance": "i1", "old_member": "i1-old"}),
    (BROKER + "Group billing with generation 5 is now empty (__consumer_offsets-7) " + OLD, "group_empty", None, {"generation": 5}),
    (AT + "[GroupMetadataManager brokerId=0] Group billing transitioned to Dead in generation 5 (kafka.coordinator.group.GroupMetadataManager)", "group_dead", None, {"generation": 5}),
    (BROKER + "Loading group metadata for billing with generation 5 " + OLD, "group_loaded", None, {"generation": 5}),
    (JAVA_BROKER + "Loaded classic group billing with 3 members. " + NEW, "group_loaded", None, {"members": 3}),
    (AT.replace("INFO", "WARN") + f"[GroupCoordinator 1]: Setting empty assignments for members Set({M1}) of billing for generation 4 " + OLD, "empty_assignment", M1, {"generation": 4}),
    (JAVA_BROKER + "[GroupId billing] Member abc fenced from the group because the member session expired.. " + NEW, "member_failed", "abc", {}),
    (JAVA_BROKER + f"[Group billing] Static member {M1} with instance id i1 has left group through explicit `LeaveGroup` request; client reason: not provided " + NEW, "member_left", M1, {"instance": "i1", "reason": "not provided"}),
    (JAVA_BROKER + "[GroupId billing][MemberId abc] Member abc left the consumer group. " + NEW, "member_left", "abc", {}),
]  # fmt: skip

CLIENTS: list[tuple[str, str, dict[str, Any]]] = [
    ("(Re-)joining group", "joining", {}),
    ("Request joining group due to: group is already rebalancing", "rejoin_requested", {"reason": "group is already rebalancing"}),
    (f"Successfully joined group with generation {GENERATION}", "joined", {"generation": 4, "member": M1, "protocol": "range"}),
    ("Successfully joined group with generation 4", "joined", {"generation": 4}),
    (f"Successfully synced group in generation {GENERATION}", "synced", {"generation": 4}),
    ("Adding newly assigned partitions: orders-0, my-topic-11", "assigned", {"partitions": ["orders-0", "my-topic-11"]}),
    ("Adding newly assigned partitions: ", "assigned", {"partitions": []}),
    ("Setting newly assigned partitions [orders-0, orders-1]", "assigned", {"partitions": ["orders-0", "orders-1"]}),
    ("Revoke previously assigned partitions orders-0", "revoked", {"partitions": ["orders-0"]}),
    ("Revoking previously assigned partitions [orders-0]", "revoked", {"partitions": ["orders-0"]}),
    ("Lost previously assigned partitions orders-0", "lost", {"partitions": ["orders-0"]}),
    (f"Member {M1} sending LeaveGroup request to coordinator h:9092 (id: 7 rack: null) due to consumer poll timeout has expired.", "leave_sent", {"member": M1, "reason": "consumer poll timeout has expired"}),
    ("consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer", "poll_timeout", {}),
    ("Resetting generation and member id due to: encountered UNKNOWN_MEMBER_ID from HEARTBEAT response", "generation_reset", {"member_id_too": True}),
    ("Resetting generation due to: consumer pro-actively leaving the group", "generation_reset", {"member_id_too": False}),
    ("Discovered group coordinator h:9092 (id: 7 rack: null)", "coordinator_found", {}),
    ("Group coordinator h:9092 (id: 7 rack: null) is unavailable or invalid due to cause: session timed out without receiving a heartbeat response. isDisconnected: false. Rediscovery will be attempted.", "coordinator_lost", {"reason": "session timed out without receiving a heartbeat response"}),
    ("Group coordinator h:9092 (id: 7 rack: null) is unavailable or invalid, will attempt rediscovery", "coordinator_lost", {}),
    ("Attempt to heartbeat failed since group is rebalancing", "heartbeat_says_rebalancing", {}),
    ("Failing OffsetCommit request since the consumer is not part of an active group", "commit_failed", {"local": True}),
    ("Offset commit failed on partition orders-7 at offset 12: The coordinator is not aware of this member.", "commit_failed", {"error": "The coordinator is not aware of this member."}),
    ("JoinGroup failed: The group is full. Need to re-join the group.", "join_failed", {}),
    ("Rebalance failed.", "rebalance_failed", {}),
    ("Member abc with epoch 3 transitioned from STABLE to RECONCILING.", "state_change", {"member": "abc", "epoch": 3, "from": "STABLE", "to": "RECONCILING"}),
]  # fmt: skip

OTHERS: list[tuple[str, list[str], str | None, dict[str, Any]]] = [
    ("2025-04-24 14:38:57,137 - kafka.coordinator - INFO - (Re-)joining group billing", ["joining"], "billing", {}),
    ("2025-04-24 14:38:57,137 - kafka.coordinator - INFO - Successfully joined group billing with generation 4", ["joined"], "billing", {"generation": 4}),
    (f"2026-01-12 01:47:29,580 [T] INFO: Successfully joined group billing <Generation 6 (member_id: {M1}, protocol: range)>", ["joined"], "billing", {"generation": 6, "member": M1}),
    ("INFO 2025-04-07 16:44:11,015 consumer 1 123 Setting newly assigned partitions {TopicPartition(topic='Users', partition=0), TopicPartition(topic='a-b', partition=3)} for group billing", ["assigned"], "billing", {"partitions": ["Users-0", "a-b-3"]}),
    ("02/14/2025 04:40:40 PM Revoking previously assigned partitions set() for group billing", ["revoked"], "billing", {"partitions": []}),
    (f"02/14/2025 04:40:40 PM Joined group 'billing' (generation 23) with member_id {M1}", ["joined"], "billing", {"generation": 23, "member": M1}),
    ("2025-03-14 19:23:12,292 - kafka.coordinator - WARNING - Marking the coordinator dead (node coordinator-1) for group billing: Node Disconnected.", ["coordinator_lost"], "billing", {"reason": "Node Disconnected."}),
    ("2025-03-14 19:23:12,290 - kafka.coordinator - WARNING - Heartbeat session expired, marking coordinator dead", ["session_expired"], None, {}),
    ("2025-03-14 15:35:09,473 - kafka.coordinator - INFO - Leaving consumer group (billing).", ["leave_sent"], "billing", {}),
    ("2024-03-01 10:00:00,250 - aiokafka - ERROR - OffsetCommit failed for group billing due to group error ([Error 25] UnknownMemberIdError: billing), will rejoin", ["commit_failed"], "billing", {}),
    ("2024-03-01 10:00:00,250 - aiokafka - ERROR - OffsetCommit failed for group billing on partition TopicPartition(topic='t', partition=0) with offset 3: X", ["commit_failed"], "billing", {}),
    ("2024-03-01 10:00:00,250 - aiokafka - ERROR - OffsetCommit failed before join, ignoring: CommitFailedError: x", ["commit_failed"], None, {"error": "CommitFailedError: x"}),
    ("2024-03-01 10:00:00,250 - aiokafka - ERROR - Failed to commit on finallization: CommitFailedError: x", ["commit_failed"], None, {"error": "CommitFailedError: x"}),
    ("2024-03-01 10:00:00,250 - aiokafka - INFO - LeaveGroup request succeeded", ["leave_sent"], None, {}),
    ("2024-03-01 10:00:00,250 - aiokafka - ERROR - Heartbeat send request failed: [Error 7] RequestTimedOutError. Will retry.", [], None, {}),
    ("[INFO] heartbeat errored; group: billing, err: UNKNOWN_MEMBER_ID: The coordinator is not aware of this member.", ["generation_reset"], "billing", {"reason": "UNKNOWN_MEMBER_ID: The coordinator is not aware of this member."}),
    ("[ERROR] join and sync loop errored; group: billing, err: EOF, consecutive_errors: 1", ["rebalance_failed"], "billing", {"error": "EOF"}),
    ("[WARN] unable to leave group; group: billing, err: EOF", ["leave_failed"], "billing", {"error": "EOF"}),
    ("[INFO] cooperative rebalance has lost partitions, rejoining group; group: billing", [], None, {}),
    ("2024/03/01 10:00:00 [sarama] JoinGroup failed: group instance id i-1 has been fenced", ["join_failed"], None, {"error": "group instance id i-1 has been fenced"}),
    ("2024/03/01 10:00:00 [sarama] client/coordinator coordinator for consumer group billing is not available", [], None, {}),
    ("%4|1681132527.138|MAXPOLL|rdkafka#consumer-1| [thrd:main]: Application maximum poll interval (300000ms) exceeded by 162ms (adjust max.poll.interval.ms for long-running message processing): leaving group", ["poll_timeout", "leave_sent"], None, {"limit_ms": 300000, "exceeded_by_ms": 162}),
    ('%7|1681132527.138|CGRPJOINSTATE|c1#consumer-1| [thrd:main]: Group "billing" changed join state init -> wait-join (state up)', ["cgrp_state"], "billing", {"from": "init", "to": "wait-join"}),
    (f'%7|1681132527.138|JOINGROUP|c1#consumer-1| [thrd:main]: JoinGroup response: GenerationId 4, Protocol range, LeaderId {M1} (me), my MemberId {M1}, member metadata count 3: (no error)', ["joined"], None, {"generation": 4, "leader": M1}),
    (f'%7|1681132527.138|JOINGROUP|c1#consumer-1| [thrd:main]: JoinGroup response: GenerationId -1, Protocol , LeaderId , my MemberId {M1}, member metadata count 0: Broker: Group member needs a valid member ID', ["join_failed"], None, {"error": "Broker: Group member needs a valid member ID"}),
    ('%4|1681132527.138|COMMITFAIL|c1#consumer-1| [thrd:main]: Offset commit (manual) failed for 1/1 partition(s): Broker: Unknown member: orders[0]@3', ["commit_failed"], None, {"error": "Broker: Unknown member: orders[0]@3"}),
    ('{"level":"ERROR","timestamp":"2020-03-01T20:59:47.285Z","logger":"kafkajs","message":"[Runner] The group is rebalancing, re-joining","groupId":"billing","memberId":"' + M2 + '"}', ["joining"], "billing", {"reason": "The group is rebalancing"}),
    ('{"level":"INFO","timestamp":"2020-03-01T20:59:47.285Z","logger":"kafkajs","message":"[ConsumerGroup] Consumer has joined the group","groupId":"billing","memberId":"' + M2 + '","memberAssignment":{"orders":[0,2]},"groupProtocol":"RoundRobinAssigner"}', ["joined", "assigned"], "billing", {}),
    ("[16:15:57 WRN] [thrd:main]: Application maximum poll interval (300000ms) exceeded by 9ms (adjust max.poll.interval.ms for long-running message processing): leaving group", ["poll_timeout", "leave_sent"], None, {"exceeded_by_ms": 9}),
    ("INFO:kafka.coordinator:Marking the coordinator h:9092 (id: 7 rack: null) dead for group billing", ["coordinator_lost"], "billing", {}),
    ("[2017-03-01 10:00:00,000] INFO Discovered coordinator h:9092 (id: 7 rack: null) for group billing. (org.apache.kafka.clients.consumer.internals.AbstractCoordinator)", ["coordinator_found"], "billing", {}),
    ("[sarama] consumer/broker/1 added subscription to users/1", ["assigned"], None, {"partitions": ["users-1"]}),
    ("[sarama_logger]2022/08/18 16:07:59 consumer/broker/1001 closed dead subscription to users/1", ["revoked"], None, {"partitions": ["users-1"]}),
    (f"[sarama] consumergroup/session/{M1}/16 heartbeat loop stopped", ["heartbeat_thread_stopped"], None, {"generation": 16}),
    ('time=2025-04-24T14:23:02.968+03:00 level=INFO msg="new group session begun" group=billing added="a.b[0 1],c[2]" lost="d[7]"', ["revoked", "assigned"], "billing", {"partitions": ["d-7"]}),
    ('{"time":"2025-04-24T14:23:02Z","msg":"new group session begun","group":"billing","added":{"a-b":[0,1]},"lost":null}', ["assigned"], "billing", {"partitions": ["a-b-0", "a-b-1"]}),
    ("2024-03-01 10:00:00,000 Heartbeat failed for group billing: generation id is not  current.", ["generation_reset"], None, {}),
    (f"2024/03/01 10:00:00 [INFO] joined, balancing group; group: billing, member_id: {M1}, instance_id: <nil>, generation: 4, balance_protocol: range, leader: true", ["joined"], "billing", {"generation": 4}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "kind", "member", "detail"), BROKERS, ids=[b[1] + str(i) for i, b in enumerate(BROKERS)]
)
def test_a_brokers_line_becomes_its_row(
    tmp_path: Path, line: str, kind: str, member: str | None, detail: dict[str, Any]
) -> None:
    row = only(tmp_path, line)
    assert (row.kind, row.group, row.member, row.client) == (kind, "billing", member, None)
    assert {**row.detail, **detail} == row.detail


@pytest.mark.parametrize(("said", "kind", "detail"), CLIENTS, ids=[c[1] + str(i) for i, c in enumerate(CLIENTS)])
def test_a_java_clients_line_becomes_its_row(tmp_path: Path, said: str, kind: str, detail: dict[str, Any]) -> None:
    row = only(tmp_path, CLIENT + said + CLASS)
    assert (row.kind, row.group, row.client) == (kind, "billing", "c1")
    assert {**row.detail, **detail} == row.detail


@pytest.mark.parametrize(
    ("line", "kinds", "group", "detail"), OTHERS, ids=["".join(o[1][:1]) + str(i) for i, o in enumerate(OTHERS)]
)
def test_other_clients_lines_become_rows(
    tmp_path: Path, line: str, kinds: list[str], group: str | None, detail: dict[str, Any]
) -> None:
    reading = read(tmp_path, line)
    assert [row.kind for row in reading.rows] == kinds
    assert reading.unrecognised == []
    for row in reading.rows[:1]:
        assert row.group == group
        assert {**row.detail, **detail} == row.detail


def test_the_leaders_plan_is_read_member_by_member(tmp_path: Path) -> None:
    plan = f"{{{M1}=Assignment(partitions=[a-0, a-1], userDataSize=11), {M2}=Assignment(partitions=[])}}"
    row = only(tmp_path, CLIENT + f"Finished assignment for group at generation 4: {plan}" + CLASS)
    assert row.detail["assignment"] == {M1: ["a-0", "a-1"], M2: []}


def test_a_static_client_is_known_by_its_instance_id(tmp_path: Path) -> None:
    row = only(tmp_path, AT + "[Consumer instanceId=i1, clientId=c1, groupId=billing] (Re-)joining group" + CLASS)
    assert (row.client, row.detail["instance"]) == ("c1", "i1")


def test_a_connect_worker_tells_its_tasks_and_no_partitions(tmp_path: Path) -> None:
    said = (
        "Joined group at generation 15 with protocol version 2 and got assignment: Assignment{error=0, leader='w-1',"
        " leaderUrl='http://h:8083/', offset=12, connectorIds=[db, files], taskIds=[db-0], revokedConnectorIds=[],"
        " revokedTaskIds=[], delay=0} with rebalance delay: 0"
    )
    row = only(tmp_path, AT + "[Worker clientId=connect-1, groupId=connect] " + said + CLASS)
    assert (row.kind, row.detail) == (
        "worker_assigned",
        {"generation": 15, "leader": "w-1", "connectors": ["db", "files"], "tasks": ["db-0"]},
    )


def test_a_coordinator_of_a_transaction_or_of_a_producers_group_is_no_event(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        "02/14/2025 04:40:43 PM Discovered coordinator 1 for transactional id t-1",
        "02/14/2025 04:40:43 PM Discovered coordinator 1 for group id billing",
    )
    assert reading.rows == []
    assert reading.counts.unrecognised == 0


def test_group_lines_in_unknown_words_are_counted_and_kept(tmp_path: Path) -> None:
    reading = read(
        tmp_path, BROKER + "Group billing was painted green " + OLD, CLIENT + "The heartbeat sings" + CLASS, "lunch"
    )
    assert (reading.counts.lines, reading.counts.recognised, reading.counts.unrecognised) == (3, 0, 2)
    assert [unread.line for unread in reading.unrecognised] == [1, 2]
