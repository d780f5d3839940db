"""One recognised line in the log of a group, and what it says of its client's membership."""

from __future__ import annotations

import re
from typing import NamedTuple

from groupsim.diagnosis.finding import Place
from groupsim.incidents.facts.causes import announces_leave
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row

_PART = re.compile(r" \((?:lines \d+ to \d+|from line \d+)\)$")
"""What `taken_apart` adds to the name of a file that holds several logs."""
_UNKNOWN_MEMBER = re.compile(r"UNKNOWN_MEMBER_ID|[Uu]nknown member|not aware of this member|is unknown|UnknownMemberId")

SHORTEST_SESSION_MS = 6_000
"""The default of group.min.session.timeout.ms: a member that is removed sooner after its join did not time out."""


class Said(NamedTuple):
    """One recognised line: its place in the log, its UTC instant if it has one, and which client said it.

    `reason`: the reason or the error that the line gives; "" if none.
    """

    nth: int
    at: int | None
    row: Row
    client: str | None
    reason: str

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(_PART.sub("", self.row.file), self.row.line)


def lost_membership(line: Said) -> bool:
    """Whether a client's line says that the coordinator had removed it, or that its session ended."""
    kind, reason = line.row.kind, line.reason
    if kind is RowKind.SESSION_EXPIRED:
        return True
    if kind is RowKind.COORDINATOR_LOST:
        return "session timed out" in reason or "session expired" in reason
    if kind is RowKind.STATE_CHANGE:
        return line.row.detail.get("to") == "FENCED"
    if kind in (RowKind.GENERATION_RESET, RowKind.CLIENT_HEARTBEAT_REFUSED, RowKind.COMMIT_FAILED, RowKind.JOIN_FAILED):
        return _UNKNOWN_MEMBER.search(reason) is not None
    return False


def needs_an_id(line: Said) -> bool:
    """Whether the coordinator wants a new member id (KIP-394): a member that only rebalances keeps its own."""
    return line.row.kind in (RowKind.REJOIN_REQUESTED, RowKind.JOIN_FAILED) and "valid member ID" in line.reason


def leaves(line: Said) -> bool:
    """Whether a client closes, by a line other than that of its LeaveGroup: a static member sends none."""
    if line.row.kind is RowKind.STATE_CHANGE:
        return line.row.detail.get("to") == "LEAVING"
    return line.row.kind in (RowKind.GENERATION_RESET, RowKind.REJOIN_REQUESTED) and announces_leave(line.reason)
