"""The processes of a client, as its own log shows them: each from a start to a close, or to where the log ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from groupsim.diagnosis.said import Said
from groupsim.events.types import LeaveCause
from groupsim.incidents.facts.causes import announces_leave, leave_cause
from groupsim.incidents.logs.row_kinds import RowKind

_BEGINS = frozenset([RowKind.CLIENT_CONFIGURED, RowKind.WORKER_STARTED])
_STARTS = _BEGINS | {RowKind.CLIENT_SUBSCRIBED}
_FINDS = frozenset([RowKind.COORDINATOR_FOUND, RowKind.JOINING])
_PROGRESS = frozenset(
    [RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST, RowKind.REJOIN_REQUESTED]
)
_REJOINS = frozenset([RowKind.JOINING, RowKind.REJOIN_REQUESTED, RowKind.REBALANCE_START])
YOUNG = 4
"""The first generations belong to a group's start."""
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
class Incarnation:
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

    @property
    def rejoins_first(self) -> bool:
        """Whether its log begins with a join of a member that was there before: of a later generation than a group
        begins with, and without being given a member id.
        """
        joined = next(iter(self.of(RowKind.JOINED)), None)
        asked = next(iter(self.of(RowKind.JOINING)), None)
        generation = None if joined is None else joined.row.detail.get("generation")
        if joined is None or not isinstance(generation, int) or generation < YOUNG:
            return False
        before = [line for line in self.said if line.nth < joined.nth]
        if any("is rebalancing" in line.reason for line in before):
            return True
        known = asked is not None and all(line.row.kind in _REJOINS for line in before)
        return known and not any("member-id" in line.reason or "member ID" in line.reason for line in before)


def incarnations_of(client: str, said: Sequence[Said]) -> Iterator[Incarnation]:
    incarnation = Incarnation(client)
    for number, line in enumerate(said):
        kind, detail = line.row.kind, line.row.detail
        fresh = (kind in _STARTS and _starts(said, number, incarnation)) or (
            kind is RowKind.STATE_CHANGE and detail.get("from") == "UNSUBSCRIBED" and detail.get("to") == "JOINING"
        )
        fresh = fresh or (
            kind is RowKind.CGRP_STATE and detail.get("from") == "init" and detail.get("to") == "query-coord"
        )
        if (fresh and (incarnation.went_on or incarnation.closed)) or (
            incarnation.closed and kind is RowKind.COORDINATOR_FOUND
        ):
            yield incarnation
            incarnation = Incarnation(client)
        incarnation.begins = incarnation.begins or fresh
        incarnation.said.append(line)
        if kind in (RowKind.CLIENT_CLOSED, RowKind.CLIENT_CLOSING):
            incarnation.closed = True
        elif kind is RowKind.LEAVE_SENT and leave_cause(line.reason) is not LeaveCause.POLL_TIMEOUT:
            incarnation.closed = "limit_ms" not in detail
        elif kind is RowKind.STATE_CHANGE and detail.get("to") == "LEAVING":
            incarnation.closed = True
        elif kind is RowKind.GENERATION_RESET and announces_leave(line.reason):
            incarnation.closed = incarnation.closed or not any(
                s.row.kind is RowKind.POLL_TIMEOUT for s in incarnation.said[-3:]
            )
        elif kind in (RowKind.JOINED, RowKind.JOINING):
            incarnation.closed = False
    if incarnation.said:
        yield incarnation


def _starts(said: Sequence[Said], number: int, incarnation: Incarnation) -> bool:
    """Whether a subscription is that of a new process: a process that subscribes again has found its coordinator."""
    if not incarnation.went_on or incarnation.ends_closed or said[number].row.kind in _BEGINS:
        return True
    after = (line.row.kind for line in said[number + 1 : number + 40])
    return next((kind for kind in after if kind in _PROGRESS or kind in _FINDS), None) is RowKind.COORDINATOR_FOUND
