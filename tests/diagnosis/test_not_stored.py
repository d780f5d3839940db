"""A coordinator that cannot write to `__consumer_offsets`: no client can do anything about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Certainty, Code
from tests.diagnosis.small_logs import explained

OLD = "[2025-04-01 08:00:0{},000] {} [GroupCoordinator 2]: {} (kafka.coordinator.group.GroupCoordinator)"
AGAIN = "Preparing to rebalance group billing in state PreparingRebalance with old generation {} (__consumer_offsets-5)"
MEMBER = "(member: orders-1-0b6ea8a6-0f3c-4b0e-9a9f-3a1c1e0a4d11)"
APPEND = (
    "[2025-04-01 08:00:02,000] ERROR [ReplicaManager broker=2] Error processing append operation on partition"
    " __consumer_offsets-5 (kafka.server.ReplicaManager)"
)
TOO_FEW = (
    "org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(2) is insufficient to"
    " satisfy the min.isr requirement of 2 for partition __consumer_offsets-5"
)


@pytest.mark.parametrize(
    "lines",
    [
        [
            OLD.format(1, "INFO", AGAIN.format(7) + f" (reason: error when storing group assignment during SyncGroup"
                                                    f" {MEMBER})"),
        ],
        [
            OLD.format(1, "INFO", AGAIN.format(7) + " (reason: Error COORDINATOR_NOT_AVAILABLE when storing group"
                                                    f" assignment during SyncGroup {MEMBER})"),
        ],
        [OLD.format(1, "INFO", "Stabilized group billing generation 8 (__consumer_offsets-5) with 1 members"), APPEND],
        [APPEND, OLD.format(1, "INFO", "Stabilized group billing generation 8 (__consumer_offsets-5) with 1 members")],
        [OLD.format(1, "WARN", "Failed to write empty metadata for group billing: The coordinator is not available.")],
    ],
)  # fmt: skip
@pytest.mark.parametrize("too_few", [True, False])
def test_an_assignment_that_cannot_be_stored_is_the_brokers_matter(
    tmp_path: Path, lines: list[str], too_few: bool
) -> None:
    found = explained(tmp_path, *lines, *[TOO_FEW] * too_few)
    first = found.groups[0].findings[0]
    assert (first.code, first.certainty) == (Code.COORDINATOR_MOVED, Certainty.LIKELY)
    assert "__consumer_offsets" in found.answer
    assert ("min.insync.replicas" in first.do[0].settings) is too_few
    assert "othing is wrong" not in found.answer


def test_another_topic_that_cannot_be_written_is_not_the_groups_matter(tmp_path: Path) -> None:
    stable = OLD.format(1, "INFO", "Stabilized group billing generation 8 (__consumer_offsets-5) with 1 members")
    found = explained(tmp_path, stable, APPEND.replace("__consumer_offsets-5", "orders-5"))
    assert all(finding.code is not Code.COORDINATOR_MOVED for finding in found.groups[0].findings)


def test_a_group_that_had_nothing_to_store_is_not_concerned(tmp_path: Path) -> None:
    stable = "Stabilized group {} generation 8 (__consumer_offsets-{}) with 1 members"
    lines = [OLD.format(2, "INFO", stable.format("billing", 5)), OLD.format(9, "INFO", stable.format("orders", 43))]
    found = explained(tmp_path, *lines, APPEND)
    codes = {group.group: group.findings[0].code for group in found.groups}
    assert codes["billing"] is Code.COORDINATOR_MOVED
    assert codes["orders"] is not Code.COORDINATOR_MOVED
