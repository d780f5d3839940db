"""A coordinator that is there, and cannot write what a group decides into `__consumer_offsets`."""

from __future__ import annotations

import re

from groupsim.diagnosis.cause import evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind

_STORING = re.compile(r"[Ee]rror (?:\w{1,60} )?when storing group assignment")
_STORES = (RowKind.REBALANCE_START, RowKind.STABILIZED, RowKind.ASSIGNMENT_RECEIVED, RowKind.GROUP_EMPTY)
_NEAR_MS = 2_000
_DO = (
    Remedy(
        "see in the brokers' logs of that time why __consumer_offsets cannot be written; no setting of the clients"
        " helps",
        brief="look at the brokers, not at the clients",
    ),
)
_DO_TOO_FEW = (
    Remedy(
        "start the brokers again that hold replicas of __consumer_offsets (kafka-topics.sh --describe --topic"
        " __consumer_offsets shows them), or give it more replicas, or lower its min.insync.replicas; no setting of the"
        " clients helps",
        ("min.insync.replicas", "offsets.topic.replication.factor"),
        brief="bring back the brokers that hold it",
    ),
)


def not_stored(log: GroupLog) -> Finding | None:
    """The finding that a group's assignment, or that it is empty, could not be stored; None if no line says so."""
    refused = [line for line in log.of(RowKind.NOT_STORED) if _is_its_own(log, line)]
    said = sorted([*refused, *log.that_say(_STORING)], key=lambda line: line.nth)
    if not said:
        return None
    too_few = any("least" in line.row.detail for line in said)
    why = ": too few of its replicas are in sync" if too_few else ""
    return Finding(
        code=Code.COORDINATOR_MOVED,
        certainty=Certainty.LIKELY,
        what=f"the group's coordinator could not write to __consumer_offsets{why}",
        times=1,
        evidence=evidence_of(said),
        do=_DO_TOO_FEW if too_few else _DO,
        here="its broker could not store what the group decided",
        harm_ms=12_000,
    )


def _is_its_own(log: GroupLog, line: Said) -> bool:
    """Whether a line that names no group stands where the group had something to store: its broker has others, too."""
    if line.row.group is not None or line.at is None:
        return True
    return any(abs(line.at - near.at) < _NEAR_MS for near in log.of(*_STORES) if near.at is not None)
