"""How long nobody in a group could take records: bounds that need no number of partitions."""

from __future__ import annotations

from groupsim.diagnosis.finding import Bounds
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import only_member
from groupsim.diagnosis.rebalances import Rebalance
from groupsim.incidents.logs.row_kinds import RowKind

_HANDOVER_MS = 400
"""From the stored assignment until members have it and their callbacks returned, where no client's log shows it."""

_STEPWISE = frozenset(["compatible", "sessioned", "v0", "v1", "stream"])
"""Protocols of Connect (KIP-415) and Kafka Streams (since 2.4, KIP-429) under which members keep what does not move."""


def stopped(log: GroupLog) -> Bounds | None:
    """At least and at most, in ms; None where nothing shows it. Only eager groups stop in each rebalance."""
    if log.begin is None:
        return None
    if log.rebalances:
        return _by_broker(log)
    if log.of(RowKind.STATIC_REJOIN_WITHOUT_REBALANCE):
        return 0, 0
    return _by_client(log)


def eager(log: GroupLog) -> bool | None:
    """Whether members give up everything in each rebalance; None if no line shows the assignor."""
    protocols = {str(line.row.detail.get("protocol")) for line in log.of(RowKind.JOINED, RowKind.SYNCED)}
    protocols -= {"None", ""}
    if not protocols:
        return None
    return not any("cooperative" in name or name in _STEPWISE for name in protocols)


def _by_broker(log: GroupLog) -> Bounds:
    low, high, open_ = 0, 0, False
    is_eager = eager(log)
    for rebalance in log.rebalances:
        least, most = _of(rebalance)
        low += least if is_eager is not False else 0
        if most is None:
            open_ = open_ or rebalance is not log.rebalances[-1]
            begin = next((line.at for line in rebalance.said if line.at is not None), None)
            if begin is not None and log.end is not None and rebalance is log.rebalances[-1]:
                high += log.end - begin
        else:
            high += most
    low_empty, high_empty = _empty(log)
    return low + low_empty, None if open_ else high + high_empty


def _of(rebalance: Rebalance) -> tuple[int, int | None]:
    """At least from the last join until the assignment is stored; at most from the start until all have it."""
    start, stable, stored = (
        line.at if line else None for line in (rebalance.start, rebalance.stable, rebalance.stored)
    )
    least = max(0, stored - stable) if stable is not None and stored is not None else 0
    if rebalance.first:
        return 0, (stored - start + _HANDOVER_MS) if start is not None and stored is not None else 0
    begin = start if start is not None else stable
    return least, stored - begin + _HANDOVER_MS if begin is not None and stored is not None else None


def _empty(log: GroupLog) -> tuple[int, int]:
    """The times between two memberships in which the group had no member."""
    total = 0
    since: int | None = None
    for line in log.said:
        kind = line.row.kind
        if line.at is None or line.client is not None:
            continue
        if kind is RowKind.GROUP_EMPTY and since is None:
            since = line.at
        elif kind in (RowKind.REBALANCE_START, RowKind.MEMBER_JOINED, RowKind.STABILIZED) and since is not None:
            total += max(0, line.at - since)
            since = None
    return total, total


def _by_client(log: GroupLog) -> Bounds | None:
    """A client's own log gives an upper bound: from what it gave up until it was assigned something again."""
    if len(log.incarnations) != 1:
        return None
    ((client, incarnations),) = log.incarnations.items()
    low = high = 0
    since: int | None = None
    seen = False
    for incarnation in incarnations:
        for line in incarnation.said:
            if line.at is None:
                continue
            if line.row.kind in (RowKind.REVOKED, RowKind.LOST, RowKind.POLL_TIMEOUT) and since is None:
                since = line.at
            elif line.row.kind is RowKind.ASSIGNED and since is not None:
                high += line.at - since
                since, seen = None, True
    low = high if only_member(log, client) else 0
    if since is not None and log.end is not None:
        high += log.end - since
        seen = True
    return (low, high) if seen else None
