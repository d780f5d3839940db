"""Lines of Go clients, written by hand after the sentences in their sources, as each logger prints them."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groupsim.incidents.logs.rows import Program
from tests.incidents.lines import M1, M2, read

GO = "2024/03/01 10:00:00 "
KGO = GO + "[INFO] "
SARAMA = "[sarama] " + GO
JOINED = {"generation": 4, "member": M1}
BOTH = ["orders-0", "orders-1", "my-topic-2"]
LISTED = "orders[0 1], my-topic[2]"
REBALANCING = "REBALANCE_IN_PROGRESS: The group is rebalancing, so a rejoin is needed."

LINES: list[tuple[str, list[str], dict[str, Any]]] = [
    (KGO + f"joined; group: billing, member_id: {M1}, instance_id: <nil>, generation: 4, leader: false", ["joined"], JOINED),
    (KGO + f"joined, balancing group; group: billing, member_id: {M1}, instance_id: <nil>, generation: 4, balance_protocol: cooperative-sticky, leader: true", ["joined"], JOINED),
    (f"time=2024-03-01T10:00:00.000Z level=INFO msg=joined group=billing member_id={M1} instance_id=<nil> generation=4 leader=false", ["joined"], JOINED),
    ('2024-03-01T10:00:00.000Z\tINFO\tkgo/logger.go:30\tjoined\t{"group": "billing", "member_id": "' + M1 + '", "generation": 4, "leader": false}', ["joined"], JOINED),
    (f"2024-03-01T10:00:00Z INF joined generation=4 group=billing leader=false member_id={M1}", ["joined"], JOINED),
    (f"INFO[2024-03-01T10:00:00Z] joined                        generation=4 group=billing leader=false member_id={M1}", ["joined"], JOINED),
    (KGO + f"new group session begun; group: billing, added: {LISTED}, lost: ", ["assigned"], {"partitions": BOTH}),
    (KGO + f"new group session begun; group: billing, added: my-topic[2], lost: {LISTED}", ["revoked", "assigned"], {"partitions": BOTH}),
    (f'time=2024-03-01T10:00:00.000Z level=INFO msg="new group session begun" group=billing added="{LISTED}" lost=""', ["assigned"], {"partitions": BOTH}),
    ('{"time":"2024-03-01T10:00:00.250Z","level":"info","message":"new group session begun","group":"billing","added":{"orders":[0,1]},"lost":{}}', ["assigned"], {"partitions": BOTH[:2]}),
    (KGO + "eager consumer revoking prior assigned partitions; group: billing, revoking: map[orders:[0 1] my-topic:[2]]", ["revoked"], {"partitions": BOTH}),
    (KGO + "join returned UnknownMemberID, rejoining without a member id; group: billing", ["generation_reset"], {"reason": "join returned UnknownMemberID, rejoining without a member id"}),
    (KGO + f"heartbeat errored; group: billing, err: {REBALANCING}", ["heartbeat_says_rebalancing"], {}),
    (f'time="2024-03-01T10:00:00Z" level=info msg="heartbeat errored" err="{REBALANCING}" group=billing', ["heartbeat_says_rebalancing"], {}),
    (KGO + "heartbeat saw a change in group status; partitions were added or lost; group: billing", ["heartbeat_says_rebalancing"], {}),
    (GO + "[WARN] join group failed; group: billing, err: GROUP_MAX_SIZE_REACHED: full", ["join_failed"], {"error": "GROUP_MAX_SIZE_REACHED: full"}),
    (GO + "[WARN] sync group failed; group: billing, err: ILLEGAL_GENERATION: old", ["rebalance_failed"], {"error": "ILLEGAL_GENERATION: old"}),
    (GO + "[ERROR] join and sync loop errored; group: billing, err: unable to dial: EOF, consecutive_errors: 1, backoff: 250ms", ["rebalance_failed"], {"error": "unable to dial: EOF"}),
    (KGO + f"leaving next-gen group; group: billing, member_id: {M1}, instance_id: <nil>", ["leave_sent"], {}),
]  # fmt: skip

NAMELESS: list[tuple[str, list[str], dict[str, Any]]] = [
    (KGO + f"balanced; plan: {M1}{{{LISTED}}}, {M2}{{orders[2]}}", ["leader_computed_assignment"], {"assignment": {M1: BOTH, M2: ["orders-2"]}, "members": 2}),
    (KGO + f"joined; memberID: {M1}, instanceID: <nil>, generation: 4, rejoins: group", ["joined"], JOINED),
    (KGO + "forced rejoin quitting heartbeat loop; why: after revoking what we lost from a rebalance", ["rejoin_requested"], {"reason": "after revoking what we lost from a rebalance"}),
    (KGO + "assigning partitions; why: new assignments from group session, how: 0, input: orders[0{-2 e-1 ce0}]", [], {}),
    (SARAMA + "consumergroup/billing loop check partition number coroutine will exit, topics [orders]", [], {}),
    (SARAMA + "loop check partition number coroutine will exit, topics [orders] of a group", [], {}),
    (SARAMA + f"consumergroup/session/{M1}/4 released", [], {}),
    (SARAMA + f"consumergroup/session/{M1}/4 heartbeat loop stopped", ["heartbeat_thread_stopped"], {"generation": 4}),
    (SARAMA + "client/coordinator requesting coordinator for consumergroup billing from broker:9092", [], {}),
    ('{"level":"info","ts":1709287200.25,"msg":"consumer/broker/2 added subscription to orders/3"}', ["assigned"], {"partitions": ["orders-3"]}),
    ('time="2024-03-01T10:00:00Z" level=info msg="consumer/broker/2 closed dead subscription to orders/3" component=kafka', ["revoked"], {"partitions": ["orders-3"]}),
    (GO + "kafka: error while consuming orders/3: kafka server: The provided member is not known in the current generation of the group", ["commit_failed"], {"partition": "orders-3"}),
    (GO + "Error from consumer: kafka server: A rebalance for the group is in progress. Please re-join the group", ["heartbeat_says_rebalancing"], {}),
    (GO + "Error from consumer group: kafka server: The provided generation id is not the current generation", ["generation_reset"], {"reason": "The provided generation id is not the current generation"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "kinds", "detail"), LINES, ids=range(len(LINES)))
def test_a_line_of_franz_go_becomes_its_rows(
    tmp_path: Path, line: str, kinds: list[str], detail: dict[str, Any]
) -> None:
    reading = read(tmp_path, line)
    assert [(row.kind, row.group, row.program) for row in reading.rows] == [
        (k, "billing", Program.FRANZ_GO) for k in kinds
    ]
    assert {**reading.rows[0].detail, **detail} == reading.rows[0].detail


@pytest.mark.parametrize(("line", "kinds", "detail"), NAMELESS, ids=range(len(NAMELESS)))
def test_a_go_line_without_a_group_becomes_its_rows(
    tmp_path: Path, line: str, kinds: list[str], detail: dict[str, Any]
) -> None:
    reading = read(tmp_path, line, GO + "lunch")
    assert [row.kind for row in reading.rows] == kinds
    assert reading.unrecognised == []
    for row in reading.rows:
        assert {**row.detail, **detail} == row.detail
