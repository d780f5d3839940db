"""Rebalance listeners that took long, by the logs of their clients: between which lines, and how long."""

from __future__ import annotations

from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind

_SLOW_MS = 1_200
"""A listener that commits needs some tens of ms."""


def listener_gaps(log: GroupLog) -> list[tuple[Said, Said, int]]:
    """The lines before and after each long listener, and the ms between them."""
    return [gap for processes in log.incarnations.values() for process in processes for gap in _gaps(process.said)]


def _gaps(said: list[Said]) -> list[tuple[Said, Said, int]]:
    """From a client's line before a callback to the one that shows that it returned, where that takes long.

    Its heartbeat thread goes on meanwhile, so other lines may lie between.
    """
    gaps = []
    begins: Said | None = None
    prints_states = any(line.row.kind is RowKind.STATE_CHANGE for line in said)
    for line in said:
        if begins is not None and _ends_callback(line):
            filtered = line.row.kind in (RowKind.ASSIGNED, RowKind.CLIENT_NOTIFIED) and not prints_states
            if not filtered and line.at is not None and begins.at is not None and line.at - begins.at >= _SLOW_MS:
                gaps.append((begins, line, line.at - begins.at))
            begins = None
        if line.row.kind in (RowKind.REVOKED, RowKind.LOST) and line.row.detail.get("partitions"):
            begins = line
    return gaps


def _ends_callback(line: Said) -> bool:
    if line.row.kind is RowKind.STATE_CHANGE:
        return line.row.detail.get("from") == "RECONCILING"
    if line.row.kind is RowKind.REJOIN_REQUESTED:  # what a cooperative member prints once it gave up its partitions
        return "need to revoke partitions" in line.reason
    return line.row.kind in (RowKind.JOINING, RowKind.ASSIGNED, RowKind.CLIENT_NOTIFIED)
