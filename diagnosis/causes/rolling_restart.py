"""Members close and come back one after the other while others stay: a deploy."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import membership
from groupsim.diagnosis.moves import Going
from groupsim.diagnosis.said import client_of
from groupsim.diagnosis.times import between

_DO = (
    Remedy(
        "give each member a group.instance.id and a session.timeout.ms longer than a restart: then a restart moves no"
        " partition",
        ("group.instance.id", "session.timeout.ms"),
        trial=(("membership", "static"),),
        brief="use group.instance.id, or a cooperative assignor",
    ),
    Remedy(
        "or use a protocol that stops only what moves: cooperative-sticky, or group.protocol=consumer",
        ("partition.assignment.strategy", "group.protocol"),
        trial=(("assignor", "cooperative-sticky"),),
    ),
    Remedy(
        "or a shorter heartbeat.interval.ms: a member hears of a rebalance, and of what it is given, at its next"
        " heartbeat",
        ("heartbeat.interval.ms",),
        brief="a shorter heartbeat.interval.ms",
        trial=(("heartbeat.interval.ms", "500"),),
    ),
)


def _find(log: GroupLog) -> Finding | None:
    found = membership(log)
    several = len(names(d.who for d, _ in found.emptied)) > 1
    back = found.back + (found.emptied if several else [])
    if not back:
        return None
    unnamed = all(client_of(d.who) is None for d, _ in back) and log.type is GroupType.CONSUMER
    who = names(d.who for d, _ in back)
    said = [line for d, a in back for line in (d.first, a.said)]
    static = all(d.going is Going.REPLACED for d, _ in back)
    return Finding(
        code=Code.ROLLING_RESTART,
        certainty=Certainty.POSSIBLE if unnamed or (static and len(who) == 1) else Certainty.LIKELY,
        what=_sentence(who, len(back), between(said), unnamed=unnamed, static=static),
        members=() if unnamed else who,
        times=len(back),
        evidence=evidence_of(said),
        do=_DO,
        confirm="the deployment's own log of when each process was stopped and started",
        harm_ms=3_000 * len(back),
    )


def _sentence(who: tuple[str, ...], times: int, lasted: str, *, unnamed: bool, static: bool) -> str:
    if unnamed:
        return f"{times} members left and others joined after each: probably a restart, one by one"
    if static:
        return f"{len(who)} static members were restarted within their session: nothing was rebalanced for it"
    if len(who) == 1:
        again = f" {times} times" if times > 1 else ""
        return f"{who[0]} was closed and came back{again}{lasted}, each time with a rebalance of all"
    return f"{len(who)} members were closed and came back one after the other{lasted}: a rolling restart"


CAUSE = Cause(
    code=Code.ROLLING_RESTART,
    title="Rolling restart",
    means="Members leave and come back one after the other while others stay, as in a deploy. Each leave and each join"
    " is a rebalance; under an eager assignor all members stop in each.",
    seen=(
        Message("Java", "sending LeaveGroup request to coordinator … due to the consumer is being closed"),
        Message("Broker", "Preparing to rebalance group … (reason: removing member … on LeaveGroup)"),
        Message("Broker", "Static member … replaced … with new member"),
    ),
    do=_DO,
    find=_find,
    symptoms=("partitions without owner after a deploy", "my group rebalances all the time"),
)
