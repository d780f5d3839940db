"""Troubles, whoever words them: errors of the protocol, lost connections, failed applications, Streams and Connect.

Only lines of which no other wording makes a row come here (`logs.recognition`). They are evidence for a diagnosis.
"""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.kafka_errors import error_in
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording
from groupsim.incidents.logs.producers.java_client import prefix_of
from groupsim.incidents.logs.producers.streams_and_connect import OF_WORKERS, WORDINGS
from groupsim.incidents.logs.row_kinds import RowKind

_OF_OTHERS = re.compile(
    r"\[(?:Replica|Broker|Kafka(?:Api|Server|Raft)|Partition |Controller|Raft|Log|Transaction|Node|Group"
    r"|Metadata|Socket"
    r"|Admin|Producer |Add)|#producer-\d|\bkafka\.producer|producer/"
)
"""Brokers, producers and admin clients have connections and errors, too."""
_CLIENT = re.compile(r"(?<![\w.-])([\w.-]{1,249}#consumer-\d{1,6})\b")
_GO_FRAME = re.compile(r"(?!runtime\.|sync\.|panic\()(\S{1,300}\.(?:\(\*?\w{1,80}\)\.)?\w{1,80})\(")
_WITH_ERROR = frozenset([RowKind.STREAMS_FAILED, RowKind.TASK_FAILED, RowKind.TASK_NOT_COMMITTED])
"""What fails, and the error on the same line says why: both are said."""
_HEAD = 4_000
_SHOWN = 400


def _panicked(detail: Detail, record: Record) -> None:
    """The function of a Go program that panicked: the first of its frames outside Go's own packages."""
    frames = (frame[1] for line in record.more if (frame := _GO_FRAME.match(line)) is not None)
    if (where := next(frames, None)) is not None:
        detail["where"] = where


BEHIND_A_PREFIX: tuple[Wording, ...] = (
    wording(
        "connection_lost", "isconnect", r"^(?P<reason>(?:Node -?\d{1,12} disconnected|Disconnecting from node).{0,300})"
    ),
    wording("connection_lost", "being disconnected", r"^(?P<reason>Cancelled in-flight .{0,400})"),
    wording("connection_lost", "onnection to node", r"^(?P<reason>Connection to node .{0,400})"),
    wording("connection_lost", "Error sending fetch", r"^(?P<reason>Error sending fetch request .{0,300})"),
    wording(
        "app_failed",
        "User provided listener",
        r"^(?P<error>User provided listener .{1,400}? failed on invocation.{0,300})",
    ),
    *OF_WORKERS,
    wording("fatal_error", "Received fatal exception", r"^Received fatal exception:? {text:error}"),
    wording(
        "fatal_error", "due to unexpected error", r"^(?P<error>Heartbeat thread failed due to unexpected error.{0,300})"
    ),
    wording(
        "app_failed",
        "COOPERATIVE protocol",
        r"^(?P<error>With the COOPERATIVE protocol, owned partitions cannot be reassigned.{0,300})",
    ),
    wording("poll_timeout", "orker poll timeout has expired", r"^[Ww]orker poll timeout has expired"),
    wording(
        "config_behind",
        "does not match group assignment",
        r"^Current config state offset {int:offset} (?:is behind|does not match) group assignment (?P<wanted>\d{1,12})",
    ),
    wording(
        "config_read",
        "and updated config snapshot",
        r"^Finished reading to end of log and updated config snapshot, new config log offset: {int:offset}",
    ),
    wording("config_behind", "behind group assignment", r"^Current config state offset {int:offset} is behind"),
    wording(
        "connector_changed",
        "config",
        r"^(?:Connector (?P<connector>.{1,249}?) config (?P<what>updated|removed)|Tasks"
        r" \[(?P<tasks>[^\]]{1,2000})\] configs"
        r" updated|Handling connector-only config update by (?P<how>\w{1,20}) connector (?P<restarted>.{1,249}))$",
    ),
    wording(
        "topics_unassigned",
        "not assigned to any members",
        r"^The following subscribed topics are not assigned to any members: \[(?P<topics>[^\]]{0,20000})\]",
    ),
)
"""What follows `[Consumer clientId=..., groupId=...]` or `[Worker clientId=..., groupId=...]`."""

