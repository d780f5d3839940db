"""A Connect worker, or a listener, blocks: a task does not return."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.incidents.logs.row_kinds import RowKind

_DO = (
    Remedy(
        "find what the task waits for (its sink or source), with a thread dump of the worker; until it returns, each"
        " rebalance waits for it",
        ("task.shutdown.graceful.timeout.ms", "offset.flush.timeout.ms"),
        brief="find what the task waits for",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    said = log.of(RowKind.TASK_STUCK)
    if not said:
        return None
    tasks = names(str(line.row.detail.get("task") or line.client or "a task") for line in said)
    return Finding(
        code=Code.WORKER_STUCK,
        certainty=Certainty.SHOWN,
        what=f"{tasks[0] if len(tasks) == 1 else f'{len(tasks)} tasks'} of Connect did not return in time",
        members=tasks,
        times=len(said),
        evidence=evidence_of(said),
        do=_DO,
        confirm="a thread dump of the worker",
        harm_ms=9_000,
    )


CAUSE = Cause(
    code=Code.WORKER_STUCK,
    title="A task does not return",
    means="A task of a Connect worker blocks: it does not stop or commit in time. A rebalance waits for it.",
    seen=(
        Message("Connect", "WorkerSinkTask{id=…} Commit of offsets timed out"),
        Message("Connect", "Graceful stop of task … failed"),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONSUMER, GroupType.STREAMS}),
    symptoms=("connectors or tasks do not run after a restart",),
)
