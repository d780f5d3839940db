"""Members that lost their membership within a revoked callback: others may have had their partitions before it ended.

A callback may take longer than the coordinator waits for the rebalance, and a process may be frozen in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.ownership import Ownership, pairs
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row
from groupsim.incidents.logs.times import iso
from groupsim.storage.log_gaps import Doubt

_LOST = frozenset([RowKind.POLL_TIMEOUT, RowKind.SESSION_EXPIRED, RowKind.LOST])
_TELLS = _LOST | {RowKind.JOINED, RowKind.ASSIGNED, RowKind.LEAVE_SENT}
_NO_MEMBER = frozenset(["FENCED", "STALE"])


def removed_in_callback(clients: Sequence[ClientFacts], owned: Ownership, known: AbstractSet[str]) -> Iterator[Doubt]:
    """What processes held that were no members any more when a revoked callback was over: others may have had it.

    Not of groups in `known`: their coordinator says when it removed them.
    """
    for each in clients:
        group, name, member = each.process.group, each.process.name, None
        rows = [timed for _, timed in each.process.rows] if group not in known else []
        for timed, following in zip(rows, _what_tells(rows), strict=True):
            if timed.row.kind == RowKind.JOINED:
                member = timed.row.member
            elif timed.row.kind == RowKind.REVOKED and following is not None and _lost(following.row, member):
                why = (
                    f"{name} ran a revoked callback from {iso(timed.at)} on and was no member any more at"
                    f" {iso(following.at)}; when it was removed, and whether others had its partitions, is in the"
                    " broker's log; export that"
                )
                held = owned.held(group, name, timed.at, timed.at)
                yield Doubt(group, timed.at, following.at, pairs(held), why)


def _what_tells(rows: Sequence[TimedRow]) -> list[TimedRow | None]:
    """For each row of a client the next one that tells whether it is a member."""
    found: list[TimedRow | None] = []
    following: TimedRow | None = None
    for timed in reversed(rows):
        found.append(following)
        if timed.row.kind in _TELLS or timed.row.detail.get("to") in _NO_MEMBER:
            following = timed
    return found[::-1]


def _lost(row: Row, member: str | None) -> bool:
    """Whether a client that was this member says in a row of `_what_tells` that it is not any more."""
    if row.kind == RowKind.JOINED:
        return row.member is not None and row.member != member
    return row.kind in _LOST or row.detail.get("to") in _NO_MEMBER
