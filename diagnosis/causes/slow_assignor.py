"""The leader takes long to compute an assignment, and all wait for it."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_SLOW_MS = 2_000
"""Kafka's own assignors take some ms for thousands of partitions; a round trip and a poll come on top."""
_LEADER_SLOW_MS = 10_000
"""By the broker's log alone: the leader may be in a batch when the answer to its join comes."""
_DO = (
    Remedy(
        "use an assignor of Kafka (cooperative-sticky, range), or fewer partitions and members: until it is done,"
        " nobody"
        " has an assignment",
        ("partition.assignment.strategy",),
        brief="use a faster assignor",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    gaps: list[tuple[Said, Said, int]] = []
    for rebalance in log.rebalances:
        stable, stored = rebalance.stable, rebalance.stored
        if stable is None or stored is None or stable.at is None or stored.at is None:
            continue
        if stored.at - stable.at >= _LEADER_SLOW_MS:
            gaps.append((stable, stored, stored.at - stable.at))
    for said in log.clients.values():
        joined: Said | None = None
        for line in said:
            if line.row.kind is RowKind.JOINED:
                joined = line
            elif line.row.kind is RowKind.LEADER_COMPUTED_ASSIGNMENT and joined is not None:
                if joined.at is not None and line.at is not None:
                    gaps.append((joined, line, line.at - joined.at))
                joined = None
    slow = [gap for gap in gaps if gap[2] >= _SLOW_MS]
    if not slow:
        return None
    lines = [line for begin, end, _ in slow for line in (begin, end)]
    who = names(end.client for _, end, _ in slow if end.client)
    longest = max(ms for _, _, ms in slow)
    return Finding(
        code=Code.SLOW_ASSIGNOR,
        certainty=Certainty.LIKELY if who else Certainty.POSSIBLE,
        what=f"the group's leader {log.called(who)[0] if who else ''}".rstrip()
        + f" took {duration(longest)} to send an assignment",
        members=who,
        times=len(slow),
        evidence=evidence_of(lines),
        do=_DO,
        confirm="the leader's own log: between `Successfully joined group` and `Finished assignment`",
        harm_ms=sum(ms for _, _, ms in slow),
    )


CAUSE = Cause(
    code=Code.SLOW_ASSIGNOR,
    title="Slow assignor",
    means="The leader takes long to compute the assignment; all members wait for it in SyncGroup.",
    seen=(
        Message("Broker", "a long time between `Stabilized group` and `Assignment received from leader`"),
        Message("Java", "a long time between `Successfully joined group` and `Finished assignment` of the leader"),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONSUMER}),
    symptoms=("a rebalance takes long",),
)
