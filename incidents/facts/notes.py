"""What is worth saying of a reading as a whole: logs that may not belong together, rows that no fact stands for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePath

from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow, is_broker, file_spans
from groupsim.incidents.facts.consumer_group import ConsumerGroupFacts

_APART_MS = 3_600_000
_NAMED = 3
_IN_PASSING = frozenset(
    [
        "broker_leader_replaced",
        "cgrp_state",
        "client_added",
        "client_block",
        "client_closed",
        "client_closing",
        "client_heartbeat_stale",
        "client_no_offset",
        "client_poll_was_late",
        "client_position",
        "client_removed",
        "client_subscribed",
        "client_notified",
        "client_unsubscribed",
        "giving_away_all",
        "listener_revoked",
    ]
)
"""Kinds that the story draws on without a fact of their own, or that repeat what another line tells."""


def unrelated(placed: Sequence[TimedRow]) -> list[str]:
    """A sentence about files that share no group with the others and lie over an hour from them, if there are any."""
    files: dict[str, set[str]] = defaultdict(set)
    for _, row in placed:
        if row.group is not None:
            files[row.file].add(row.group)
    clusters: list[tuple[set[str], list[str]]] = []
    for file, groups in files.items():
        shared = [cluster for cluster in clusters if cluster[0] & groups]
        clusters = [cluster for cluster in clusters if not cluster[0] & groups]
        joined = groups.union(*(cluster[0] for cluster in shared))
        clusters.append((joined, [*(f for cluster in shared for f in cluster[1]), file]))
    when = {file: (first, last) for file, first, last in file_spans(list(placed))}
    bounds = sorted(
        (min(when[f][0] for f in names), max(when[f][1] for f in names), sorted(PurePath(f).name for f in names))
        for _, names in clusters
    )
    gaps = [(later[0] - earlier[1], earlier[2], later[2]) for earlier, later in pairwise(bounds)]
    far = [(apart, before, after) for apart, before, after in gaps if apart > _APART_MS]
    if not far:
        return []
    said = [f"{_some(before)} and {_some(after)} {apart / 3_600_000:,.1f} hours apart" for apart, before, after in far]
    more = f"; and {len(far) - _NAMED} more gaps like it" if len(far) > _NAMED else ""
    return [
        f"these logs look like {len(far) + 1} incidents that have no group in common: {'; '.join(said[:_NAMED])}{more};"
        " what lies between counts as silence, so better import them apart"
    ]


def left_out(placed: Sequence[TimedRow]) -> list[str]:
    """A sentence about the rows that were understood and for which there is no kind of fact."""
    counts: Counter[str] = Counter()
    for _, row in placed:
        of_broker = is_broker(row) or row.kind.startswith("broker_")
        teller = ConsumerGroupFacts if of_broker else ClientFacts
        if row.kind not in _IN_PASSING and not hasattr(teller, f"_on_{row.kind}"):
            counts[row.kind] += 1
    if not counts:
        return []
    listed = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
    return [f"lines that were read and are told by no fact, as there is none for them: {listed}"]


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
