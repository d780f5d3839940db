"""How a group is when its lines end: whether what happened is over is the first that people ask about it."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.diagnosis.codes import Code, GroupType
from groupsim.diagnosis.finding import Finding
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.order import ON_PURPOSE, QUIET
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.stopped import eager
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_SHORT_MS = 1_000
"""A state that is younger is said without its age."""
_OF_GROUPS = {
    RowKind.ASSIGNMENT_RECEIVED: "the group is stable",
    RowKind.REBALANCE_START: "a rebalance goes on",
    RowKind.GROUP_EMPTY: "the group has no member",
    RowKind.GROUP_DEAD: "the group has no member",
    RowKind.STABILIZED: None,
    RowKind.GROUP_LOADED: None,
    RowKind.BROKER_UNLOADED: None,
    RowKind.COORDINATOR_LIFECYCLE: None,
    RowKind.BROKER_LIFECYCLE: None,
    RowKind.MEMBER_FAILED: None,
    RowKind.MEMBER_LEFT: None,
    RowKind.MEMBER_ID_CREATED: None,
}
"""The broker's lines that change a classic group, and its state behind each: None where the next line decides it."""
_HAS, _NOTHING = "{} has its partitions", "{} is in the group and has no partition"
_WAITS, _LEFT = "{} is not back in the group", "{} is out of the group"
_OF_MEMBERS = {
    RowKind.ASSIGNED: _HAS,
    RowKind.JOINING: _WAITS,
    RowKind.REJOIN_REQUESTED: _WAITS,
    RowKind.JOIN_FAILED: _WAITS,
    RowKind.LOST: _WAITS,
    RowKind.LEAVE_SENT: _LEFT,
    RowKind.CLIENT_CLOSED: _LEFT,
    RowKind.JOINED: None,
    RowKind.SYNCED: None,
    RowKind.REVOKED: None,
    RowKind.GIVING_AWAY_ALL: None,
    RowKind.POLL_TIMEOUT: None,
    RowKind.SESSION_EXPIRED: None,
    RowKind.GENERATION_RESET: None,
    RowKind.HEARTBEAT_SAYS_REBALANCING: "{} has not rejoined yet",
    RowKind.HEARTBEAT_THREAD_STOPPED: None,
    RowKind.COORDINATOR_LOST: None,
    RowKind.REBALANCE_FAILED: None,
    RowKind.CLIENT_FATAL: None,
    RowKind.CLIENT_CLOSING: None,
    RowKind.CLIENT_NO_BROKER: None,
    RowKind.COMMIT_FAILED: None,
}
"""The same of the lines of a client whose log is the only one."""


def at_the_end(log: GroupLog, findings: Sequence[Finding]) -> str | None:
    """A sentence without its full stop; None where nothing failed, or where its lines do not say."""
    first = findings[0]
    known = log.stopped_ms is not None or any(finding.still for finding in findings)
    if known or (first.code in QUIET and first.code is not Code.OTHERS) or first.code in ON_PURPOSE:
        return None
    if log.has_broker:
        classic = log.type in (GroupType.CLASSIC, GroupType.STREAMS) and bool(log.rebalances)
        found = _last(log.broker, _OF_GROUPS) if classic else None
    else:
        found = _last(log.said, _OF_MEMBERS) if len(log.clients) == 1 else None
    if found is None:
        return None
    line, state = found
    if line.row.detail.get("partitions") == []:
        if not (eager(log) or not log.can("cooperative-sticky")):
            return None  # step by step it is given nothing new, and keeps what it has
        state = _NOTHING
    since_ms = 0 if line.at is None or log.end is None else log.end - line.at
    state = state.format(*log.called(log.clients))
    if since_ms < _SHORT_MS:
        return f"at the end of these lines {state}"
    return f"for the last {duration(since_ms)} of these lines {state}"


def _last(lines: Sequence[Said], states: dict[RowKind, str | None]) -> tuple[Said, str] | None:
    """The line from which the last state was, and that state."""
    nth = next((nth for nth in reversed(range(len(lines))) if lines[nth].row.kind in states), None)
    state = None if nth is None else states[lines[nth].row.kind]
    if nth is None or state is None:
        return None
    while nth and states.get(lines[nth - 1].row.kind, "") == state:
        nth -= 1
    return lines[nth], state
