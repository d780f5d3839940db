"""What Kafka Streams and Kafka Connect print of their threads, tasks and workers, beside what their consumers print.

Kafka's classes, from 0.10 to 4.4: StreamThread, KafkaStreams, StoreChangelogReader, TaskManager; WorkerTask,
WorkerSinkTask, WorkerSourceTask, Worker, DistributedHerder, IncrementalCooperativeAssignor, EagerAssignor.
A connector or task of Connect is named as the partition that stands for it (`events.connect`).
"""

from __future__ import annotations

import re

from groupsim.events.connect import connector_unit
from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import UUID, Detail, Wording, wording

_POSITION = re.compile(r"position=(\d{1,18}), end=(\d{1,18})")
_OF_APPLICATION = re.compile(rf"(?P<group>.{{1,249}}?)-{UUID}(?:-StreamThread-\d{{1,6}})?(?:-consumer)?")
"""KafkaStreams calls its threads by application.id and process id, where no client.id is set."""
_SINK = re.compile(r"Worker(?P<sink>Sink|\w{0,20}Source)Task\{id=")
_STREAM = r"(?:stream-(?:thread|client) \[(?P<thread>[^\]]{1,300})\]:? )"
_TASK = r"Worker\w{1,20}Task\{id=(?P<task>.{1,249}?)\}"


def _left(detail: Detail, record: Record) -> None:
    """How many records are still to be read, where the line says it."""
    _of_thread(detail, record)
    left = [int(end) - int(position) for position, end in _POSITION.findall(str(detail["what"]))]
    if left:
        detail["records"] = sum(left)


def _of_thread(detail: Detail, record: Record) -> None:
    """The consumer of a stream thread is named after it (Kafka: ClientUtils.consumerClientId)."""
    thread = detail.get("thread")
    if not isinstance(thread, str):
        detail.pop("thread", None)
        return
    named = _OF_APPLICATION.fullmatch(thread)
    if named is not None:
        detail["group"] = named["group"]
    if "-StreamThread-" in thread:
        detail["client"] = thread if thread.endswith("-consumer") else f"{thread}-consumer"


def _of_sink(detail: Detail, record: Record) -> None:
    """The consumer of a sink's task is in the connector's group (Kafka: SinkUtils.consumerGroupId, its default)."""
    found = _SINK.search(record.text)
    if found is not None and found["sink"] == "Sink":
        connector = str(detail["task"]).rpartition("-")[0]
        detail["group"] = f"connect-{connector}"


def _killed(detail: Detail, record: Record) -> None:
    """A task that failed for good; the first releases name it otherwise."""
    detail["killed"] = True
    named = detail.pop("named", None)
    if named is not None:
        detail["task"] = named
    elif "task" in detail:
        _of_sink(detail, record)


def _connector(detail: Detail, record: Record) -> None:
    unit = connector_unit(str(detail.pop("connector")))
    detail["partitions"] = [f"{unit.topic}-{unit.partition}"]


_UNIT = r"(?P<partitions>[^\s,\[\](){}]{1,249}-\d{1,9})"
_CONNECTOR = r"(?P<connector>\S(?:.{0,247}\S)?)"
_BEGIN, _END = r"(?:^|[\]:>|-] )", r"(?= \(|\s*$)"

UNITS_OF_WORKERS: tuple[Wording, ...] = (
    wording("task_created", "Starting task ", rf"^Starting task {_UNIT}{_END}"),
    wording("task_created", "Starting connector ", rf"^Starting connector {_CONNECTOR}{_END}", _connector),
    wording("tasks_running", "Finished starting connectors and tasks", r"^Finished starting connectors"),
    wording("tasks_stopped", "Finished stopping tasks in", r"^Finished stopping tasks in preparation"),
)
"""The same prefix, about connectors and tasks of the worker."""
UNITS: tuple[Wording, ...] = (
    wording(
        "task_running",
        "ask finished initialization and start",
        r"Worker\w{1,20}Task\{id=(?P<partitions>.{1,249}?)\} (?:Sink|Source) task finished initialization and start",
    ),
    wording(
        "task_running",
        "Finished creating connector ",
        rf"{_BEGIN}Finished creating connector {_CONNECTOR}{_END}",
        _connector,
    ),
    wording("task_suspended", "Stopping task ", rf"{_BEGIN}Stopping task {_UNIT}{_END}"),
    wording("task_suspended", "Stopping connector ", rf"{_BEGIN}Stopping connector {_CONNECTOR}{_END}", _connector),
    wording(
        "task_closed",
        "Completed shutdown for WorkerConnector{",
        r"Completed shutdown for WorkerConnector\{id=(?P<connector>.{1,249}?)\}",
        _connector,
    ),
)
"""Lines of connectors and tasks, which name no worker."""
OF_PRODUCERS: tuple[Wording, ...] = (
    wording(
        "task_closed",
        "Closing the Kafka producer",
        r"\[Producer clientId=connector-producer-(?P<partitions>[^\]]{1,249}-\d{1,9})\] Closing the Kafka producer",
    ),
)
"""A source's task has stopped when it closes its producer (Kafka: AbstractWorkerSourceTask.close)."""

