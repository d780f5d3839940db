"""What reading a log gives: rows by the contract of `incident read`, what the story needs besides, and counts."""

from __future__ import annotations

import msgspec

KINDS = frozenset(
    [
        "rebalance_start",
        "stabilized",
        "assignment_received",
        "member_failed",
        "member_left",
        "member_id_created",
        "pending_member_joins",
        "group_empty",
        "group_dead",
        "group_loaded",
        "empty_assignment",
        "static_member_replaced",
        "static_rejoin_without_rebalance",
        "coordinator_lifecycle",
        "broker_lifecycle",
        "joining",
        "rejoin_requested",
        "joined",
        "join_failed",
        "synced",
        "leader_computed_assignment",
        "assigned",
        "revoked",
        "lost",
        "giving_away_all",
        "leave_sent",
        "leave_failed",
        "poll_timeout",
        "session_expired",
        "generation_reset",
        "heartbeat_says_rebalancing",
        "heartbeat_thread_stopped",
        "coordinator_found",
        "coordinator_lost",
        "commit_failed",
        "rebalance_failed",
        "worker_assigned",
        "worker_revoked_itself",
        "state_change",
        "cgrp_state",
    ]
)
"""The kinds that `incident read` shows. Rows of other kinds are context: only the story uses them."""


class Row(msgspec.Struct, frozen=True):
    """One recognised line. `at` is a UTC instant (ISO 8601, ms) or None; `line` is where the record starts, from 1."""

    file: str
    line: int
    at: str | None
    kind: str
    group: str | None
    member: str | None
    client: str | None
    detail: dict[str, object]


class Unread(msgspec.Struct, frozen=True):
    """A line that speaks of a group in words nobody here knows."""

    file: str
    line: int
    text: str


class Counts(msgspec.Struct):
    """Of one reading: lines read, records recognised, group-related records that were not."""

    lines: int = 0
    recognised: int = 0
    unrecognised: int = 0

    def add(self, other: Counts) -> None:
        """Add another file's counts."""
        self.lines += other.lines
        self.recognised += other.recognised
        self.unrecognised += other.unrecognised


class Reading(msgspec.Struct):
    """Everything read from some files, each file's rows in line order.

    `context` holds rows of kinds outside KINDS. `unread` lists unrecognised lines (at most `reader.UNREAD_KEPT` a file;
    `counts.unrecognised` counts all). `troubles` are sentences about damaged files. `ends`: each
    file's last instant, of whatever line.
    """

    files: tuple[str, ...] = ()
    rows: list[Row] = []
    context: list[Row] = []
    counts: Counts = msgspec.field(default_factory=Counts)
    unread: list[Unread] = []
    troubles: list[str] = []
    ends: dict[str, str] = {}
