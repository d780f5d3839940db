"""A revoked or assigned listener takes long, and all others wait."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Going
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_SLOW_MS = 1_200
"""A listener that commits needs some tens of ms."""
_DO = (
    Remedy(
        "make the rebalance listener short: it runs in poll(), and the rebalance waits for it; what it needs must stay"
        " below max.poll.interval.ms",
        ("max.poll.interval.ms",),
        brief="make the listener short",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    gaps = [
        gap
        for incarnations in log.incarnations.values()
        for incarnation in incarnations
        for gap in _gaps(incarnation.said)
    ]
    fenced = [d for d in log.departures if d.going is Going.NOT_RECONCILED]
    if not gaps and not fenced:
        return None
    who = names([str(begin.client) for begin, _, _ in gaps] or [d.who for d in fenced])
    said = [line for begin, end, _ in gaps for line in (begin, end)] + [d.first for d in fenced]
    longest = max((ms for _, _, ms in gaps), default=0)
    return Finding(
        code=Code.SLOW_CALLBACK,
        certainty=Certainty.LIKELY if gaps else Certainty.POSSIBLE,
        what=f"the rebalance listener of {who[0]} took {duration(longest)}, and the others waited for it"
        if gaps
        else f"{who[0]} did not give up its partitions in time (a slow listener or batch), and was removed",
        members=who,
        times=max(1, len(gaps) + len(fenced)),
        evidence=evidence_of(said),
        do=_DO,
        confirm="times in the listener itself",
        harm_ms=sum(ms for _, _, ms in gaps) + 8_000 * len(fenced),
    )


def _gaps(said: list[Said]) -> list[tuple[Said, Said, int]]:
    """From a client's line before a callback to the one that shows that it returned, where that takes long.

    Its heartbeat thread goes on meanwhile, so other lines may lie between.
    """
    gaps = []
    begins: Said | None = None
    prints_states = any(line.row.kind is RowKind.STATE_CHANGE for line in said)
    for line in said:
        if begins is not None and _ends_callback(line):
            filtered = line.row.kind in (RowKind.ASSIGNED, RowKind.CLIENT_NOTIFIED) and not prints_states
            if not filtered and line.at is not None and begins.at is not None and line.at - begins.at >= _SLOW_MS:
                gaps.append((begins, line, line.at - begins.at))
            begins = None
        if line.row.kind in (RowKind.REVOKED, RowKind.LOST) and line.row.detail.get("partitions"):
            begins = line
    return gaps


def _ends_callback(line: Said) -> bool:
    if line.row.kind is RowKind.STATE_CHANGE:
        return line.row.detail.get("from") == "RECONCILING"
    if line.row.kind is RowKind.REJOIN_REQUESTED:  # what a cooperative member prints once it gave up its partitions
        return "need to revoke partitions" in line.reason
    return line.row.kind in (RowKind.JOINING, RowKind.ASSIGNED, RowKind.CLIENT_NOTIFIED)


CAUSE = Cause(
    code=Code.SLOW_CALLBACK,
    title="Slow rebalance listener",
    means="A member's listener for revoked or assigned partitions takes long. It runs before the member can rejoin, so"
    " everybody waits for it.",
    seen=(
        Message("Java", "a gap between `Revoke previously assigned partitions` and `(Re-)joining group` of one member"),
        Message("Broker, consumer protocol", "Member … fenced … it failed to transition from epoch … within 10000ms"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a rebalance takes long",),
)