ALONE: tuple[Wording, ...] = (
    *OF_WORKERS,
    *WORDINGS,
    wording("app_failed", "Crash: ", r"^(?:\[Consumer\] )?Crash: {text:error}"),
    wording(
        "app_failed",
        "Error when calling each",
        r"^(?:\[Runner\] )?(?P<error>Error when calling each(?:Message|Batch).{0,300})",
    ),
    wording(
        "app_failed", "Crashed reason=", r"(?: isolated=(?P<isolated>\{.{1,300}?\})\]: )?Crashed reason={text:error}"
    ),
    wording("app_failed", "Got exception: ", r"AIOKafkaConsumerThread\]: Got exception: {text:error}"),
    wording("app_failed", "HandleException", r"(?P<error>cppkafka::HandleException, e\.what\(\) = .{1,200})"),
    wording(
        "app_failed",
        "rebalance listener",
        r"(?P<error>(?:Unexpected error in|User provided) (?:user )?(?:rebalance )?listener .{0,400})",
    ),
    wording("app_failed", "Consumer exception", r"(?:^|[:\-] )(?P<error>Consumer exception)$"),
    wording(
        "app_failed",
        "topping container",
        r"(?:^|[:\-] )(?P<error>(?:Stopping container due to an Error|Fatal consumer exception; stopping"
        r" container).{0,200})",
    ),
    wording("app_failed", "Authorization Exception", r"(?P<error>Authentication/Authorization Exception.{0,200})"),
    wording("app_failed", "exhausted for ", r"(?:^|[:\-] )(?P<error>Backoff .{1,200}? exhausted for {word:record})"),
    wording("app_failed", "OutOfMemoryError", r"(?P<error>(?:java\.lang\.)?OutOfMemoryError.{0,200})"),
    wording(
        "app_failed",
        "emergency stop",
        r"(?P<error>Poll returned \d{1,9} record\(s\) while consumer was paused.{0,200})",
    ),
    wording("app_failed", "WakeupException limit", r"(?P<error>WakeupException limit exceeded, stopping)"),
    wording("app_failed", "for commit response", r"(?P<error>Timeout waiting for commit response.{0,200})"),
    wording("app_failed", "panic: ", r"^(?P<error>panic: .{1,300})", _panicked),
    wording(
        "app_failed",
        "rd_kafka_",
        r"(?P<error>rd_kafka_\w{1,80}: (?:Assertion `.{1,200}?' failed|assert: .{1,200}))",
    ),
    wording(
        "request_timed_out",
        "[join_group] Timed out",
        r"(?P<error>\[join_group\] Timed out while waiting for response)",
    ),
    wording("app_failed", "OOMKilled", r"(?P<error>OOMKilled)"),
    wording("consumer_stopped", "Consumer stopped", r"(?:^|\s)(?:(?P<group>[\w.-]{1,249}): )?Consumer stopped$"),
    wording(
        "connection_lost",
        "Connection ",
        r"^\[Connection\] (?P<reason>(?:Connection error|Connection timeout|Socket (?:error|closed)"
        r"|Connection was (?:closed|reset)).{0,300})",
    ),
    wording(
        "connection_lost",
        "client/",
        r"client/(?:metadata|coordinator|brokers?) (?P<reason>(?:got error from broker|no available broker).{0,400})",
    ),
    wording(
        "connection_lost",
        "because ",
        r"consumer/broker/\d{1,9} abandoned subscription to \S{1,260} because {text:reason}",
    ),
    wording(
        "connection_lost",
        "disconnecting due to",
        r"consumer/broker/\d{1,9} (?P<reason>disconnecting due to error .{0,300})",
    ),
    wording(
        "connection_lost",
        "<BrokerConnection",
        r"<BrokerConnection .{1,400}?>: (?P<reason>(?:Connect attempt|socket disconnected|Closing connection\. \S"
        r"|Connection (?:lost|reset|refused|timed)).{0,300})",
    ),
    wording(
        "connection_lost",
        "connection failed",
        r"^(?:\S{1,60} - \w{1,10} - )?(?P<reason>Node (?:coordinator-)?\d{1,9} connection failed.{0,200})",
    ),
    wording("connection_lost", "Unable connect to node", r"(?P<reason>Unable connect to node with id .{0,300})"),
    wording(
        "connection_lost",
        "marking coordinator dead",
        r"(?P<reason>Error sending \w{1,60} to node .{1,400}? -- marking coordinator dead)",
    ),
    wording(
        "connection_lost",
        " tcp ",  # an error of Go's package net, as every Go client passes it on
        r"(?P<reason>\b(?:read|write|dial) tcp \S{1,100}: (?:(?:read|write|connect): )?(?:i/o timeout"
        r"|connection refused|connection reset by peer|broken pipe|no route to host))",
    ),
    wording("connection_lost", "open connection to broker", r"(?P<reason>unable to open connection to broker.{0,300})"),
)
"""What programs print without Java's prefix."""

