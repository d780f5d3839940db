"""Membership lines, and nothing wrong in them."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.rebalances import rebalanced_times

_DO = (Remedy("nothing: these lines show a group at work"),)

_WHY = (
    Remedy(
        "read the broker's log from before: each rebalance begins with `Preparing to rebalance group`, and its reason",
        brief="read the reasons in the broker's log",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    number = rebalanced_times(log.said)
    many = f"{log.group or 'the group'} has rebalanced {number:,} times, and these lines do not show why"
    return Finding(
        code=Code.HEALTHY,
        certainty=Certainty.LIKELY if number else Certainty.POSSIBLE,
        what=many if number else "nothing is wrong in these lines",
        evidence=evidence_of(log.said, 2),
        do=_WHY if number else _DO,
        confirm="how fast the number of generations grows: in a group at rest it stays the same" if number else None,
    )


CAUSE = Cause(
    code=Code.HEALTHY,
    title="Nothing wrong",
    means="The lines show members at work, and no rebalance that anything went wrong in.",
    seen=(),
    do=_DO,
    find=_find,
)
