"""Members left on purpose and did not come back."""

from __future__ import annotations

from groupsim.diagnosis.cause import STEPWISE, Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import membership

_DO = (
    Remedy(
        "nothing is wrong; stop several members at once rather than one by one",
        brief="nothing is wrong",
    ),
    STEPWISE,
)


def _find(log: GroupLog) -> Finding | None:
    gone = membership(log).gone
    if not gone:
        return None
    who = names(d.who for d in gone)
    said = [line for d in gone for line in d.said]
    name = one_or_many(who)
    return Finding(
        code=Code.SCALE_IN,
        certainty=Certainty.LIKELY,
        what=f"{name} left the group on purpose and did not come back in these lines",
        members=who,
        times=len(gone),
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=1_000 * len(gone),
    )


CAUSE = Cause(
    code=Code.SCALE_IN,
    title="Members left for good",
    means="Members leave on purpose (closed, unsubscribed, fewer replicas) and do not come back in the log.",
    seen=(
        Message("Java", "sending LeaveGroup request to coordinator … due to the consumer is being closed"),
        Message("Broker", "Member … has left group … through explicit `LeaveGroup` request"),
    ),
    do=_DO,
    find=_find,
    symptoms=("my group rebalances all the time",),
)
