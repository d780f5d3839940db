"""What a client held before its log begins, from what it gives up and what it says that it owns."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events.types import Partitions, TopicPartition
from groupsim.incidents.facts.detail import partitions_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow

_OWNED = frozenset({"client_block", "client_reconciling", "assigned"})
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
        if kind == "assigned":
            gained |= named
        elif kind in ("revoked", "lost"):
            gone |= named - gained
            if kind == "lost" and named:
                break
    return tuple(sorted(gone))
