"""Sentences of Java clients that only the import uses (subscriptions, offsets), and those without information."""

from __future__ import annotations

import re

from groupsim.events.streams import PROCESS_FOUND, PROCESS_ID, STANDBY_TASKS, STANDBYS_DECIDED
from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import JOIN_REQUEST, UUID, Detail, Wording, requested_settings, wording

_DECIDED = re.compile(r"activeTasks: \(\[([^\]]*)\]\) standbyTasks: \(\[([^\]]*)\]\)")
_DELAY = re.compile(r"\bdelay=([1-9]\d{0,11})\b")
_LEADER = re.compile(r"\bleader='([^']{1,300})'")
_LISTED = re.compile(r"(connectorIds|taskIds)=\[([^\[\]]{0,200000})\]")


def worker(detail: Detail, record: Record) -> None:
    """What a Connect worker was given: connectors and tasks."""
    printed = str(detail.pop("printed"))
    if (delay := _DELAY.search(printed)) is not None:
        detail["delay_ms"] = int(delay[1])
    if (leader := _LEADER.search(printed)) is not None:
        detail["leader"] = leader[1]
    for name, listed in _LISTED.findall(printed):
        key = "connectors" if name == "connectorIds" else "tasks"
        detail[key] = [item.strip() for item in listed.split(",") if item.strip()]


def _process(detail: Detail, record: Record) -> None:
    """The process id of an instance is kept in its state directory (Kafka: StateDirectory.initializeProcessId)."""
    detail["settings"] = {PROCESS_ID: str(detail.pop("process")), PROCESS_FOUND: "from process file" in record.text}


def _standbys(detail: Detail, record: Record) -> None:
    """How many standby tasks a member of a streams group was given with its last assignment."""
    detail["settings"] = {STANDBY_TASKS: str(detail.pop("standbys")).count("_")}


