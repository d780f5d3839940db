"""Kafka Streams asks for follow-up rebalances, for tasks that warm up."""

from __future__ import annotations

import re

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.times import between
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often

_DO = (
    Remedy(
        "let tasks count as caught up sooner (acceptable.recovery.lag), keep standbys (num.standby.replicas), or ask"
        " less"
        " often (probing.rebalance.interval.ms)",
        ("probing.rebalance.interval.ms", "acceptable.recovery.lag", "num.standby.replicas"),
        brief="raise acceptable.recovery.lag, or keep standbys",
    ),
)


_NO_REQUEST = re.compile(r"(?i)\bno followup|until it is safely revoked|resetting the rebalance schedule")
_HANDS_OVER = re.compile(r"tasks changing ownership|safely revoked from current owner")
"""The second rebalance of the cooperative protocol (KIP-429): it waits for no task to be warm."""
_REQUESTS = re.compile(r"Requesting followup|Requested to schedule|ollow-?up rebalance be scheduled")


def _find(log: GroupLog) -> Finding | None:
    said = [line for line in log.of(RowKind.STREAMS_PROBING) if not _NO_REQUEST.search(line.reason)]
    requests = [line for line in said if _REQUESTS.search(line.reason)]
    if requests:  # what is triggered later was requested here
        said = [line for line in requests if not _HANDS_OVER.search(line.reason)]
    elif not said:
        said = [line for line in log.said if "followup" in line.reason or "probing" in line.reason]
    if not said:
        return None
    return Finding(
        code=Code.STREAMS_PROBING,
        certainty=Certainty.SHOWN,
        what=f"Kafka Streams asked for a follow-up rebalance{often(len(said))}{between(said)}, until tasks on other"
        " instances are warm",
        members=names(str(line.client) for line in said if line.client),
        times=len(said),
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=2_000 * len(said),
    )


CAUSE = Cause(
    code=Code.STREAMS_PROBING,
    title="Probing rebalances of Kafka Streams",
    means="A task with state moves only when its new instance has caught up. Until then Kafka Streams rebalances again"
    " every `probing.rebalance.interval.ms` (10 minutes by default; KIP-441).",
    seen=(
        Message("Streams", "Requested to schedule probing rebalance for …"),
        Message("Streams", "Triggering the followup rebalance scheduled for …"),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONNECT, GroupType.CONSUMER}),
    symptoms=("my group rebalances all the time",),
)
