"""A group's or a client's first assignment; nothing is wrong."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many, span
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.incarnations import Incarnation
from groupsim.diagnosis.membership import membership
from groupsim.diagnosis.moves import Join
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_DO = (
    Remedy(
        "nothing is wrong; group.initial.rebalance.delay.ms (3 s by default) is how long an empty group waits for more"
        " members",
        ("group.initial.rebalance.delay.ms",),
        brief="nothing is wrong",
    ),
)

_TOGETHER_MS = 5_000
"""Members that start within it are one start: longer than group.initial.rebalance.delay.ms (3 s by default)."""


def _find(log: GroupLog) -> Finding | None:
    first = membership(log).first
    rebalances = [r for r in log.rebalances if r.first]
    begins = [
        incarnation for incarnations in log.incarnations.values() for incarnation in incarnations if incarnation.begins
    ]
    said = (
        [a.said for a in first]
        + [line for r in rebalances for line in r.said]
        + [incarnation.said[0] for incarnation in begins]
    )
    said += (
        []
        if said
        else [
            incarnation.said[0]
            for incarnations in log.incarnations.values()
            for incarnation in incarnations[:1]
            if _joins_first(incarnation)
        ]
    )
    if not said:
        return None
    who = names([a.who for a in first] or [incarnation.client for incarnation in begins])
    waits = [r.waited_ms for r in rebalances if r.waited_ms]
    return Finding(
        code=Code.START_UP,
        certainty=Certainty.LIKELY,
        what=_sentence(who, first, waits[0] if waits else 0),
        members=who,
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=100,
    )


def _sentence(who: tuple[str, ...], first: list[Join], waited_ms: int) -> str:
    """Who started; and that they came one by one where the last came long after the first assignment."""
    name = one_or_many(who)
    begin, end = span(join.said for join in first)
    apart_ms = end - begin if begin is not None and end is not None else 0
    if len(who) > 1 and apart_ms >= max(_TOGETHER_MS, 2 * waited_ms):
        return f"{name} started within {duration(apart_ms)}; who joined after the first assignment began a rebalance"
    return f"{name} started and got the first assignment" + (f" after {duration(waited_ms)}" if waited_ms else "")


def _joins_first(incarnation: Incarnation) -> bool:
    """Whether the log begins with a join before which the client had nothing."""
    kinds = (RowKind.REVOKED, RowKind.LOST, RowKind.HEARTBEAT_SAYS_REBALANCING, RowKind.ASSIGNED, RowKind.LEAVE_SENT)
    for line in incarnation.said:
        if line.row.kind in (RowKind.CLIENT_SUBSCRIBED, RowKind.COORDINATOR_FOUND, RowKind.JOINING, RowKind.JOINED):
            return True
        if line.row.kind in kinds and (line.row.detail.get("partitions") or line.row.kind is not RowKind.REVOKED):
            return False
    return False


CAUSE = Cause(
    code=Code.START_UP,
    title="Start of a group or a member",
    means="A group's first assignment, or a client's start. Nothing is wrong.",
    seen=(
        Message("Broker", "Preparing to rebalance group … with old generation 0"),
        Message("Java", "Subscribed to topic(s): …"),
    ),
    do=_DO,
    find=_find,
)
