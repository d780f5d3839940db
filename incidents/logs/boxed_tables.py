"""Partitions in a table with a frame, as Faust prints them, over several lines: read as one line of aiokafka."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from groupsim.incidents.logs.formats import Record

_OPENERS = ("assigned partitions", "subscribed topics to:")
_FRAME = re.compile(r"[┌+](?:Topic Partition Set|Requested Subscription)?[─-]")
_LAST = re.compile(r"[└+][─┴+-]{3,400}[┘+]\s?(?P<rest>for group .{1,400})?$")
_ROW = re.compile(r"[│|](?P<topic>[^│|]{1,300})[│|](?P<numbers>[^│|]{0,4000})[│|]")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MOST = 100_000


def may_open_table(text: str) -> bool:
    """Whether a line ends as one does above a table."""
    return text.rstrip().endswith(_OPENERS)


def opens_table(text: str, below: str) -> bool:
    """Whether a line ends where a table begins in the line below it."""
    return may_open_table(text) and _FRAME.match(below.lstrip()) is not None


def ends_table(line: str, lines: int) -> bool:
    """Whether a line is the last of a table that began `lines` lines above it."""
    return lines > 2 and (line.lstrip().startswith("└") or (lines > 4 and _LAST.match(line.strip()) is not None))


def unboxed(record: Record) -> Record:
    """The record with its table as a set behind its text; the record itself if it has none."""
    if not record.more or not opens_table(record.text, record.more[0]):
        return record
    listed, topic = [], ""
    for row in (found for line in record.more if (found := _ROW.match(line.strip())) is not None):
        topic = row["topic"].strip() or topic
        listed += [f"TopicPartition(topic='{topic}', partition={n})" for n in _numbers(row["numbers"])]
    return replace(record, text=f"{record.text.rstrip()} {{{', '.join(listed)}}} {_rest(record.more)}", more=())


def _numbers(cell: str) -> list[int]:
    """`{0, 3-5}` as numbers."""
    found: list[int] = []
    for first, last in _RANGE.findall(cell):
        found += range(int(first), min(int(last or first), int(first) + _MOST) + 1)
    return found[:_MOST]


def _rest(lines: Sequence[str]) -> str:
    last = next((found for line in reversed(lines) if (found := _LAST.match(line.strip())) is not None), None)
    return (last["rest"] or "") if last is not None else ""
