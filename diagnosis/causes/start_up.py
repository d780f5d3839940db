"""A group's or a client's first assignment; nothing is wrong."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many, span
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.incarnations import Incarnation
from groupsim.diagnosis.membership import membership
from groupsim.diagnosis.moves import Join
from groupsim.diagnosis.said import lost_membership
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

_BEGINS = (RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SUBSCRIBED, RowKind.COORDINATOR_FOUND, RowKind.JOINING)
_HAS = (RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED)
_IN = (*_HAS, RowKind.JOINED, RowKind.SYNCED)
_WAS_IN = (
    RowKind.LOST,
    RowKind.HEARTBEAT_SAYS_REBALANCING,
    RowKind.ASSIGNED,
    RowKind.LEAVE_SENT,
    RowKind.COORDINATOR_LOST,
)


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
    who = names([a.who for a in first] or [line.client for line in said if line.client])
    waits = [r.waited_ms for r in rebalances if r.waited_ms]
    return Finding(
        code=Code.START_UP,
        certainty=Certainty.LIKELY,
        what=_sentence(log, who, first, waits[0] if waits else 0),
        members=who,
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=100,
    )


def _sentence(log: GroupLog, who: tuple[str, ...], first: list[Join], waited_ms: int) -> str:
    """Who started; and that they came one by one where the last came long after the first assignment."""
    name = one_or_many(log.called(who))
    begin, end = span(join.said for join in first)
    apart_ms = end - begin if begin is not None and end is not None else 0
    if len(who) > 1 and apart_ms >= max(_TOGETHER_MS, 2 * waited_ms):
        return f"{name} started within {duration(apart_ms)}; who joined after the first assignment began a rebalance"
    own = [line for client in who for line in log.clients.get(client, [])]
    if own and not any(line.row.kind in _IN for line in own) and not log.has_broker:
        return f"{name} started; this log ends before {'their' if len(who) > 1 else 'its'} first assignment"
    took_ms = waited_ms or max((_took_ms(log, client) for client in who), default=0)
    return f"{name} started and got the first assignment" + (f" after {duration(took_ms)}" if took_ms else "")


def _took_ms(log: GroupLog, client: str) -> int:
    """The longest time from a client's start to its first partitions, by its own log; 0 if that does not show it."""
    longest = 0
    for process in log.incarnations.get(client, []):
        begin = next((line.at for line in process.said if line.row.kind in _BEGINS), None)
        has = [line for line in process.of(*_HAS) if line.row.detail.get("partitions") != []]
        end = next((line.at for line in has or process.of(RowKind.SYNCED)), None)
        if begin is not None and end is not None:
            longest = max(longest, end - begin)
    return longest


def _joins_first(incarnation: Incarnation) -> bool:
    """Whether the log begins with a join before which the client had nothing."""
    if incarnation.rejoins_first:
        return False
    for line in incarnation.said:
        if line.row.kind in (RowKind.CLIENT_SUBSCRIBED, RowKind.COORDINATOR_FOUND, RowKind.JOINING, RowKind.JOINED):
            return True
        if lost_membership(line) or line.row.kind in _WAS_IN:
            return False
        if line.row.kind is RowKind.REVOKED and line.row.detail.get("partitions"):
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
