"""Which program wrote a record, and what it says: every producer of lines in turn. A new producer is listed here."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Match, Reader, first_match
from groupsim.incidents.logs.producers import (
    applications,
    brod,
    broker,
    broker_consumer,
    broker_lifecycle,
    broker_streams,
    clickhouse,
    exceptions,
    franz_go,
    java_client,
    java_config,
    kafka_go,
    kafkajs,
    karafka,
    librdkafka,
    listeners,
    php_clients,
    python_clients,
    ruby_kafka,
    sarama,
    smallrye,
    troubles,
)
from groupsim.incidents.logs.rows import Program

_BROKER_WORDINGS = broker.WORDINGS + broker_consumer.WORDINGS + broker_streams.WORDINGS + broker_lifecycle.WORDINGS
_BROKER_LINE = re.compile(r"\[Group(?:Coordinator|MetadataManager|Id)[ =]")
_CLIENT_LINE = re.compile(
    r"rebalanc|[Jj]oin|oordinator|[Gg]eneration|[Mm]ember|eartbeat|LeaveGroup|SyncGroup|ssign|[Rr]evok|\bgroup\b"
)
_ANY_LINE = re.compile(
    r"[Cc]onsumer group|[Gg]roup coordinator|\b[Rr]e-?balanc(?:e|es|ed|ing)\b"
    r"|(?:Join|Sync|Leave)Group\b|group\.instance\.id"
    r"|\bcgrp\b|Group \"|Offset commit .{1,300} failed|\bOffsetCommit\b|\bHeartbeat failed\b|; group: \S"
    r"|Group Coordinator|[Pp]artitions (?:assigned|revoked|lost)\b"
    r"|\b(?:[Rr]e-?)?(?:[Jj]oin|[Ll]eav)(?:e|es|ing|ed|s)? (?:the )?(?:consumer )?group\b"
    r"|\b[Ll]eft (?:the )?(?:consumer )?group\b"
    r"|\b(?:consumer|[Mm]ember)\b.{0,60}\b(?:evicted|kicked|expelled|fenced)\b"
    r"|\b(?:[Aa]ssign|[Rr]evok|[Cc]laim|[Rr]eleas|[Ll]os)(?:e|ed|es|s|ing|t)\b (?:\w{1,12} ){0,3}[Pp]artitions?\b"
    r"|\b[Pp]artitions? .{0,60}\b(?:assigned|revoked|lost|claimed|released)\b"
)


def _broker(record: Record) -> tuple[Match, ...] | None:
    return None if java_client.message_of(record.text) is not None else first_match(_BROKER_WORDINGS, record)


def _callback(record: Record) -> tuple[Match, ...] | None:
    """Applications' own lines: not an exception, nor what looks like a known program's line that no wording fits."""
    if _BROKER_LINE.search(record.text) is not None or java_client.message_of(record.text) is not None:
        return None
    if exceptions.read(record) is not None or "IllegalStateError(" in record.text:
        return None
    return listeners.read(record)


PRODUCERS: tuple[tuple[Program | None, Reader], ...] = (
    (Program.BROKER, _broker),
    (Program.JAVA, java_client.read),
    (Program.JAVA, java_config.read),
    (Program.JAVA, smallrye.read),
    (Program.KAFKAJS, kafkajs.read),
    (Program.LIBRDKAFKA, librdkafka.read),
    (Program.SARAMA, sarama.read),
    (Program.FRANZ_GO, franz_go.read),
    (Program.BROD, brod.read),
    (Program.RUBY_KAFKA, ruby_kafka.read),
    (Program.LIBRDKAFKA, karafka.read),
    (Program.KAFKA_GO, kafka_go.read),
    (None, python_clients.read),
    (None, php_clients.read),
    (Program.LIBRDKAFKA, clickhouse.read),
    (None, _callback),
    (None, applications.read),
)
"""In the order in which they are asked. None: the producer's own matches name the program."""


def recognise(record: Record) -> tuple[Match, ...] | None:
    """The rows of a record, by the first producer whose words it uses; () if known noise, None if nobody knows it."""
    for program, read in PRODUCERS:
        found = read(record)
        if found:
            return found if program is None else tuple([Match(*match[:5], program) for match in found])
        if found is not None:
            return troubles.read(record) or exceptions.read(record) or found
    return troubles.read(record) or exceptions.read(record)


def concerns_a_group(text: str) -> bool:
    """Whether a line that was not recognised speaks of a consumer group."""
    if _BROKER_LINE.search(text) is not None:
        return True
    message = java_client.message_of(text)
    if message is None and "clientId=" in text:
        return _CLIENT_LINE.search(text) is not None and "[Producer " not in text and "[AdminClient " not in text
    return (_ANY_LINE.search(text) if message is None else _CLIENT_LINE.search(message)) is not None
