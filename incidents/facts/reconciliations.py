"""When callbacks of a Java member of the consumer protocol returned: no line shows it, but its library waits for them.

Its library's thread reconciles, and its application calls the listener, at its next poll each time.
"""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events.client import MemberPhase
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind

_BEGINS = RowKind.CLIENT_RECONCILING
_CALLBACKS = frozenset([RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST])
_STATE = RowKind.STATE_CHANGE


def acknowledged(rows: Sequence[PlacedRow], now: int) -> int:
    """How many rows behind row `now`, an assigned callback, the member goes on after it; 0: it has no such row.

    Its library's thread waits for the callback, the application for its next poll before it looks for offsets.
    A next callback without an acknowledgement begins when this one has ended.
    """
    if not any(timed.row.kind == _BEGINS for _, timed in rows[:now]):
        return 0
    for where in range(now + 1, len(rows)):
        row = rows[where][1].row
        acknowledges = row.kind == _STATE and row.detail.get("to") == MemberPhase.ACKNOWLEDGING
        if acknowledges or row.kind == RowKind.CLIENT_RECONCILIATION_INTERRUPTED or row.kind in _CALLBACKS:
            return where - now
    return 0


def revoked_until(rows: Sequence[PlacedRow], now: int) -> tuple[int, int] | None:
    """When a revoked callback at row `now` returned: so many rows on, and so many ms before that row.

    What follows is the next callback, one poll after it; 0, 0: there is none. A poll took as long before this callback
    was called: since the reconciliation began. The rest of the time is the callback's; not if the log begins later.
    None: not in a reconciliation.
    """
    begins = next((at for at in range(now - 1, -1, -1) if rows[at][1].row.kind in (_BEGINS, *_CALLBACKS)), None)
    while (
        begins is not None and rows[begins][1].row.kind == RowKind.REVOKED
    ):  # the library's own line on the same callback
        begins = begins - 1 if begins else None
    if begins is None:  # the log begins here: a classic member joins next
        tells = next(
            (timed.row.kind for _, timed in rows[now + 1 :] if timed.row.kind in (_STATE, RowKind.JOINING)), None
        )
        return (0, 0) if tells == _STATE else None
    if rows[begins][1].row.kind != _BEGINS:
        return None
    follows = next((at for at in range(now + 1, len(rows)) if rows[at][1].row.kind in _CALLBACKS), None)
    if follows is None:
        return 0, 0
    polled_ms, until_ms = rows[now][1].at - rows[begins][1].at, rows[follows][1].at - rows[now][1].at
    return follows - now, min(polled_ms, until_ms)
