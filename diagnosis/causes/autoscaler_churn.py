"""Members come and go in waves."""

from __future__ import annotations

from itertools import pairwise

from groupsim.diagnosis.cause import Cause, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import membership
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.times import between

_WAVES = 4
_DO = (
    Remedy(
        "give the autoscaler a longer cooldown (KEDA: cooldownPeriod; HPA: stabilizationWindowSeconds), longer than a"
        " rebalance and the lag that it causes",
        ("cooldownPeriod", "stabilizationWindowSeconds"),
        brief="give the autoscaler a longer cooldown",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    found = membership(log)
    moves: list[tuple[bool, Said]] = [(True, a.said) for a in found.new] + [(False, d.first) for d in found.gone]
    moves.sort(key=lambda move: move[1].nth)
    waves = sum(before[0] != after[0] for before, after in pairwise(moves))
    if waves < _WAVES or len({a.who for a in found.new} | {d.who for d in found.gone}) < 2:
        return None
    said = [line for _, line in moves]
    return Finding(
        code=Code.AUTOSCALER_CHURN,
        certainty=Certainty.LIKELY,
        what=f"members came and went {len(moves)} times{between(said)}, in turn: probably an autoscaler",
        members=names([a.who for a in found.new] + [d.who for d in found.gone]),
        times=len(moves),
        evidence=evidence_of(said),
        do=_DO,
        confirm="the autoscaler's events",
        harm_ms=1_200 * len(moves),
    )


CAUSE = Cause(
    code=Code.AUTOSCALER_CHURN,
    title="Autoscaler churn",
    means="Members come and go in waves: each change of the group makes lag, and the lag makes the next change.",
    seen=(),
    do=_DO,
    find=_find,
    symptoms=("my group rebalances all the time",),
)
