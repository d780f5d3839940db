"""What a client held before its log begins, from what it gives up and what it says that it owns."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events.types import Partitions, TopicPartition
from groupsim.incidents.facts.typed_fields import partitions_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind

_OWNED = frozenset({RowKind.CLIENT_BLOCK, RowKind.CLIENT_RECONCILING, RowKind.ASSIGNED})
"""Kinds of rows that may say all that a client owns."""


def held_before(rows: Sequence[PlacedRow]) -> Partitions:
    """What a client was not assigned in its log, and gave up there or owned all the same, up to the first full list.

    A cooperative member gives up a part of what it owns: the rest is in the next list only.
    """
    gained: set[TopicPartition] = set()
    gone: set[TopicPartition] = set()
    for _, timed in rows:
        kind, detail = timed.row.kind, timed.row.detail
        if kind in _OWNED and "owned" in detail:
            gone |= set(partitions_in(detail["owned"])) - gained
            break
        named = set(partitions_in(detail.get("partitions")))
        if kind == RowKind.ASSIGNED:
            gained |= named
        elif kind in (RowKind.REVOKED, RowKind.LOST):
            gone |= named - gained
            if kind == RowKind.LOST and named:
                break
    return tuple(sorted(gone))
