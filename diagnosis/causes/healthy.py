"""Membership lines, and nothing wrong in them."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.rebalances import WHY_SO_OFTEN, rebalanced_times
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import counted

_DO = (Remedy("nothing: these lines show a group at work"),)


def _find(log: GroupLog) -> Finding | None:
    number = rebalanced_times(log.said)
    many = (
        f"{log.group or 'the group'} has rebalanced {number:,} times since it was made, and these lines do not show why"
    )
    return Finding(
        code=Code.HEALTHY,
        certainty=Certainty.LIKELY if number else Certainty.POSSIBLE,
        what=many if number else f"nothing is wrong in these lines{_at_work(log)}",
        evidence=evidence_of(log.said, 2),
        do=WHY_SO_OFTEN if number else _DO,
        confirm="how fast the number of generations grows: in a group at rest it stays the same" if number else None,
    )


def _at_work(log: GroupLog) -> str:
    """What the only client in the log does: it looks for its coordinator, is in a generation, has partitions."""
    if len(log.clients) != 1 or log.has_broker:
        return ""
    ((client, own),) = log.clients.items()
    name = log.called([client])[0]
    states = [str(state) for line in own if (state := line.row.detail.get("state"))]
    if states and states[-1].startswith(("wait-", "query-", "init")):
        return f": {name} has not joined yet, and waits for its coordinator"
    generation = next((g for line in reversed(own) if (g := line.row.detail.get("generation"))), None)
    if generation is not None:
        return f": {name} is in generation {generation}"
    has: set[str] = set()
    for line in own:
        listed = line.row.detail.get("partitions")
        partitions = set(map(str, listed)) if isinstance(listed, list) else set[str]()
        if line.row.kind is RowKind.ASSIGNED:
            has |= partitions
        elif line.row.kind in (RowKind.REVOKED, RowKind.LOST):
            has -= partitions
    return f": {name} has {counted(len(has), 'partition')}" if has else ""


CAUSE = Cause(
    code=Code.HEALTHY,
    title="Nothing wrong",
    means="The lines show members at work, and no rebalance that anything went wrong in.",
    seen=(),
    do=_DO,
    find=_find,
)
