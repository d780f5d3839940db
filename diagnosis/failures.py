"""Tasks and workers of Connect, and threads of Kafka Streams, that failed: what is said of each kind of line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from groupsim.diagnosis.cause import evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Cost, Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.thrown import thrown
from groupsim.incidents.logs.kafka_errors import error_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often

_ENDS = ("ERROR", "PENDING_ERROR")
_CONFIRM = "the lines below it, to the last `Caused by`"
_STORAGE = ".storage.topic' property"
_KAFKAS = "org.apache.kafka.common.errors."


class _Kind(NamedTuple):
    """One kind of failure: which lines say it; the sentence with who and how often, and how it goes on with a reason;
    what helps where the exception is none that is known; about how long it takes, ms. `again`: whether records are read
    again. `sure`: whether nothing but the application can be behind it.
    """

    says: Callable[[Said], bool]
    what: str
    why: str
    do: Remedy
    harm_ms: int
    again: bool = False
    sure: bool = True


def _is(kind: RowKind, *words: str) -> Callable[[Said], bool]:
    return lambda line: line.row.kind is kind and (not words or any(word in line.reason for word in words))


_TASK = Remedy(
    "read the exception in the lines below, mend what it names, and restart the task"
    " (POST /connectors/NAME/tasks/N/restart): Connect does not restart it; no setting of the group helps",
    brief="mend what the exception names, then restart it",
)
_THREAD = Remedy(
    "find that exception and handle it (a handler for bad records); StreamsUncaughtExceptionHandler with"
    " REPLACE_THREAD keeps the application running meanwhile; no setting of the group helps",
    brief="find the exception just before",
)
_KINDS = (
    _Kind(
        lambda line: (
            (line.row.kind is RowKind.STREAMS_STATE and line.row.detail.get("to") in _ENDS)
            or _is(RowKind.STREAMS_FAILED, "threads have died", "opted to SHUTDOWN")(line)
        ),
        "an exception ended the Kafka Streams application{often}: it went to its state ERROR",
        "Kafka Streams went to its state ERROR{often}: {why}",
        _THREAD,
        60_000,
    ),
    _Kind(
        _is(RowKind.STREAMS_FAILED, "Replacing thread"),
        "an exception ended {who} of Kafka Streams{often}, and another thread took its place",
        "{who} of Kafka Streams failed{often} and was replaced: {why}",
        _THREAD,
        10_000,
    ),
    _Kind(
        _is(RowKind.STREAMS_FAILED),
        "an exception ended {who} of Kafka Streams{often}",
        "{who} of Kafka Streams failed{often}: {why}",
        _THREAD,
        30_000,
    ),
    _Kind(
        _is(RowKind.WORKER_FAILED),
        "the Connect worker failed with an exception{often} and stopped",
        "the Connect worker stopped{often}: {why}",
        Remedy(
            "read the exception in the lines below, and start the worker again when that is mended",
            brief="read the exception below that line",
        ),
        60_000,
    ),
    _Kind(
        lambda line: line.row.kind is RowKind.TASK_FAILED and bool(line.row.detail.get("killed")),
        "{who} of Connect failed{often} and stays stopped until somebody restarts it",
        "{who} of Connect failed{often}, and stays stopped until it is restarted: {why}",
        _TASK,
        60_000,
    ),
    _Kind(
        _is(RowKind.TASK_FAILED, "reconfigure"),
        "a connector's tasks could not be given their configuration{often}, and Connect tries it again and again",
        "a connector's tasks could not be given their configuration{often}: {why}",
        Remedy(
            "see in the lines below whether the connector's own code failed (its source or target cannot be reached),"
            " or the request to the leading worker: then let rest.advertised.host.name and its port be what the other"
            " workers can reach",
            ("rest.advertised.host.name", "rest.advertised.port", "listeners"),
            brief="see whether workers reach each other's REST port",
        ),
        20_000,
        sure=False,
    ),
    _Kind(
        _is(RowKind.TASK_FAILED),
        "{who} of Connect could not be started{often}",
        "{who} of Connect could not be started{often}: {why}",
        _TASK._replace(
            what="read the exception in the lines below, and correct the connector's configuration: it does not run"
            " before that",
            brief="correct the connector's configuration",
        ),
        30_000,
    ),
    _Kind(
        _is(RowKind.TASK_NOT_COMMITTED),
        "{who} of Connect could not commit what it read{often}",
        "{who} of Connect could not commit what it read{often}: {why}",
        _TASK._replace(
            what="read the exception in the lines below: the task reads the same records again until its target takes"
            " them",
            brief="see why its target does not take the records",
        ),
        20_000,
        again=True,
    ),
)
"""From what stops most to what stops least."""


def failed(log: GroupLog) -> Finding | None:
    """The worst of what failed; None where nothing did, or an error of the group itself is why."""
    said = log.of(
        RowKind.STREAMS_FAILED,
        RowKind.STREAMS_STATE,
        RowKind.WORKER_FAILED,
        RowKind.TASK_FAILED,
        RowKind.TASK_NOT_COMMITTED,
    )
    for kind in _KINDS:
        lines = [line for line in said if kind.says(line) and not _is_of_the_group(line)]
        lines = [line for line in lines if line.row.detail.get("task")] or lines  # not its exception, too
        if lines:
            return _finding(log, kind, lines, [line for line in said if not _is_of_the_group(line)])
    return None


def _finding(log: GroupLog, kind: _Kind, lines: list[Said], failures: list[Said]) -> Finding:
    who = _who(lines) or _who(failures)
    streams = lines[0].row.kind in (RowKind.STREAMS_FAILED, RowKind.STREAMS_STATE)
    why, do = thrown(lines if any("cause" in line.row.detail for line in lines) else failures)
    times = 1 if streams else max(1, len(lines))
    called = log.called(who) if streams else who
    named = [name for name in called if name]
    name = one_or_many(named, "threads" if streams else "tasks") if named else "a thread" if streams else "a task"
    said = (kind.why if why else kind.what).format(
        who=name if streams or not who or len(who) > 1 else f"task {name}", often=often(times), why=why
    )
    return Finding(
        code=Code.APP_ERROR,
        certainty=Certainty.SHOWN
        if kind.sure and not streams and not _by_kafka([*lines, *failures])
        else Certainty.LIKELY,
        what=said,
        members=who,
        times=times,
        evidence=evidence_of([*lines, *failures]),
        cost=Cost(processed_again=kind.again),
        do=(kind.do,) if do is None else (do,),
        confirm=_CONFIRM,
        harm_ms=kind.harm_ms,
    )


def _who(lines: Sequence[Said]) -> tuple[str, ...]:
    """The tasks of Connect, or the consumers of stream threads."""
    return names(
        str(task) if (task := line.row.detail.get("task")) else line.client or ""
        for line in lines
        if line.row.detail.get("task") or (line.client and "thread" in line.row.detail)
    )


def _is_of_the_group(line: Said) -> bool:
    """Whether the exception is one of the group's own errors, or of Connect's topics: those are causes of their own."""
    return of_storage(line) or any(
        error_in(str(line.row.detail.get(key, ""))) is not None for key in ("cause", "thrown")
    )


def of_storage(line: Said) -> bool:
    """Whether a worker stopped because a topic of its own is not as it needs it (Kafka: TopicAdmin.verifyTopic…)."""
    return any(_STORAGE in str(line.row.detail.get(key, "")) for key in ("cause", "thrown", "error"))


def _by_kafka(lines: Sequence[Said]) -> bool:
    return any(str(line.row.detail.get("cause", "")).startswith(_KAFKAS) for line in lines)
