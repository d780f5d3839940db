"""Tasks of Kafka Streams run only after their state is restored."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import counted
from groupsim.wording.times import duration

_DO = (
    Remedy(
        "keep standbys (num.standby.replicas=1), and the state on a persistent volume, so that a restart finds it"
        " again",
        ("num.standby.replicas", "state.dir", "group.instance.id"),
        brief="keep a standby, and state on persistent volumes",
        trial=(("num.standby.replicas", "1"),),
    ),
)
_AT_ONCE = (
    Remedy(
        "keep standbys (num.standby.replicas=1), and the state on a persistent volume: in a streams group of Kafka 4.4"
        " a task with state moves at once, and does not run on its new instance until its state is there;"
        " group.protocol=classic moves it when it is warm",
        ("num.standby.replicas", "state.dir", "group.instance.id", "group.protocol"),
        brief="keep a standby, and state on persistent volumes",
        trial=(("num.standby.replicas", "1"),),
    ),
)
_LEAST_MS = 1_000
_PROGRESS = "Restoration in progress"
_LEAST_RECORDS = 1_000
"""Fewer are read again within milliseconds."""


def _find(log: GroupLog) -> Finding | None:
    took = [
        (line, ms)
        for line in log.of(RowKind.STREAMS_RESTORED)
        if isinstance(ms := line.row.detail.get("after_ms"), int) and ms >= _LEAST_MS
    ]
    read = [line for line in log.of(RowKind.STREAMS_RESTORING) if _is_much(line.row.detail.get("records"))]
    waited = _waited(log) if read or not log.of(RowKind.STREAMS_RESTORING) else []
    said = [line for line, _ in (*took, *waited)] + read
    if not said:
        return None
    longest = max((ms for _, ms in (*took, *waited)), default=0)
    tasks = counted(len(waited), "task") if waited else "tasks"
    return Finding(
        code=Code.STREAMS_RESTORE,
        certainty=Certainty.SHOWN,
        what=f"{tasks} of Kafka Streams waited up to {duration(longest)} until their state was restored"
        if longest
        else f"tasks of Kafka Streams were restoring their state, and did not run meanwhile{_to_read(log)}",
        members=names(str(line.client) for line in said if line.client),
        times=len(said),
        evidence=evidence_of(said),
        do=_AT_ONCE if log.of_streams_protocol and waited else _DO,
        harm_ms=longest,
    )


def _to_read(log: GroupLog) -> str:
    """How many records were still to be read by the last line that says so."""
    (*_, last) = (None, *(line for line in log.of(RowKind.STREAMS_RESTORING) if _PROGRESS in _said(line)))
    records = None if last is None else last.row.detail.get("records")
    return f": {records:,} records of their changelogs were still to be read" if isinstance(records, int) else ""


def _said(line: Said) -> str:
    return str(line.row.detail.get("what"))


def _waited(log: GroupLog) -> list[tuple[Said, int]]:
    """The tasks that ran late: the line that one runs, and for how many ms it had been restored then."""
    since: dict[object, int] = {}
    found = []
    for line in log.of(RowKind.TASK_CREATED, RowKind.TASK_RUNNING):
        task = line.client, line.row.detail.get("task")
        if line.at is None:
            continue
        if line.row.kind is RowKind.TASK_CREATED:
            since[task] = line.at
        elif (ms := line.at - since.pop(task, line.at)) >= _LEAST_MS:
            found.append((line, ms))
    return found


def _is_much(records: object) -> bool:
    return not isinstance(records, int) or records >= _LEAST_RECORDS


CAUSE = Cause(
    code=Code.STREAMS_RESTORE,
    title="State is restored",
    means="A task with state runs only after its store is read again from the changelog topic. How long that takes"
    " depends on the changelog's size, and on whether the state was on this instance already.",
    seen=(
        Message("Streams", "Restoration took … ms for all active tasks"),
        Message("Streams", "Finished restoring changelog … to store …"),
        Message("Streams", "task [0_3] Restored and ready to run"),
        Message("Streams", "State transition from PARTITIONS_ASSIGNED to RUNNING"),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONNECT, GroupType.CONSUMER}),
    symptoms=("partitions without owner after a deploy",),
)
