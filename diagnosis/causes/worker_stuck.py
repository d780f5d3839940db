"""A Connect worker, or a listener, blocks: a task does not return."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often

_DO = (
    Remedy(
        "find what the task waits for (its sink or source), with a thread dump of the worker; until it returns, each"
        " rebalance waits for it",
        ("task.shutdown.graceful.timeout.ms", "offset.flush.timeout.ms"),
        brief="find what the task waits for",
    ),
)
_DO_FLUSH = (
    Remedy(
        "see how fast the brokers take its records: fewer or larger requests (producer.override.batch.size and"
        " linger.ms), fewer records from the source at once (the connector's batch or queue size), more tasks; a longer"
        " offset.flush.timeout.ms only lets it wait",
        ("offset.flush.timeout.ms", "producer.override.batch.size", "producer.override.linger.ms"),
        brief="read fewer records at once, or write larger batches",
    ),
)


class _Stuck(NamedTuple):
    """What a line says of a task that is late, how the sentence goes on, and what helps."""

    says: str
    what: str
    do: tuple[Remedy, ...]


_STUCK = (
    _Stuck("Graceful stop of", "did not stop in time (task.shutdown.graceful.timeout.ms)", _DO),
    _Stuck(
        "Failed to flush",
        "could not send its records in time (offset.flush.timeout.ms), so its offsets were not committed",
        _DO_FLUSH,
    ),
    _Stuck("offsets timed out", "did not commit its offsets in time (offset.flush.timeout.ms)", _DO),
    _Stuck("the orphan", "ended only after another one had taken its place", _DO),
)
"""From what hurts a group to what hurts the task alone."""


def _find(log: GroupLog) -> Finding | None:
    said = log.of(RowKind.TASK_STUCK)
    if not said:
        return None
    kind = next((kind for kind in _STUCK if any(kind.says in line.reason for line in said)), _STUCK[-1])
    said = sorted(said, key=lambda line: kind.says not in line.reason)
    late = [line for line in said if kind.says in line.reason]
    tasks = names(str(line.row.detail.get("task") or line.client or "a task") for line in late)
    who = f"task {tasks[0]}" if len(tasks) == 1 else f"{len(tasks)} tasks"
    return Finding(
        code=Code.WORKER_STUCK,
        certainty=Certainty.SHOWN,
        what=f"{who} of Connect {kind.what}{often(len(late)) if len(tasks) == 1 else ''}",
        members=tasks,
        times=len(said),
        evidence=evidence_of(said),
        do=kind.do,
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
        Message(
            "Connect",
            "WorkerSourceTask{id=…} Failed to flush, timed out while waiting for producer to flush outstanding",
        ),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONSUMER, GroupType.STREAMS}),
    symptoms=("connectors or tasks do not run after a restart",),
)
