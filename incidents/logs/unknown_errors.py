"""Errors of Kafka that no wording knows: found by their level, or by the names of their exceptions.

They say that something is wrong, and not what: a diagnosis only quotes them.
"""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.producers.java_client import prefix_of
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.scanned_words import ERRORS

KEPT = 20
"""The most of a log: they are only quoted, and a program may write the same one for hours."""
LOOKED_AT = 2_000
"""The most lines of a log that are read for one: those of a program with errors of its own are many."""
_FAILED = frozenset(["ERROR", "ERR", "FATAL", "CRITICAL", "SEVERE", "FTL"])
_WARNED = frozenset(["WARN", "WARNING", "WRN"])
_MAY_BE = re.compile(b"|".join(map(re.escape, ERRORS)))
_CONCERNS = re.compile(
    r"(?i)kafka|\bo\.a\.k\.|consumer|broker|topic|partition|coordinator|offset|rebalanc|\bgroup\b|\brdk|sarama|\bkgo\b"
)
_THROWN = re.compile(r"\b[A-Z]\w{2,80}(?:Exception|Error)\b")
_OF_KAFKA = re.compile(
    r"\b(?:org\.apache\.kafka|aiokafka|kafka|cimpl|confluent_kafka|Confluent\.Kafka)\.[\w.$]{1,200}(?:Exception|Error)\b"
    r"|\bKafkaJS\w{1,60}|\bRdkafka::\w{1,60}Error\b|\bKafka(?:Exception|Error)\b"
)
_ORDINARY = re.compile(
    r"javax\.management|leadership election|known config|[Cc]oordinator is not available|valid member"
)
"""What a program that starts may print, though nothing is wrong."""
_OF_OTHERS = re.compile(r"\[(?:Producer |AdminClient )|#producer-\d|\bkafka\.producer|producer\.Kafka|producer/")
"""Producers and admin clients have errors, too."""
_HEAD = 2_000
_BEFORE = re.compile(r"(?:\[[^\]]{1,200}\]:?\s{0,4}){0,4}(?:(?:[\w$]{1,60}\.){1,12}[\w$]{1,80}\s{1,20}[-:]\s{1,4})?")
"""A thread, and a logger's name."""
_SHOWN = 400


def may_be_error(line: bytes) -> bool:
    """Whether it is worth to read a line for its error."""
    return _MAY_BE.search(line) is not None


def read(record: Record) -> Match | None:
    """A row for an error that concerns Kafka, where no wording made one of the record; None if it is no error."""
    text = record.text[:_HEAD]
    error = next((value for key in ("error", "err") if isinstance(value := record.fields.get(key), str)), "")
    said = f"{text}: {error}" if error and error not in text else text
    whole = f"{said} {record.logger or ''}"
    if _ORDINARY.search(whole) is not None or _OF_OTHERS.search(whole) is not None or not _fails(record, said, error):
        return None
    if _CONCERNS.search(whole) is None:
        return None
    prefix = prefix_of(said)
    begins = _BEFORE.match(said)
    said = prefix.message if prefix is not None else said[begins.end() if begins is not None else 0 :]
    group, client = (None, record.client) if prefix is None else (prefix.group, prefix.client)
    return Match(RowKind.ERROR_UNKNOWN, group, None, client, {"said": said[:_SHOWN].strip()})


def _fails(record: Record, said: str, error: str) -> bool:
    """Whether its level says that something failed; a warning, or a line without a level, names an exception."""
    facility = (record.logger or "").rpartition("rdkafka.")[2]
    level = (record.level or facility).upper()
    if level in _FAILED:
        return True
    if record.level is None:
        return _OF_KAFKA.search(said) is not None
    return level in _WARNED and (bool(error) or _THROWN.search(said) is not None)
