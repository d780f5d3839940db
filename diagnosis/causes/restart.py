"""All members of a group, or its only one, stop and start again."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of_events, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.data_lost import data_lost
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import membership
from groupsim.diagnosis.times import floor
from groupsim.wording.numbers import often
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
    away = [a.said.at - d.at for d, a in emptied if a.said.at is not None and d.at is not None]
    lost = data_lost(log)
    return Finding(
        code=Code.RESTART,
        certainty=Certainty.LIKELY,
        what=f"{log.group or 'the group'} had no member{_how_long(away, len(emptied))}:"
        f" {one_or_many(log.called(who))} stopped and started again" + ("" if lost is None else f", and {lost.what}"),
        members=who,
        times=len(emptied),
        evidence=evidence_of_events([(d.first, a.said) for d, a in emptied], () if lost is None else lost.said),
        do=_DO if lost is None else (*lost.do, *_DO),
        confirm="why it was stopped: the log of the deployment or of the process itself"
        if lost is None
        else lost.confirm,
        harm_ms=sum(away) or 5_000,
    )


def _how_long(away: list[int], times: int) -> str:
    """` for 3.1 s`, ` twice, 35.1 s in all`; how often alone without times."""
    if times == 1 or not away:
        return f" for {duration(away[0])}" if away else often(times)
    return f"{often(times)}, {duration(floor(sum(away)))} in all"


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