LIBRDKAFKA: tuple[Wording, ...] = (
    wording("connection_lost", "Disconnected", r"\[thrd:[^\]]{1,300}\]:? (?P<reason>.{0,300}?Disconnected.{0,200})"),
    wording(
        "connection_lost",
        "Connect to ",
        r"\[thrd:[^\]]{1,300}\]:? (?P<reason>.{0,300}?Connect to \S{1,300} failed: .{1,200})",
    ),
    wording("error_named", ": returned: ", r"OffsetCommit for .{1,300}?: returned: (?P<error>(?!Success\b).{1,300})"),
    wording(
        "reason_given",
        "subscription",
        r"[Gg]roup \"{group}\": (?P<reason>(?:subscription updated from metadata change|effective"
        r" subscription list changed).{0,200})",
    ),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """A row for a trouble that a consumer or its program has; None if the record names none."""
    text = record.text[:_HEAD]
    if _OF_OTHERS.search(text, 0, _SHOWN) is not None or "#producer-" in (record.client or ""):
        return None
    prefix = prefix_of(text)
    if prefix is not None:
        inner = Record(record.line, prefix.message)
        found = first_match(BEHIND_A_PREFIX, inner) or _error(prefix.message, "")
        return None if not found else tuple(f._replace(group=prefix.group, client=prefix.client) for f in found)
    of_librdkafka = (record.logger or "").startswith("rdkafka") or "[thrd:" in text
    said = (first_match(LIBRDKAFKA, record) if of_librdkafka else None) or first_match(ALONE, record)
    named_error = _error(text, _text(record, "error") or _text(record, "err") or _text(record, "why"))
    said = (said or ()) + (named_error if not said or said[0].kind in _WITH_ERROR else ())
    if not said:
        return None
    named = _CLIENT.search(text, 0, _SHOWN)
    client = record.client or _text(record, "clientId") or (named[1] if named is not None else None)
    group = _text(record, "groupId") or _text(record, "group")
    return tuple(f._replace(group=f.group or group or None, client=f.client or client or None) for f in said)


def _error(text: str, field: str) -> tuple[Match, ...]:
    said = f"{text}: {field}" if field else text
    name = error_in(said)
    if name is None:
        return ()
    error = said[:_SHOWN] if name in said[:_SHOWN] else f"{name}: {said[:_SHOWN]}"
    return (Match(RowKind.ERROR_NAMED, None, None, None, {"name": name, "error": error}),)


def _text(record: Record, key: str) -> str:
    value = record.fields.get(key)
    return value if isinstance(value, str) else ""
