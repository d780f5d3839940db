"""Exceptions that end tasks of Connect and threads of Kafka Streams: what each means, and what helps. A row each."""

from __future__ import annotations

import re
from typing import NamedTuple

from groupsim.diagnosis.finding import Remedy
from groupsim.diagnosis.said import Said

_CLASS = re.compile(r"(?:[\w$]+\.)*(?P<name>[\w$]+)")


class Thrown(NamedTuple):
    """`words`: what the exception says. `what`: the same, as a sentence goes on behind a colon."""

    words: re.Pattern[str]
    what: str
    do: Remedy


def _row(words: str, what: str, do: str, settings: tuple[str, ...] = (), brief: str = "") -> Thrown:
    return Thrown(re.compile(words), what, Remedy(do, settings, brief))


_KNOWN = (
    _row(
        r"invalid partitions: expected|Existing internal topic .{1,300} has invalid",
        "an internal topic has not as many partitions as the topology needs",
        "reset the application (kafka-streams-application-reset) or give it a new application.id: its internal topics"
        " were made for another number of partitions",
        ("application.id",),
        "reset the application's internal topics",
    ),
    _row(
        r"(?:task|state) directory .{1,600}(?:couldn't be created|could not be created|doesn't exist)",
        "its state directory cannot be written",
        "let state.dir be a folder of its own that the process may write (not /tmp, which is emptied)",
        ("state.dir",),
        "let state.dir be a folder that it may write",
    ),
    _row(
        r"LockException|Failed to lock the state directory|multiple instances of Kafka Streams are running in the same",
        "its state directory is locked by another thread or instance",
        "give each instance on a host a state.dir of its own",
        ("state.dir",),
        "give each instance its own state.dir",
    ),
    _row(
        r"Flush timeout expired|Cannot finish flush|Flush failed|flush timed out",
        "its target did not take the records in time",
        "look at the target's load and answers; write smaller batches (the connector's batch size,"
        " consumer.override.max.poll.records), or let it have more time (the connector's flush timeout,"
        " offset.flush.timeout.ms)",
        ("consumer.override.max.poll.records", "offset.flush.timeout.ms"),
        "look at the target, and write smaller batches",
    ),
    _row(
        r"TimeoutException: (?:Timeout expired (?:while|before)|Timed out waiting|Failed to (?:get|update)|Call\("
        r"|Timeout of \d+ ?ms expired)|Timeout expired while fetching topic metadata",
        "the brokers did not answer in time",
        "see whether the brokers are up, and whether bootstrap.servers, advertised.listeners and security.protocol fit"
        " from this host; a longer default.api.timeout.ms only bridges brokers that are slow",
        ("bootstrap.servers", "advertised.listeners", "security.protocol", "default.api.timeout.ms"),
        "see whether it can reach the brokers",
    ),
    _row(
        r"SerializationException|DeserializationException|Error deserializing"
        r"|DataException: (?:Converting|Failed to des)",
        "a record could not be read",
        "skip or put aside such records: deserialization.exception.handler in Kafka Streams, errors.tolerance=all with"
        " errors.deadletterqueue.topic.name in Connect; or take the converter or serde that fits the topic",
        ("deserialization.exception.handler", "errors.tolerance", "errors.deadletterqueue.topic.name"),
        "put aside records that cannot be read",
    ),
    _row(
        r"RecordTooLarge|MESSAGE_TOO_LARGE",
        "a record is larger than the producer or the topic allows",
        "raise max.request.size of the producer and max.message.bytes of the topic, or write smaller records",
        ("max.request.size", "max.message.bytes"),
        "raise max.request.size and max.message.bytes",
    ),
    _row(
        r"OutOfMemoryError",
        "the process had no memory left",
        "give the process more memory, or let it hold less: fewer tasks a process, smaller caches and batches",
        (),
        "give the process more memory",
    ),
    _row(
        r"errors\.WakeupException",
        "it was stopped while it committed",
        "nothing, if it was being stopped: Kafka before 2.6.1 logs the stop of a sink's task so (KAFKA-10240); else"
        " restart the task",
        ("version",),
        "if it was being stopped, nothing is wrong",
    ),
    _row(
        r"producer has been closed",
        "it went on after its producer had been closed",
        "find what the task waited for when it was to stop; until it returns, its successor may run beside it",
        ("task.shutdown.graceful.timeout.ms",),
        "find what the task waited for",
    ),
    _row(
        r"UnknownHostException|Connection refused|No resolvable bootstrap|NoRouteToHost",
        "a host could not be reached",
        "see whether the host that the exception names can be reached from here",
        (),
        "see whether it can reach that host",
    ),
)


def thrown(lines: list[Said]) -> tuple[str, Remedy | None]:
    """Why something failed, by the exceptions below its lines: as a sentence goes on, "" where none is there; and what
    helps, where that is known.
    """
    texts = [str(line.row.detail.get(key, "")) for line in lines for key in ("cause", "thrown")]
    for text in filter(None, texts):
        known = next((row for row in _KNOWN if row.words.search(text) is not None), None)
        if known is not None:
            return known.what, known.do
    first = next(filter(None, texts), None)
    named = None if first is None else _CLASS.match(first)
    return ("" if named is None else f"an exception ({named['name']})"), None
