"""Members joined a group that was already working."""

from __future__ import annotations

from itertools import pairwise

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, nothing_wrong, one_or_many, with_its_id
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.incarnations import Incarnation
from groupsim.diagnosis.membership import STARTS_WITHIN_MS, membership
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often

_TOGETHER = "start several members at once"


def _find(log: GroupLog) -> Finding | None:
    new = membership(log).new
    if not new:
        return _seen_by_the_leader(log) or _by_numbers(log)
    who = names(a.who for a in new)
    said = [a.said for a in new]
    name = with_its_id(log, new[0]) if len(new) == 1 else one_or_many(log.called(who))
    return Finding(
        code=Code.SCALE_OUT,
        certainty=Certainty.LIKELY,
        what=f"{name} joined the group{often(len(new)) if len(who) == 1 else ''} while it was working",
        members=who,
        times=len(new),
        evidence=evidence_of(said),
        do=(nothing_wrong(log, together=_TOGETHER if len(who) > 1 else ""),),
        harm_ms=900 * len(new),
    )


def _by_numbers(log: GroupLog) -> Finding | None:
    """Each generation in a broker's log has more members than the one before, and no line says who came."""
    said = [line for line in log.of(RowKind.ASSIGNMENT_RECEIVED) if isinstance(line.row.detail.get("members"), int)]
    sizes = [int(str(line.row.detail["members"])) for line in said]
    others = log.departures or log.joins or log.clients or log.of(RowKind.REBALANCE_START)
    if len(sizes) < 2 or others or not all(one < two for one, two in pairwise(sizes)):
        return None
    return Finding(
        code=Code.SCALE_OUT,
        certainty=Certainty.LIKELY,
        what=f"the group grew from {sizes[0]} to {sizes[-1]} members",
        times=len(sizes) - 1,
        evidence=evidence_of(said),
        do=(nothing_wrong(log, together=_TOGETHER),),
        harm_ms=900 * len(sizes),
    )


def _seen_by_the_leader(log: GroupLog) -> Finding | None:
    """A leader gave up all that there is, and shares it now: it was alone, and not because it had just started."""
    for incarnations in log.incarnations.values() if not log.has_broker else ():
        for incarnation in incarnations:
            gave: set[str] = set()
            for line in incarnation.said:
                if line.row.kind is RowKind.REVOKED:
                    gave = {str(p) for p in line.row.detail.get("partitions") or []}  # type: ignore[attr-defined]
                plan = line.row.detail.get("assignment")
                if line.row.kind is not RowKind.LEADER_COMPUTED_ASSIGNMENT or not isinstance(plan, dict):
                    continue
                shared = {str(p) for partitions in plan.values() for p in partitions}
                if len(plan) > 1 and gave == shared and not _starting(incarnation, line):
                    return _joined_beside(log, line)
    return None


def _starting(incarnation: Incarnation, line: Said) -> bool:
    """Whether the line is of the time in which the members of a deployment start."""
    begin = incarnation.said[0].at
    return incarnation.begins and (begin is None or line.at is None or line.at - begin < STARTS_WITHIN_MS)


def _joined_beside(log: GroupLog, line: Said) -> Finding:
    (name,) = log.called([str(line.client)])
    return Finding(
        code=Code.SCALE_OUT,
        certainty=Certainty.LIKELY,
        what=f"another member joined beside {name}, which now shares its partitions with it",
        members=(str(line.client),),
        evidence=evidence_of([line]),
        do=(nothing_wrong(log),),
        harm_ms=900,
    )


CAUSE = Cause(
    code=Code.SCALE_OUT,
    title="Members joined",
    means="New members join a group that is already working, and get their share of the partitions.",
    seen=(
        Message("Broker", "Preparing to rebalance group … in state PreparingRebalance (reason: Adding new member …)"),
        Message("Broker, consumer protocol", "Member … joins the consumer group"),
    ),
    do=(nothing_wrong(None, together=_TOGETHER),),
    find=_find,
)
