"""A member id was handed out and never used; the rebalance waits for its timeout."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.incidents.logs.row_kinds import RowKind

_DO = (
    Remedy(
        "update the client: it asks for a member id and does not use it; until session.timeout.ms is over, a rebalance"
        " waits for it",
        ("session.timeout.ms", "version"),
        brief="update the client",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    said = log.of(RowKind.BROKER_PENDING_EXPIRED)
    if not said:
        return None
    return Finding(
        code=Code.PENDING_MEMBER,
        certainty=Certainty.SHOWN,
        what="a member id was handed out and never used, and the group waited for it",
        times=len(said),
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=6_000,
    )


CAUSE = Cause(
    code=Code.PENDING_MEMBER,
    title="Pending member",
    means="The coordinator handed out a member id (KIP-394), and the client never joined with it. Until the session"
    " timeout is over, a rebalance waits for it.",
    seen=(Message("Broker", "Pending member … has been removed after session timeout expiration"),),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONSUMER}),
)
