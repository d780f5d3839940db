"""Whether logs begin or end in the middle of a rebalance: then the outage is longer than they tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.deaths import Deaths
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import is_broker
from groupsim.incidents.logs.times import iso

_BEGIN = frozenset(
    [
        RowKind.REBALANCE_START,
        RowKind.MEMBER_FAILED,
        RowKind.MEMBER_LEFT,
        RowKind.MEMBER_ID_CREATED,
        RowKind.MEMBER_JOINED,
        RowKind.GROUP_EPOCH_BUMPED,
        RowKind.JOINING,
        RowKind.REJOIN_REQUESTED,
        RowKind.HEARTBEAT_SAYS_REBALANCING,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.LEAVE_SENT,
        RowKind.POLL_TIMEOUT,
        RowKind.STATE_CHANGE,
    ]
)
"""Kinds of rows with which a rebalance begins, or a member's part in one."""
_END = frozenset([RowKind.STABILIZED, RowKind.ASSIGNMENT_RECEIVED, RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED])
"""Kinds of rows with which one ends."""
CHANGING = frozenset(["JOINING", "RECONCILING", "ACKNOWLEDGING"])
"""States of a consumer group's client that has yet to follow its target."""
_OVER = frozenset([RowKind.ASSIGNMENT_RECEIVED, RowKind.GROUP_DEAD, RowKind.GROUP_EMPTY])
"""Kinds of a broker's rows by which a rebalance is over."""
_AFTER = "; export from before the incident until the group is stable again"


def begun_before(rows: Sequence[TimedRow], consumer_groups: Set[str]) -> list[str]:
    """Sentences about groups of which the logs tell the end of a rebalance first.

    Not of the clients of consumer groups (KIP-848), of which some libraries print no beginning.
    """
    seen: set[tuple[str, bool]] = set()
    found: dict[str, str] = {}
    for at, row in rows:
        side = (row.group or "", is_broker(row))
        if row.group is None or side in seen or row.kind not in _BEGIN | _END:
            continue
        if row.group in consumer_groups and not is_broker(row):
            continue
        seen.add(side)
        if row.kind in _END and (is_broker(row) or int_in(row.detail.get("generation")) != 1):
            whose = "a broker's log begins" if is_broker(row) else "the logs begin"
            found.setdefault(row.group, f"group {row.group} was rebalancing already when {whose}, at {iso(at)}{_AFTER}")
    return list(found.values())


def unfinished(
    rows: Sequence[TimedRow], processes: Iterable[ProcessLog], deaths: Deaths, consumer_groups: Set[str]
) -> list[str]:
    """Sentences about groups that still rebalance when the logs end.

    Of consumer groups (KIP-848) a broker's log tells no end of a rebalance, and a client's is its state.
    """
    last = _last_of_brokers(rows)
    latest = _latest_generations(rows)
    for process in processes:
        states = [p.row.detail.get("to") for _, p in process.rows if p.row.kind == RowKind.STATE_CHANGE]
        if states and states[-1] in CHANGING and not process.closed:
            last.setdefault(process.group, process.last)
        if process.closed or process.left or (process.group, process.name) in deaths:
            continue
        mine = process.last_of(_BEGIN | _END)
        if mine is None or mine.row.kind in (RowKind.SYNCED, RowKind.ASSIGNED) or process.group in consumer_groups:
            continue
        after, generation = latest.get(process.group, (0, 0))
        joined = int_in(mine.row.detail.get("generation")) if mine.row.kind == RowKind.JOINED else None
        if (joined is not None and joined >= generation) or (joined is None and after <= mine.at):
            last.setdefault(process.group, mine.at)
    return [
        f"group {group} is rebalancing when the logs end, since {iso(at)} at the latest{_AFTER}"
        for group, at in sorted(last.items())
    ]


def _last_of_brokers(rows: Sequence[TimedRow]) -> dict[str, int]:
    """Groups whose brokers began a rebalance and did not end it, and when."""
    began: dict[str, int] = {}
    for at, row in rows:
        if row.group is None or not is_broker(row):
            continue
        if row.kind == RowKind.REBALANCE_START:
            began[row.group] = at
        elif row.kind in _OVER or (row.kind == RowKind.GROUP_CONVERTED and row.detail.get("to") == "consumer"):
            began.pop(row.group, None)
    return began


def _latest_generations(rows: Sequence[TimedRow]) -> Mapping[str, tuple[int, int]]:
    """When each group last completed a generation, and its number."""
    found: dict[str, tuple[int, int]] = {}
    for at, row in rows:
        generation = int_in(row.detail.get("generation"))
        if row.group is not None and row.kind in (RowKind.JOINED, RowKind.STABILIZED, RowKind.GROUP_EMPTY):
            found[row.group] = (at, generation or 0)
    return found
