"""All members of a group, or its only one, stop and start again."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import membership
from groupsim.wording.times import duration

_DO = (
    Remedy(
        "run a second member, or start the new process before the old one stops: nobody else can take over",
        brief="run a second member, or start the new one first",
    ),
    Remedy("or make the start faster; an assignor, a protocol or a static id does not help a group of one"),
)


def _find(log: GroupLog) -> Finding | None:
    emptied = membership(log).emptied
    if not emptied:
        return None
    who = names(d.who for d, _ in emptied)
    said = [line for d, a in emptied for line in (d.first, a.said)]
    away = [a.said.at - d.at for d, a in emptied if a.said.at is not None and d.at is not None]
    return Finding(
        code=Code.RESTART,
        certainty=Certainty.LIKELY,
        what=f"{log.group or 'the group'} had no member"
        + (f" for {duration(sum(away))}" if away else "")
        + f": {who[0] if len(who) == 1 else f'its {len(who)} members'} stopped and started again",
        members=who,
        times=len(emptied),
        evidence=evidence_of(said),
        do=_DO,
        confirm="why it was stopped: the log of the deployment or of the process itself",
        harm_ms=sum(away) or 5_000,
    )


CAUSE = Cause(
    code=Code.RESTART,
    title="Restart of the whole group",
    means="All members of a group, or its only one, stop and start again. In between the group is empty, and nobody can"
    " take over.",
    seen=(
        Message("Broker", "Group … with generation … is now empty"),
        Message("Java", "sending LeaveGroup request to coordinator … due to the consumer is being closed"),
    ),
    do=_DO,
    find=_find,
    symptoms=("partitions without owner after a deploy",),
)