OF_WORKERS: tuple[Wording, ...] = (
    wording(
        "config_behind", "do not have latest config", r"(?P<error>Was selected to perform assignments, but do not)"
    ),
    wording(
        "config_behind", "ssignment failed and we", r"(?P<error>Join group completed, but (?:the )?assignment failed)"
    ),
    wording(
        "task_failed",
        "t instantiate ",
        r"(?P<error>Couldn't instantiate (?:connector|task) (?P<task>.{1,249}?) because it has an invalid"
        r" (?:connector|task) configuration)",
    ),
    wording(
        "task_failed",
        "reconfigure connector",
        r"(?P<error>Failed to reconfigure connector's tasks ?(?:\((?P<task>[^)]{1,249})\))?, retrying)",
    ),
    wording("worker_failed", "exception in herder", r"(?P<error>Uncaught exception in herder work thread)"),
)
"""What follows `[Worker clientId=..., groupId=...]`, or stands alone in the first releases of Connect."""

WORDINGS: tuple[Wording, ...] = (
    wording("task_stuck", "Commit of offsets timed out", rf"(?P<error>{_TASK} Commit of offsets timed out)", _of_sink),
    wording("task_stuck", "offsets timed out", rf"(?P<error>Commit of {_TASK} offsets timed out)", _of_sink),
    wording(
        "task_stuck", "raceful stop of ", r"(?P<error>Graceful stop of (?:task|connector) (?P<task>.{1,249}?) failed)"
    ),
    wording("task_stuck", "ailed to flush, timed", rf"(?P<error>{_TASK} Failed to flush, timed out while waiting)"),
    wording(
        "task_stuck", "the orphan task threw", rf"(?P<error>{_TASK} After being scheduled for shutdown, the orphan)"
    ),
    wording(
        "task_failed",
        "unrecoverable exception",
        rf"(?P<error>(?:{_TASK} Task|Task (?P<named>[^\s{{]{{1,249}})) threw an uncaught and unrecoverable exception)",
        _killed,
    ),
    wording(
        "task_not_committed",
        "offsets threw an unexpected",
        rf"(?P<error>Commit of {_TASK} offsets threw an unexpected exception)",
        _of_sink,
    ),
    wording(
        "task_not_committed",
        "Offset commit failed, rewinding",
        rf"(?P<error>{_TASK} Offset commit failed, rewinding to last committed offsets)",
        _of_sink,
    ),
    wording(
        "task_failed",
        "rror while starting connector",
        r"(?P<error>WorkerConnector\{id=(?P<task>.{1,249}?)\} Error while starting connector)",
    ),
    wording(
        "task_failed",
        "Exiting Worker",
        r"(?:^|[\s\":])(?P<error>org\.apache\.kafka\.connect\.errors\.ConnectException: Exiting Worker\w{1,30} due to"
        r" unrecoverable exception)",
        _killed,
    ),
    wording(
        "worker_failed",
        ".storage.topic' property",
        r"(?P<error>(?:org\.apache\.kafka\.common\.config\.)?ConfigException: Topic '.{1,249}?' supplied via the"
        r" '\w{1,40}\.storage\.topic' property is required.{0,300})",
    ),
    wording("task_failed", "ailed to start ", r"(?P<error>Failed to start (?:connector|task) (?P<task>[\w.-]{1,249}))"),
    wording(
        "streams_state",
        "State transition from ",
        r"stream-(?:thread|client) \[(?P<thread>[^\]]{1,300})\]:? State transition from"
        r" (?P<from>[A-Z_]{1,40}) to (?P<to>[A-Z_]{1,40})",
        _of_thread,
    ),
    wording(
        "streams_failed",
        "uncaught exception handler",
        _STREAM + r"(?P<error>Replacing thread in the streams uncaught exception handler)",
        _of_thread,
    ),
    wording(
        "streams_failed", "stream threads have died", _STREAM + r"(?P<error>All stream threads have died)", _of_thread
    ),
    wording(
        "streams_failed",
        "ncountered the following",
        rf"(?:^|\s){_STREAM}?(?P<error>Encountered the following (?:unexpected Kafka )?(?:exception|error) during"
        r" processing.{0,200})",
        _of_thread,
    ),
    wording(
        "streams_failed",
        "Exception in thread ",
        r"^Exception in thread \"(?P<thread>(?:[^\"]{1,300}-)?StreamThread-\d{1,6})\" (?P<error>.{0,300})",
        _of_thread,
    ),
    wording(
        "streams_probing", "robing rebalance", _STREAM + r"(?P<reason>.{0,200}?probing rebalance.{0,200})", _of_thread
    ),
    wording(
        "streams_probing",
        "followup rebalance",
        _STREAM + r"(?P<reason>.{0,200}?followup rebalance.{0,200})",
        _of_thread,
    ),
    wording("streams_restored", "Restoration took ", _STREAM + r"Restoration took {int:after_ms} ms", _of_thread),
    wording(
        "streams_restoring",
        "restoring changelog",
        rf"{_STREAM}?(?P<what>Finished restoring changelog .{{1,249}}? to store .{{0,300}}?)"
        r"(?: with a total number of {int:records} records)?(?= \(|$)",
        _of_thread,
    ),
    wording(
        "streams_restoring",
        "Restoration in progress",
        rf"{_STREAM}?(?P<what>Restoration in progress for .{{0,300}})",
        _left,
    ),
    wording(
        "thread_fenced",
        "thread is being fenced",
        _STREAM + r"(?P<reason>Detected that the thread is being fenced.{0,200})",
        _of_thread,
    ),
    wording(
        "thread_fenced",
        "migrated to another thread",
        _STREAM + r"(?P<reason>(?:Detected task \S{1,40} that got|Failed to \w{1,20} stream task \S{1,40} since it got)"
        r" migrated to another thread.{0,200})",
        _of_thread,
    ),
)
"""What stands in no consumer's prefix."""
