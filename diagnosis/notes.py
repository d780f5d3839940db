"""What lines say beside any cause, and whoever owns the group has to know: the broker forgot the group."""

from __future__ import annotations

from groupsim.diagnosis.group_log import GroupLog
from groupsim.incidents.logs.row_kinds import RowKind


def notes(log: GroupLog) -> tuple[str, ...]:
    """Sentences without their full stop, that are true whatever else happened."""
    return tuple(filter(None, [_forgotten(log)]))


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
