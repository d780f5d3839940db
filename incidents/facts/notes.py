"""Notes on a reading as a whole: logs that may not belong together, and rows for which there is no fact."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePath

from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow, file_spans
from groupsim.incidents.facts.consumer_group import ConsumerGroupFacts
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import is_broker
from groupsim.incidents.tolerances import HOUR_MS
from groupsim.wording.lists import listed

_NAMED = 3
_WITHOUT_FACT = frozenset(
    [
        RowKind.BROKER_LEADER_REPLACED,
        RowKind.CGRP_STATE,
        RowKind.CLIENT_ADDED,
        RowKind.CLIENT_BLOCK,
        RowKind.CLIENT_CLOSED,
        RowKind.CLIENT_CLOSING,
        RowKind.CLIENT_CONFIGURED,
        RowKind.CLIENT_HEARTBEAT_STALE,
        RowKind.CLIENT_NO_OFFSET,
        RowKind.CLIENT_POLL_WAS_LATE,
        RowKind.CLIENT_POSITION,
        RowKind.CLIENT_RECONCILIATION_INTERRUPTED,
        RowKind.CLIENT_REMOVED,
        RowKind.CLIENT_SETTING,
        RowKind.CLIENT_SUBSCRIBED,
        RowKind.CLIENT_NOTIFIED,
        RowKind.CLIENT_UNSUBSCRIBED,
        RowKind.CONSUMER_HEARTBEAT_INTERVAL,
        RowKind.GIVING_AWAY_ALL,
        RowKind.HEARTBEAT_SENT,
        RowKind.LISTENER_LOST,
        RowKind.LISTENER_REVOKED,
        RowKind.STORED_ASSIGNMENT,
    ]
)
"""Kinds that are used without a fact of their own, or that repeat what another line says."""


def unrelated_logs(rows: Sequence[TimedRow]) -> list[str]:
    """A sentence about files that share no group with the others and lie over an hour from them, if there are any."""
    files: dict[str, set[str]] = defaultdict(set)
    for _, row in rows:
        if row.group is not None:
            files[row.file].add(row.group)
    clusters: list[tuple[set[str], list[str]]] = []
    for file, groups in files.items():
        shared = [cluster for cluster in clusters if cluster[0] & groups]
        clusters = [cluster for cluster in clusters if not cluster[0] & groups]
        joined = groups.union(*(cluster[0] for cluster in shared))
        clusters.append((joined, [*(f for cluster in shared for f in cluster[1]), file]))
    when = {file: (first, last) for file, first, last in file_spans(list(rows))}
    bounds = sorted(
        (min(when[f][0] for f in names), max(when[f][1] for f in names), sorted(PurePath(f).name for f in names))
        for _, names in clusters
    )
    gaps = [(later[0] - earlier[1], earlier[2], later[2]) for earlier, later in pairwise(bounds)]
    far = [(apart, before, after) for apart, before, after in gaps if apart > HOUR_MS]
    if not far:
        return []
    shown = [
        f"{listed(before, 3)} and {listed(after, 3)} {apart / HOUR_MS:,.1f} hours apart"
        for apart, before, after in far[:_NAMED]
    ]
    more = f"; and {len(far) - _NAMED} more gaps like it" if len(far) > _NAMED else ""
    return [
        f"these logs look like {len(far) + 1} incidents that have no group in common: {'; '.join(shown)}{more};"
        " the time between counts as silence, so import them separately"
    ]


def rows_without_fact(rows: Sequence[TimedRow]) -> list[str]:
    """A sentence about the rows that were recognised and for which there is no kind of fact."""
    counts: Counter[str] = Counter()
    for _, row in rows:
        writer = ConsumerGroupFacts if is_broker(row) else ClientFacts
        if row.kind not in _WITHOUT_FACT and not hasattr(writer, f"_on_{row.kind}"):
            counts[row.kind] += 1
    if not counts:
        return []
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
    return [f"recognised lines for which there is no kind of fact: {kinds}"]
