"""Membership lines, and nothing wrong in them."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog

_DO = (Remedy("nothing: these lines show a group at work"),)


def _find(log: GroupLog) -> Finding | None:
    generation = max((g for line in log.said if isinstance(g := line.row.detail.get("generation"), int)), default=0)
    many = f"; but generation {generation:,} says that it rebalances all the time" if generation >= 2_000 else ""
    return Finding(
        code=Code.HEALTHY,
        certainty=Certainty.LIKELY if many else Certainty.POSSIBLE,
        what=f"nothing is wrong in these lines{many}",
        evidence=evidence_of(log.said, 2),
        do=_DO,
    )


CAUSE = Cause(
    code=Code.HEALTHY,
    title="Nothing wrong",
    means="The lines show members at work, and no rebalance that anything went wrong in.",
    seen=(),
    do=_DO,
    find=_find,
)
