"""The processes of a client, as its own log shows them: each from a start to a close, or to where the log ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from groupsim.diagnosis.said import Said
from groupsim.events.types import LeaveCause
from groupsim.incidents.facts.causes import announces_leave, leave_cause
from groupsim.incidents.logs.row_kinds import RowKind

_STARTS = frozenset([RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SUBSCRIBED])
_FINDS = frozenset([RowKind.COORDINATOR_FOUND, RowKind.JOINING])
_PROGRESS = frozenset(
    [RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST, RowKind.REJOIN_REQUESTED]
)
_BESIDE = frozenset(
    [
        RowKind.CLIENT_POSITION,
        RowKind.CLIENT_NO_OFFSET,
        RowKind.COMMIT_FAILED,
        RowKind.CLIENT_REMOVED,
        RowKind.CGRP_STATE,
    ]
)
"""Lines beside a membership: they say nothing of whether it ended."""


@dataclass(slots=True)
class Life:
    """One process of a client, as its own log shows it: from a start to a close, or to where the log ends."""

    client: str
    said: list[Said] = field(default_factory=list)
    closed: bool = False
    begins: bool = False
    """Whether its start is in the log."""

    def of(self, *kinds: RowKind) -> list[Said]:
        """Its lines of these kinds."""
        return [s for s in self.said if s.row.kind in kinds]

    @property
    def ends_closed(self) -> bool:
        """Whether it was closed: it says so, or the last that it did was to give up what it had."""
        if self.closed:
            return True
        last = next((s for s in reversed(self.said) if s.row.kind not in _BESIDE), None)
        return last is not None and last.row.kind is RowKind.REVOKED and bool(last.row.detail.get("partitions"))

    @property
    def went_on(self) -> bool:
        """Whether it ever was a member."""
        return any(s.row.kind in _PROGRESS for s in self.said)


def lives_of(client: str, said: Sequence[Said]) -> Iterator[Life]:
    life = Life(client)
    for number, line in enumerate(said):
        kind, detail = line.row.kind, line.row.detail
        fresh = (kind in _STARTS and _starts(said, number, life)) or (
            kind is RowKind.STATE_CHANGE and detail.get("from") == "UNSUBSCRIBED" and detail.get("to") == "JOINING"
        )
        fresh = fresh or (
            kind is RowKind.CGRP_STATE and detail.get("from") == "init" and detail.get("to") == "query-coord"
        )
        if (fresh and (life.went_on or life.closed)) or (life.closed and kind is RowKind.COORDINATOR_FOUND):
            yield life
            life = Life(client)
        life.begins = life.begins or fresh
        life.said.append(line)
        if kind in (RowKind.CLIENT_CLOSED, RowKind.CLIENT_CLOSING):
            life.closed = True
        elif kind is RowKind.LEAVE_SENT and leave_cause(line.reason) is not LeaveCause.POLL_TIMEOUT:
            life.closed = "limit_ms" not in detail
        elif kind is RowKind.STATE_CHANGE and detail.get("to") == "LEAVING":
            life.closed = True
        elif kind is RowKind.GENERATION_RESET and announces_leave(line.reason):
            life.closed = life.closed or not any(s.row.kind is RowKind.POLL_TIMEOUT for s in life.said[-3:])
        elif kind in (RowKind.JOINED, RowKind.JOINING):
            life.closed = False
    if life.said:
        yield life


def _starts(said: Sequence[Said], number: int, life: Life) -> bool:
    """Whether a subscription is that of a new process: a process that subscribes again has found its coordinator."""
    if not life.went_on or life.ends_closed or said[number].row.kind is RowKind.CLIENT_CONFIGURED:
        return True
    after = (line.row.kind for line in said[number + 1 : number + 40])
    return next((kind for kind in after if kind in _PROGRESS or kind in _FINDS), None) is RowKind.COORDINATOR_FOUND
