"""Members that lost what they held, where no broker's log says when they were removed, nor so how long they were still.

A process that is frozen for longer than its session writes nothing of it: it finds out when it runs again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from groupsim.incidents.default_settings import LEAST_SESSION_MS
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.ownership import Ownership, pairs
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.times import iso
from groupsim.storage.log_gaps import Doubt

_LEFT = frozenset([RowKind.POLL_TIMEOUT, RowKind.LEAVE_SENT])


def lost_after_silence(
    clients: Sequence[ClientFacts], owned: Ownership, known: AbstractSet[str], session_ms: int | None
) -> Iterator[Doubt]:
    """What a process held in the last silence as long as a session before it lost that; not of groups in `known`."""
    for each in clients:
        group, name = each.process.group, each.process.name
        rows = [timed for _, timed in each.process.rows] if group not in known else []
        for since, lost in _silences(rows, session_ms or LEAST_SESSION_MS):
            why = (
                f"{name} lost its partitions at {iso(lost)} and had written nothing for a session since {iso(since)}:"
                " frozen, or only cut off from the coordinator; the broker's log says when it was removed; export that"
            )
            held = owned.held(group, name, since, since)
            if held:
                yield Doubt(group, since, lost, pairs(held), why)


def _silences(rows: Sequence[TimedRow], session_ms: int) -> Iterator[tuple[int, int]]:
    """For each loss of a member that did not leave: the begin of the last silence before it, and when it was.

    A process that froze while it joined reads the answer when it runs again, though it was removed since. So only a
    member that asked to join after the silence, or lost nothing for a session after the answer, is one again.
    """
    silent: int | None = None
    before: int | None = None
    asked: int | None = None
    member_from: int | None = None
    for at, row in rows:
        if member_from is not None and at >= member_from:
            silent = None
        if before is not None and at - before >= session_ms:
            silent, member_from = before, None
        if row.kind == RowKind.LOST and silent is not None:
            yield silent, at
        if row.kind == RowKind.JOINING:
            asked = at
        if row.kind == RowKind.JOINED:
            late = silent is not None and asked is not None and asked <= silent
            member_from = at + session_ms if late else at
        if row.kind in _LEFT:
            silent = None
        before = at
