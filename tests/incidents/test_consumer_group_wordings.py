"""What a broker logs about consumer groups (KIP-848) becomes rows; lines written after Kafka's own sentences."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groupsim.events import consumer as k
from groupsim.incidents.logs.row_kinds import SHOWN
from tests.incidents.imported import import_logs, of
from tests.incidents.lines import JAVA_BROKER, NEW, only, stamped, write

GROUP = "[GroupId billing]"
U1, U2 = "q1w2e3r4t5y6u7i8o9p0aA", "zZ-9x8c7v6b5n4m3l2k1jJ"
TOPIC = "AbCdEf-12345_67890ghIj"

LINES: list[tuple[str, str, str | None, dict[str, Any]]] = [
    (f"{GROUP} Member {U1} joins the consumer group.", "member_joined", U1, {}),
    (f"{GROUP} Member {U1} joins the consumer group using the classic protocol.", "member_joined", U1, {"protocol": "classic"}),
    (f"{GROUP} Static member {U1} with instance id i1 joins the consumer group using the consumer protocol.", "member_joined", U1, {"instance": "i1"}),
    (f"{GROUP} Bumped group epoch to 7 with metadata hash -42.", "group_epoch_bumped", None, {"epoch": 7}),
    (f"{GROUP} Computed a new target assignment for epoch 7 with 'uniform' assignor in 3ms.", "target_assignment", None, {"epoch": 7, "assignor": "uniform"}),
    (
        f"{GROUP} Computed a new target assignment for epoch 7 with 'uniform' assignor in 3ms:"
        f" {{{U2}=MemberAssignment(partitions={{{TOPIC}=[0, 2]}}), {U1}=MemberAssignment(partitions={{}})}}.",
        "target_assignment",
        None,
        {"epoch": 7, "targets": {U1: [], U2: [f"{TOPIC}-0", f"{TOPIC}-2"]}},
    ),
    (
        f"{GROUP} Computed a new target assignment for epoch 2: {{{U1}=Assignment(partitions={{{TOPIC}=[1]}})}}.",
        "target_assignment",
        None,
        {"epoch": 2, "targets": {U1: [f"{TOPIC}-1"]}},
    ),
    (f"{GROUP} Failed to compute a new target assignment for epoch 7: no assignor.", "target_assignment_failed", None, {"epoch": 7, "error": "no assignor."}),
    (
        f"{GROUP} Member {U1} new assignment state: epoch=7, previousEpoch=6, state=UNREVOKED_PARTITIONS,"
        f" assignedPartitions=[{TOPIC}-0] and revokedPartitions=[{TOPIC}-1, {TOPIC}-2].",
        "member_state",
        U1,
        {
            "epoch": 7,
            "previous_epoch": 6,
            "state": "UNREVOKED_PARTITIONS",
            "assigned_partitions": [f"{TOPIC}-0"],
            "revoked_partitions": [f"{TOPIC}-1", f"{TOPIC}-2"],
        },
    ),
    (f"{GROUP} Member {U1} new assignment state: epoch=7, previousEpoch=6, state=STABLE, assignedPartitions=[].", "member_state", U1, {"state": "STABLE", "assigned_partitions": []}),
    (f"{GROUP} Member {U1} left the consumer group.", "member_left", U1, {}),
    (f"{GROUP} Dynamic member m1-{U1} has left group through explicit `LeaveGroup` request; client reason: the consumer is being closed", "member_left", f"m1-{U1}", {"reason": "the consumer is being closed"}),
    (f"{GROUP} Static member m1-{U1} with instance id i1 has left group through explicit `LeaveGroup` request; client reason: none", "member_left", f"m1-{U1}", {"instance": "i1"}),
    (f"{GROUP} Static member {U1} with instance id i1 temporarily left the consumer group.", "member_left", U1, {"instance": "i1", "what": "temporarily left"}),
    (f"{GROUP} Member {U1} fenced from the group because it failed to transition from epoch 6 within 300000ms.", "member_failed", U1, {"reason": "it failed to transition from epoch 6 within 300000ms.", "rebalance_timeout_ms": 300_000}),
    (
        f"{GROUP} Static member with instance id i1 re-joins the consumer group using the consumer protocol. Created a new member {U2} to replace the existing member {U1}.",
        "static_member_replaced",
        U2,
        {"instance": "i1", "old_member": U1},
    ),
    (
        f"{GROUP} Static member with instance id i.1 re-joins the consumer group using the consumer protocol. Created a new member {U2} to replace the existing member i.1-{U1}.",
        "static_member_replaced",
        U2,
        {"instance": "i.1", "old_member": f"i.1-{U1}"},
    ),
    (f"{GROUP} Dynamic member with unknown member id joins the consumer group. Created a new member id {U1} and requesting the member to rejoin with this id.", "member_id_created", U1, {}),
    (f"{GROUP} Static member {U2} with instance id i1 cannot join the group because the instance id is owned by member {U1}.", "instance_id_unreleased", U2, {"instance": "i1"}),
    (f"{GROUP} Static member {U2} with instance id i1 is fenced by existing member {U1}.", "static_member_fenced", U2, {"current": U1}),
    (f"{GROUP} Converted the classic group to a consumer group.", "group_converted", None, {"what": "classic", "to": "consumer"}),
    (f"{GROUP} Converted the empty classic group to a consumer group.", "group_converted", None, {"what": "empty classic"}),
    (f"{GROUP} Member {U1} updated its subscribed topics to: [orders, invoices].", "subscription_changed", U1, {"topics": ["orders", "invoices"]}),
    (f"{GROUP} Member {U1} updated its subscribed regex to: ord.*.", "subscription_changed", U1, {"regex": "ord.*"}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kind", "member", "detail"), LINES, ids=[x[1] + str(i) for i, x in enumerate(LINES)])
def test_a_line_about_a_consumer_group_becomes_its_row(
    tmp_path: Path, said: str, kind: str, member: str | None, detail: dict[str, Any]
) -> None:
    row = only(tmp_path, JAVA_BROKER + said + " " + NEW)
    assert (row.kind, row.group, row.member) == (kind, "billing", member)
    assert row.kind in SHOWN
    assert {**row.detail, **detail} == row.detail


def test_printed_targets_name_members_whose_joining_is_not_in_the_log(tmp_path: Path) -> None:
    target = (
        f"Computed a new target assignment for epoch 7 with 'uniform' assignor in 3ms:"
        f" {{{U1}=MemberAssignment(partitions={{{TOPIC}=[0]}}), {U2}=MemberAssignment(partitions={{}})}}."
    )
    broker = f"[GroupCoordinator id=1 topic=__consumer_offsets partition=7] {GROUP} "
    log = write(tmp_path, stamped(1, f"{broker}Bumped group epoch to 7. {NEW}"), stamped(2, f"{broker}{target} {NEW}"))
    result, facts = import_logs(log)
    assert {each.member for each in of(facts, k.ConsumerMemberUpdated)} == {U1, U2}
    assert [(bump.epoch, bump.cause) for bump in of(facts, k.GroupEpochBumped)] == [(7, k.BumpCause.UNKNOWN)]
    assert [(done.epoch, done.changed) for done in of(facts, k.TargetComputed)] == [(7, {})]
    assert any("printed with topic ids" in note for note in result.notes)


def test_a_state_names_a_member_that_joined_before_the_log_began(tmp_path: Path) -> None:
    broker = f"[GroupCoordinator id=1 topic=__consumer_offsets partition=7] {GROUP} "
    state = f"Member {U1} new assignment state: epoch=7, previousEpoch=6, state=STABLE, assignedPartitions=[]."
    _, facts = import_logs(write(tmp_path, stamped(1, f"{broker}{state} {NEW}")))
    assert [each.member for each in of(facts, k.ConsumerMemberUpdated)] == [U1]


def test_a_member_that_is_fenced_raises_the_epoch_also_where_the_broker_does_not_print_it(tmp_path: Path) -> None:
    """Kafka 4.0 prints the new target's epoch alone."""
    broker = f"[GroupCoordinator id=1 topic=__consumer_offsets partition=7] {GROUP} "
    said = [
        f"Member {U1} joins the consumer group using the consumer protocol.",
        "Bumped group epoch to 1.",
        "Computed a new target assignment for epoch 1 with 'uniform' assignor in 1ms.",
        f"Member {U1} fenced from the group because the member session expired.",
        "Computed a new target assignment for epoch 2 with 'uniform' assignor in 1ms.",
    ]
    _, facts = import_logs(write(tmp_path, *(stamped(n, f"{broker}{line} {NEW}") for n, line in enumerate(said, 1))))
    assert [(bump.epoch, bump.cause, bump.member) for bump in of(facts, k.GroupEpochBumped)] == [
        (1, k.BumpCause.SUBSCRIPTION_CHANGED, U1),
        (2, k.BumpCause.MEMBER_REMOVED, U1),
    ]
    assert [(gone.member, gone.cause) for gone in of(facts, k.ConsumerMemberRemoved)] == [
        (U1, k.LossCause.SESSION_EXPIRED)
    ]
