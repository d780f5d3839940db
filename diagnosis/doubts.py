"""What lets one doubt that nothing is wrong, where no cause was found: errors that no rule knows, a high generation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from groupsim.diagnosis.cause import EVIDENCE, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Evidence, Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.order import ON_PURPOSE
from groupsim.diagnosis.rebalances import WHY_SO_OFTEN, rebalanced_times
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind

_NOTHING_WRONG = ON_PURPOSE | {Code.HEALTHY, Code.START_UP}
_ERRORS = (RowKind.ERROR_UNKNOWN, RowKind.ERROR_NAMED, RowKind.FATAL_ERROR, RowKind.CLIENT_FATAL, RowKind.EXCEPTION)
_IN_PASSING = frozenset(
    ["MEMBER_ID_REQUIRED", "REBALANCE_IN_PROGRESS", "LEADER_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS",
     "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"]
)  # fmt: skip
"""Errors that a client gets whenever it starts, and that are over at once."""
_OFTEN = 3
_GETS_ON = (RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED, RowKind.STABILIZED)
_QUOTED = 100
_END = re.compile(r"[.!?]\s")
_DO = (
    Remedy(
        "read the lines of that error, and what the program that wrote them says of it: it may be what you look for, or"
        " have nothing to do with the group",
        brief="read that error",
    ),
)


def with_doubts(findings: Sequence[Finding], log: GroupLog) -> tuple[Finding, ...]:
    """The findings; where none says that something is wrong, and the log does, the first one with that."""
    first, *others = findings
    if all(finding.code in _NOTHING_WRONG for finding in findings) and (errors := _errors(log)):
        return _beside_an_error(first, errors), *others
    if first.code in (Code.START_UP, Code.OTHERS) and (number := rebalanced_times(log.said)):
        return _so_often(first, number), *others
    return tuple(findings)


def _so_often(first: Finding, number: int) -> Finding:
    starts = first.code is Code.START_UP
    return replace(
        first,
        certainty=Certainty.POSSIBLE if starts else first.certainty,
        what=f"{first.what}; the group has rebalanced {number:,} times since it was made",
        do=WHY_SO_OFTEN if starts else first.do,
    )


def _beside_an_error(first: Finding, errors: Sequence[Said]) -> Finding:
    shown = f'an error that this program does not know: "{_quote(errors[0])}"'
    alone = first.code is Code.HEALTHY
    places = (*evidence_of(errors, EVIDENCE // 2).places, *first.evidence.places)
    at = [at for at in (first.evidence.first_ms, first.evidence.last_ms, errors[0].at) if at is not None]
    return replace(
        first,
        certainty=Certainty.POSSIBLE,
        what=f"these lines show {shown}" if alone else f"{first.what}; these lines also show {shown}",
        here="but for an error that this program does not know",
        evidence=Evidence(min(at, default=None), max(at, default=None), tuple(dict.fromkeys(places))[:EVIDENCE]),
        do=_DO,
        confirm=None,
    )


def _errors(log: GroupLog) -> list[Said]:
    """The lines that name an error, without those that are over at once; none ends where nobody gets on any more."""
    said = log.of(*_ERRORS)
    passing = [line for line in said if line.row.detail.get("name") in _IN_PASSING]
    last = max((line.nth for line in log.of(*_GETS_ON)), default=-1)
    lasting = [line for line in passing if line.nth > last]
    known = {line.nth for line in passing if len(lasting) < _OFTEN or line.nth <= last}
    return [line for line in said if line.nth not in known and _is_kafkas(line)]


def _is_kafkas(line: Said) -> bool:
    """Exceptions are of the whole application, but for those that Kafka's own code threw."""
    return line.row.kind is not RowKind.EXCEPTION or "kafka" in str(line.row.detail).lower()


def _quote(line: Said) -> str:
    """What it says, in one short piece without quotes."""
    name = f"{line.row.detail.get('name', '')}: "
    said = str(line.row.detail.get("said") or line.reason).removeprefix(name).replace('"', "'")
    said = " ".join(_END.split(said, maxsplit=1)[0].split()).rstrip(".")
    if len(said) <= _QUOTED:
        return said
    return f"{said[:_QUOTED].rpartition(' ')[0] or said[:_QUOTED]} …"