def _decided(detail: Detail, record: Record) -> None:
    """How many standbys a leader of the classic protocol gave each task (Kafka: HighAvailabilityTaskAssignor).

    Warm-ups are among them, at most two in all by default; so only whole replicas of all tasks count.
    """
    sizes = [(a.count("_"), s.count("_")) for a, s in _DECIDED.findall(str(detail.pop("decided")))]
    active, standby = (sum(counts) for counts in zip(*sizes, strict=True)) if sizes else (0, 0)
    detail["settings"] = {STANDBYS_DECIDED: standby // active if active else 0}


def _committed(detail: Detail, record: Record) -> None:
    detail["committed"] = True


def _topics(detail: Detail, record: Record) -> None:
    detail["topics"] = [t for t in re.split(r"[\s,\[\](){}']+", str(detail["topics"])) if t and t != "frozenset"]


def _consumer(detail: Detail, record: Record) -> None:
    """The consumer of a stream thread is named after it (Kafka: ClientUtils.consumerClientId)."""
    detail["client"] = f"{detail['client']}-consumer"


_TASK = r"stream-thread \[(?P<client>[^\]]{1,300})\] task \[(?P<task>\d{1,6}_\d{1,9})\] "

CONTEXT: tuple[Wording, ...] = (
    wording("client_subscribed", "Subscribed to topic(s)", r"^Subscribed to topic\(s\):? {text:topics}", _topics),
    wording("client_setting", "Sending JoinGroup (", "^" + JOIN_REQUEST, requested_settings, show="settings"),
    wording(
        "heartbeat_sent",
        "Sending Heartbeat request with",
        r"^Sending Heartbeat request with generation {int:generation} and member id",
    ),
    wording("client_subscribed", "Subscribed to pattern", r"^Subscribed to pattern"),
    wording("client_unsubscribed", "Unsubscribed all topics", r"^Unsubscribed all topics"),
    wording(
        "client_closing", "leaving group before closing", r"^Releasing assignment and leaving group before closing"
    ),
    wording(
        "client_closed", "leave group to close consumer", r"^Completed releasing assignment and sending leave group"
    ),
    wording("client_closed", "Kafka consumer has been closed", r"^Kafka consumer has been closed"),
    wording(
        "client_position",
        "to the committed offset",
        r"^Setting offset for partition {word:partition} to the committed offset"
        r" (?:FetchPosition\{offset=)?{int:offset}",
        _committed,
    ),
    wording(
        "client_position",
        "Resetting offset for partition",
        r"^Resetting offset for partition {word:partition} to (?:position |offset"
        r" )(?:FetchPosition\{offset=)?{int:offset}",
    ),
    wording(
        "client_no_offset", "Found no committed offset", r"^Found no committed offset for partition {word:partition}"
    ),
    wording(
        "consumer_heartbeat_interval",
        "received heartbeat interval",
        r"^Member {member} received heartbeat interval {int:interval_ms}ms",
    ),
    wording(
        "consumer_heartbeat_interval",
        "Received Streams group configuration",
        r"^Received Streams group configuration from the group coordinator: heartbeatIntervalMs={int:interval_ms}",
    ),
    wording(
        "client_setting",
        "Assigning active tasks {",
        r"^Assigning active tasks \{[^}]{0,200000}\}, standby tasks \{(?P<standbys>[^}]{0,200000})\}",
        _standbys,
        show="settings",
    ),
    wording("", "Revoking previously assigned active tasks", r"^Revoking previously assigned active tasks"),
    wording("client_no_broker", "Bootstrap broker", r"^Bootstrap broker .{1,300}? disconnected"),
    wording("client_no_broker", "Rebootstrapping with", r"^Rebootstrapping with"),
    wording("", "in following offset commit/fetch requests because", r"^Member"),
    wording("", "Completed leaving the group", r"^Completed leaving"),
    wording("exception", "claiming the same TopicPartition", r"^(?P<error>.{0,1500}claiming the same TopicPartition)"),
    wording(
        "app_failed",
        "requested a shutdown for the entire",
        r"^Membership is in the following statuses: .{0,500}?(?P<error>Streams group member \S{1,300} encountered a"
        r" fatal error and requested a shutdown for the entire application)",
    ),
    wording("", "Skipped assignment for returning static leader", r""),
    wording("", "Generation data was cleared by heartbeat thread", r""),
    wording("", "Requesting disconnect from last known coordinator", r""),
    wording("", "include member id and epoch in following", r""),
    wording("", "triggering callbacks to release assignment", r""),
    wording("", "completed callback to release assignment", r""),
    wording("client_reconciliation_interrupted", "Interrupting reconciliation", r"^Interrupting reconciliation"),
    wording("", "in preparation for rebalance", r""),
    wording("worker_started", "Herder starting", r"^Herder starting"),
    wording("", "Close timed out with", r""),
    wording("", "can skip stopping connectors and tasks", r""),
    wording("", "Starting connectors and tasks", r""),
    wording("", "Stopping connectors and tasks that are still assigned", r""),
    wording("", "behind group assignment", r""),
    wording("", "Catching up to assignment's config offset", r""),
)
"""What follows `[Consumer clientId=..., groupId=...]`."""

BARE: tuple[Wording, ...] = (
    wording(
        "client_setting",
        "Decided on assignment",
        r"^Decided on assignment: (?P<decided>.+)$",
        _decided,
        show="settings",
    ),
    wording(
        "client_setting",
        "Reading UUID from process file",
        rf"Reading UUID from process file: (?P<process>{UUID})",
        _process,
        show="settings",
    ),
    wording(
        "client_setting",
        "got fresh process id",
        rf"got fresh process id (?P<process>{UUID})",
        _process,
        show="settings",
    ),
    wording(
        "client_position",
        "to the committed offset",
        r"(?:^|[\s:>|\]-])Setting offset for partition {word:partition} to the committed offset"
        r" (?:FetchPosition\{offset=)?{int:offset}",
        _committed,
    ),
    wording("task_created", "] Initialized", _TASK + "Initialized", _consumer),
    wording("task_running", "] Restored and ready to run", _TASK + "Restored and ready to run", _consumer),
    wording("task_suspended", "] Suspended ", _TASK + r"Suspended (?:from )?{word:from}", _consumer),
    wording("task_closed", "] Closed ", _TASK + "Closed ", _consumer),
    wording(
        "tasks_running streams_state",
        " to RUNNING",
        r"stream-thread \[(?P<client>[^\]]{1,300})\]:? State transition from (?P<from>[A-Z_]{1,40}) to (?P<to>RUNNING)",
        _consumer,
    ),
    wording("", "Processing new assignment Assignment{", r"stream-thread \["),
    wording("", "Revoking active tasks [", r"stream-thread \["),
    wording("", "partition revocation took", r"stream-thread \["),
    wording("rebalance_start", "Rebalance started", r"^Rebalance started$"),
    wording(
        "joined", "Successfully joined group with", r"^Successfully joined group with generation {int:generation}$"
    ),
    wording(
        "worker_assigned",
        "and got assignment: Assignment{",
        r"^Joined group(?: at generation {int:generation})? and got assignment: {text:printed}",
        worker,
        show="generation connectors tasks delay_ms leader",
    ),
    wording("", "Final assignment of partitions to consumers", r""),
    wording("", "Finished rebalance with leader election result", r""),
    wording("exception", "claiming the same TopicPartition", r"^(?P<error>.{0,1500}claiming the same TopicPartition)"),
)
"""What Java clients print without naming client and group."""
