"""What the lines of a group can't show, and which further log would: at most two sentences, the most useful first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groupsim.diagnosis.codes import Code, GroupType
from groupsim.diagnosis.finding import Bounds, Finding
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.order import ON_PURPOSE, QUIET
from groupsim.diagnosis.times import shares
from groupsim.incidents.logs.row_kinds import RowKind

SENTENCES = 2
"""The most of a group."""
_HALF = 0.5
"""An upper bound below this share of the time says something, though the lower one is 0."""

_WORKERS = frozenset([GroupType.CONNECT, GroupType.SCHEMA_REGISTRY])
"""Groups whose members do not read the group's partitions."""
_OVER = frozenset([RowKind.ASSIGNMENT_RECEIVED, RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD])
"""What ends a rebalance."""
_TINY = 0.01
"""A lower bound below this share of the time, without an upper one, says nothing."""


def not_shown(log: GroupLog, findings: Sequence[Finding], stopped_ms: Bounds | None) -> tuple[str, ...]:
    """Sentences without their full stop."""
    return tuple(_sentences(log, findings, stopped_ms))[:SENTENCES]


def says_something(found: Bounds | None, lasted_ms: int) -> bool:
    """Whether bounds of a time help: one from 0 to most of the log does not."""
    if found is None or found == (None, None):
        return False
    low, high = found
    least, most = shares(found, lasted_ms) or (None, None)
    if high is None:
        return bool(low) and (least is None or least >= _TINY)
    return most is None or most < _HALF or (least is not None and least >= _TINY)


def _sentences(log: GroupLog, findings: Sequence[Finding], stopped_ms: Bounds | None) -> Iterator[str]:
    first = findings[0]
    quiet = all(finding.code in QUIET | ON_PURPOSE for finding in findings)
    if log.begin is None:
        if not quiet:
            yield "how long it took: no line has a time; export the same lines with their times"
    elif log.type not in _WORKERS and (not quiet or first.code is Code.OTHERS):
        lasted_ms = 0 if log.end is None else log.end - log.begin
        if not says_something(stopped_ms, lasted_ms):
            yield f"how long nobody in {_group(log)} could read: {_other_log(log)}"
    if (end := _ends_within(log, quiet=quiet)) is not None:
        yield end


def _group(log: GroupLog) -> str:
    return f'group "{log.group}"' if log.group is not None else "the group"


def _other_log(log: GroupLog) -> str:
    """Which log shows what these don't."""
    if not log.has_broker:
        return "the log of the broker that coordinates the group shows it"
    return "the logs of its members show it" if not log.clients else "the logs of its other members show it"


def _ends_within(log: GroupLog, *, quiet: bool) -> str | None:
    """What the broker's lines don't show of a rebalance in which they end: `at_the_end` says that it goes on."""
    last = {line.row.kind: line.nth for line in log.broker}
    begun = last.get(RowKind.REBALANCE_START, -1)
    if begun <= max((last.get(kind, -1) for kind in _OVER), default=-1):
        return None
    if last.get(RowKind.STABILIZED, -1) > begun:
        return "what the last rebalance assigned: the lines end before it"
    return "how the last rebalance ended: the lines end before it did" if quiet else None
