"""What lines say beside any cause, and whoever owns the group has to know: the broker forgot the group."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.diagnosis.finding import Finding
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.order import QUIET
from groupsim.diagnosis.rebalances import OFTEN, highest_number
from groupsim.incidents.logs.row_kinds import RowKind

_SOMETIMES = 50


def notes(log: GroupLog, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Sentences without their full stop, that are true whatever else happened."""
    return tuple(filter(None, [_forgotten(log), _often(log, findings)]))


def _often(log: GroupLog, findings: Sequence[Finding]) -> str:
    """How often a group has rebalanced of which nothing else is known; what is `OFTEN` stands in the answer."""
    number = highest_number(log.said)
    if not _SOMETIMES <= number < OFTEN or any(finding.code not in QUIET for finding in findings):
        return ""
    return (
        f"the group has rebalanced {number:,} times since it was made, by its generation or epoch: many, if the group"
        " is young or its members seldom restart"
    )


def _forgotten(log: GroupLog) -> str:
    """A group is Dead once it is empty and has no committed offsets (GroupMetadataManager.cleanupGroupMetadata)."""
    dead = log.of(RowKind.GROUP_DEAD)
    if not dead:
        return ""
    again = any(join.said.nth > dead[-1].nth for join in log.joins)
    came = "its next members began" if again else "the next members will begin"
    return (
        'the broker removed the group ("Dead"): it was empty and had no committed offsets (never committed, expired or'
        f" deleted), so {came} where auto.offset.reset says"
    )
