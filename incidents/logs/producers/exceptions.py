"""Exceptions with the code that threw them, and versions: what only known defects look for."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

THROWN = re.compile(
    r"(?P<error>java\.(?:lang|util)\.(?:IllegalState|NullPointer|ConcurrentModification|NoSuchElement)Exception\b.{0,400}"
    r"|(?:java\.lang\.)?StackOverflowError\b.{0,40}|(?:Connector|Task) already exists in this worker.{0,200}"
    r"|std::runtime_error \(updating non-joining member.{0,200})"
)
FRAME = re.compile(r"^\s*at (\S{1,300})\(")
_VERSION = re.compile(r"(?:^|[\s:\]-])Kafka version ?: ?(?P<version>\d[\w.-]{0,40})")
_OF_LIBRDKAFKA = re.compile(r"\blibrdkafka v(?P<version>\d[\w.-]{0,40})")
_HEAD = 2_000
_COORDINATION = re.compile(r"(?:Consumer|Abstract|Worker)Coordinator\.|Assignor\.assign|AbstractStickyAssignor")
"""Functions of Java's clients that run in a rebalance."""


def of_a_group(match: Match) -> bool:
    """Whether an exception was thrown where a client takes part in its group: that is not weak evidence."""
    return _COORDINATION.search(str(match.detail.get("at", ""))) is not None


def read(record: Record) -> tuple[Match, ...] | None:
    """A row for an exception or a printed version; None if the record has none.

    `at`: the functions on the stack, the innermost first.
    """
    text = record.text
    if "Kafka version" in text and (found := _VERSION.search(text, 0, _HEAD)) is not None:
        return (Match(RowKind.VERSION, None, None, None, {"version": found["version"]}),)
    if "librdkafka v" in text and (found := _OF_LIBRDKAFKA.search(text, 0, _HEAD)) is not None:
        return (Match(RowKind.VERSION, None, None, None, {"version": found["version"]}, Program.LIBRDKAFKA),)
    if "xception" not in text and "rror" not in text and "already exists in this worker" not in text:
        return None
    thrown = THROWN.search(text, 0, _HEAD)
    if thrown is None:
        return None
    frames = [frame[1] for line in record.more if (frame := FRAME.match(line)) is not None]
    program = Program.BROKER if "non-joining" in thrown["error"] else None
    detail = {"error": thrown["error"].strip(), "at": " ".join(frames)}
    return (Match(RowKind.EXCEPTION, None, None, record.client, detail, program),)
