"""Members left on purpose and did not come back."""

from __future__ import annotations

from groupsim.diagnosis.cause import STEPWISE, Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import membership, only_member
from groupsim.wording.numbers import often

_DO = (
    Remedy(
        "nothing is wrong; stop several members at once rather than one by one",
        brief="nothing is wrong",
    ),
    STEPWISE,
)
_DO_ONE = (Remedy("nothing is wrong, if it was meant to stop", brief="nothing is wrong"),)


def _find(log: GroupLog) -> Finding | None:
    gone = membership(log).gone
    if not gone:
        return None
    who = names(d.who for d in gone)
    said = [line for d in gone for line in d.said]
    name = one_or_many(log.called(who))
    return Finding(
        code=Code.SCALE_IN,
        certainty=Certainty.LIKELY,
        what=_sentence(log, name, len(gone) if len(who) == 1 else 1, gone[0].who),
        members=who,
        times=len(gone),
        evidence=evidence_of(said),
        do=_DO if len(who) > 1 else _DO_ONE if _alone(log, gone[0].who) else (*_DO_ONE, STEPWISE),
        harm_ms=1_000 * len(gone),
    )


def _sentence(log: GroupLog, name: str, times: int, client: str) -> str:
    """Several members may have had one client id: each came for a while, and went."""
    if times == 1:
        return f"{name} left the group on purpose and did not come back in these lines"
    came = sum(join.who == client for join in membership(log).new) >= times
    return f"{name} {'joined and left' if came else 'left'} the group{often(times)}, each time on purpose"


def _alone(log: GroupLog, client: str) -> bool:
    """Whether the group had no other member: a leader's plans say so, or all that the broker says is of one."""
    return only_member(log, client) or (log.has_broker and len(log.mentions) == 1)


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
