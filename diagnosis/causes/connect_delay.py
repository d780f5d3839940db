"""Connect keeps the tasks of a lost worker unassigned for scheduled.rebalance.max.delay.ms."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_DO = (
    Remedy(
        "lower scheduled.rebalance.max.delay.ms to a little more than a worker's restart takes (0: no delay)",
        ("scheduled.rebalance.max.delay.ms",),
        brief="lower scheduled.rebalance.max.delay.ms",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    said = [line for line in log.of(RowKind.WORKER_ASSIGNED) if line.row.detail.get("delay_ms")]
    if not said:
        return None
    delay = max(ms for line in said if isinstance(ms := line.row.detail["delay_ms"], int))
    return Finding(
        code=Code.CONNECT_DELAY,
        certainty=Certainty.SHOWN,
        what=f"Connect keeps connectors or tasks that lost their worker unassigned on purpose, up to {duration(delay)}:"
        " it may come back",
        members=names(str(line.client) for line in said),
        times=len(said),
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=delay,
    )


CAUSE = Cause(
    code=Code.CONNECT_DELAY,
    title="Connect waits for a lost worker",
    means="After a worker is lost, Connect keeps its connectors and tasks unassigned for"
    " `scheduled.rebalance.max.delay.ms` (5 minutes by default), in case it comes back (KIP-415).",
    seen=(
        Message(
            "Connect", "Joined group … and got assignment: Assignment{… delay=300000} with rebalance delay: 300000"
        ),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONSUMER, GroupType.STREAMS}),
    symptoms=("connectors or tasks do not run after a restart",),
)
