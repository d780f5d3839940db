"""More members than partitions, or unequal subscriptions: some members have nothing."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.stopped import eager
from groupsim.incidents.logs.row_kinds import RowKind

_DO = (
    Remedy(
        "run at most as many members as there are partitions, or add partitions",
        brief="run no more members than partitions",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    plans = [line for line in log.of(RowKind.LEADER_COMPUTED_ASSIGNMENT) if isinstance(_plan(line), dict)]
    idle: list[Said] = []
    for line in plans[-1:]:
        plan = _plan(line) or {}
        if len(plan) > 1 and any(plan.values()) and any(not partitions for partitions in plan.values()):
            idle = [line]
    empty = [*log.of(RowKind.EMPTY_ASSIGNMENT), *idle]
    if not empty and len(log.incarnations) > 1 and not log.has_broker:
        empty = _last_empty(log)
    alone = [] if empty or log.has_broker else _only_nothing(log)
    said = empty or alone
    if not said:
        return None
    who = names(line.client for line in said if line.client)
    if alone:
        what = (
            f"{log.called(who)[0]} joined and was given no partition: others have them all (perhaps one that died and"
            " is not removed yet)"
        )
    else:
        what = (
            f"{_some_of(log, plans[-1:] if idle else [], empty)} no partition: more members subscribe than there are"
            " partitions"
        )
    return Finding(
        code=Code.IDLE_MEMBERS,
        certainty=Certainty.LIKELY,
        what=what,
        members=who,
        evidence=evidence_of(said),
        do=_DO,
        confirm="kafka-consumer-groups.sh --describe --members: who has which" if alone else None,
        harm_ms=300,
    )


def _only_nothing(log: GroupLog) -> list[Said]:
    """A single client's only assignment, if it is empty: under the cooperative protocol its part may come later."""
    given = log.of(RowKind.ASSIGNED)
    one = len(log.clients) == 1 and len(given) == 1
    nothing = one and given[0].row.detail.get("partitions") == []
    joined = {line.row.detail.get("generation") for line in log.of(RowKind.JOINED)}
    return given if nothing and joined != {1} and (eager(log) or not log.can("cooperative-sticky")) else []


def _some_of(log: GroupLog, plans: list[Said], empty: list[Said]) -> str:
    """How many of how many, where a leader's plan or the members' own logs show it."""
    for plan in map(_plan, plans):
        if plan is not None:
            none = sum(not partitions for partitions in plan.values())
            return f"{none} of {len(plan)} members {'has' if none == 1 else 'have'}"
    none = len({line.client for line in empty if line.row.kind is RowKind.ASSIGNED})
    return f"{none} of {len(log.clients)} members {'has' if none == 1 else 'have'}" if none else "some members have"


def _plan(line: Said) -> dict[str, list[str]] | None:
    plan = line.row.detail.get("assignment")
    return plan if isinstance(plan, dict) else None


def _last_empty(log: GroupLog) -> list[Said]:
    """Of clients of which the last assignment is empty, while another's is not."""
    last = {
        client: next((line for line in reversed(said) if line.row.kind is RowKind.ASSIGNED), None)
        for client, said in log.clients.items()
    }
    if eager(log) is not True:  # others give partitions away step by step, and nobody may have all of his yet
        return []
    shares = [line for line in last.values() if line is not None]
    if not any(line.row.detail.get("partitions") for line in shares):
        return []
    return [line for line in shares if line.row.detail.get("partitions") == []]


CAUSE = Cause(
    code=Code.IDLE_MEMBERS,
    title="Members without partitions",
    means="There are more members than partitions, or a member subscribes to what nobody else does: some have nothing.",
    seen=(Message("Java", "Adding newly assigned partitions: (nothing), after every rebalance of one member"),),
    do=_DO,
    find=_find,
)
