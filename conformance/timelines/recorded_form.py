"""The form of a recorded run (a `recording.json`): its rows, the names of processes and partitions, kinds of events."""

from __future__ import annotations

from typing import Any

from groupsim.events.types import ProcessId

Record = dict[str, Any]
"""A recorded run, or one row of its `events`, `broker`, `client_log` or `actions`."""
CALLBACKS = ("assigned", "revoked", "lost")
"""Kinds of events with which a rebalance listener begins."""


def member_fields(process: ProcessId) -> Record:
    """`m1.0` as the fields of a row."""
    member, _, incarnation = process.rpartition(".")
    return {"member": member, "incarnation": int(incarnation)}


def process_of(row: Record) -> ProcessId:
    """The process of a row."""
    return f"{row['member']}.{row['incarnation']}"


def partition_name(partition: list[Any]) -> str:
    """`["orders", 0]` as `orders-0`."""
    return f"{partition[0]}-{partition[1]}"


def partition_order(name: str) -> tuple[str, int]:
    """Sorts names of partitions by topic and number."""
    topic, _, number = name.rpartition("-")
    return topic, int(number)
