"""Which kind of document a file is (JSON, CSV, XML, journal export, plain text), and its raw records one by one."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice
from typing import IO, NamedTuple, cast
from xml.etree import ElementTree

from groupsim.incidents.exports import journal, large_json, yaml_entries
from groupsim.incidents.exports.find_records import Record
from groupsim.incidents.exports.json_lines import json_lines, object_of
from groupsim.incidents.exports.relevant import LONGEST, blocks_of_lines, hot_lines, names_groups, relevant
from groupsim.wording.numbers import counted

HEAD = 1 << 16
_LOOKED_AT = 200
_CUT, _NARROWEST = 16_384, 60
"""Bytes in which an object is looked for whose lines were cut, and the fewest columns of a terminal."""
_AROUND_VALUES = b" \t\r[,\xef\xbb\xbf"
_BLOCK = 1 << 20
_JOURNAL = re.compile(rb"(?:__CURSOR|__REALTIME_TIMESTAMP|_[A-Z_]{2,60}|[A-Z_]{2,60})=[^\n]*\n")
_CELL = re.compile(r"[\w@ ./\-:()\[\]#]{1,60}")
_USUAL = re.compile(r"time|date|\bts\b|message|msg|\blog\b|line|_raw|text|body")
_AGREED = 0.8
_CLOCK = re.compile(r"\d{2}:\d{2}|\d{10}")


class Kind(StrEnum):
    """What a file is."""

    JSON = "JSON"
    CSV = "CSV"
    XML = "XML"
    JOURNAL = "journal export"
    YAML = "YAML"
    TEXT = "text"


class Raw(NamedTuple):
    """A record of a file: its number there (from 1: the line of a text, the record of a document), and its fields."""

    number: int
    fields: Record


def kind_of(head: bytes) -> Kind:
    """What a file is, by its first bytes (UTF-8)."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if yaml_entries.begins_so(text):
        return Kind.YAML
    if _is_mixed(text) or _is_cut(text):
        return Kind.TEXT
    if re.match(rb"\{\s*[\"}]|\[\s*[\[{\"]", text) and not _is_dated(text):
        return Kind.JSON
    if text[:5] == b"<?xml" or re.match(rb"<(?:results?|logs?|events?|response)\b", text):
        return Kind.XML
    lines = text.split(b"\n", 4)
    if len(lines) > 3 and all(_JOURNAL.match(line + b"\n") for line in lines[:3]) and b"__" in lines[0] + lines[1]:
        return Kind.JOURNAL
    return Kind.CSV if delimiter(text.decode("utf-8", "replace")) is not None else Kind.TEXT


def _is_mixed(text: bytes) -> bool:
    """Whether a line is a whole JSON object, and many others are none: a log in which programs write as they like."""
    lines = [line for line in text.split(b"\n")[: _LOOKED_AT + 1] if line.strip()]
    if len(lines) < 2 or object_of(lines[0]) is None:
        return False
    return sum(line.lstrip()[:1] not in (b"{", b"]", b"[") for line in lines[:_LOOKED_AT]) > len(lines) // 10


def _is_cut(text: bytes) -> bool:
    """Whether the first JSON object is cut hard at so many columns: it is whole without the line ends."""
    lines = text[:_CUT].replace(b"\r", b"").split(b"\n")
    width = len(lines[0])
    last = next((at for at, line in enumerate(lines) if len(line) != width), 0)
    if width < _NARROWEST or not last or len(lines[last]) > width or object_of(lines[0]) is not None:
        return False
    return object_of(b"".join(lines[: last + 1])) is not None


def _is_dated(text: bytes) -> bool:
    return re.match(rb"\[\s*\"?\d", text) is not None


def delimiter(text: str) -> str | None:
    """The character between the columns of a table: its head names a time or a message, or its rows agree."""
    first = text.split("\n", 1)[0].rstrip("\r")
    if _CLOCK.search(first):
        return None
    for mark in (",", "\t", ";", "|"):
        if mark not in first:
            continue
        try:
            names = next(csv.reader([first], delimiter=mark))
        except (csv.Error, StopIteration):
            continue
        named = [name.strip().lower() for name in names]
        if (
            len(named) > 1
            and all(_CELL.fullmatch(name) for name in named)
            and len(set(named)) == len(named)
            and (any(_USUAL.search(name) for name in named) or _rows_agree(text, mark, len(named)))
        ):
            return mark
    return None


def _rows_agree(text: str, mark: str, width: int) -> bool:
    """Whether the lines below the head are rows as wide as it, most of them with a time."""
    try:
        rows = list(islice(csv.reader(text.split("\n")[1 : _LOOKED_AT + 1], delimiter=mark), _LOOKED_AT))[:-1]
    except csv.Error:
        return False
    good = [row for row in rows if len(row) == width and any(_CLOCK.search(cell[:40]) for cell in row)]
    return len(good) > 2 and len(good) > _AGREED * len(rows)


def raw_records(kind: Kind, stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[Raw]:
    """The records of a document, in its order. What is damaged ends it, with a sentence to `trouble`."""
    readers = {Kind.JSON: _json, Kind.CSV: _csv, Kind.XML: _xml, Kind.JOURNAL: journal.entries, Kind.YAML: _yaml}
    return (Raw(number, fields) for number, fields in readers[kind](stream, trouble))


def _json(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[tuple[int, Record]]:
    """One document, several, or one a line."""
    head = b""
    while (first := _first_line(head)) is None and len(head) <= large_json.WHOLE and (block := stream.read(_BLOCK)):
        head += block
    again = cast(IO[bytes], _Again(head, stream))
    if object_of(first or b"") is not None:
        yield from json_lines(again, trouble)
        return
    count = 0
    try:
        numbered = enumerate(large_json.records(again), 1)
        for count, found in relevant(numbered, lambda each: each[1].concerns_groups()):
            record = found.record()
            yield found.number(record, count), record
    except large_json.Damaged:
        trouble(f"the JSON document breaks off or is damaged after {counted(count, 'record')}")


def _first_line(head: bytes) -> bytes | None:
    """The first line that holds more than an opening bracket; None if none is there as a whole."""
    lines = head.split(b"\n", _LOOKED_AT)
    return next((line for line in lines[:-1] if line.strip(_AROUND_VALUES)), None)


class _Again:
    """Bytes that were taken from a stream, and the rest of it, as a stream."""

    def __init__(self, head: bytes, stream: IO[bytes]) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int) -> bytes:
        """About `size` bytes; none at the end."""
        head, self._head = self._head, b""
        return head or self._stream.read(size)


def _csv(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[tuple[int, Record]]:
    csv.field_size_limit(LONGEST)
    lines = _TableLines(stream)
    every = iter(lines)
    first = ""
    for lines.head, first in enumerate(every, 1):
        if first := first.strip("\ufeff \n"):
            break
    mark = delimiter(first) or max(",\t;|", key=first.count)
    rows = csv.reader(every, delimiter=mark)
    try:
        names = [name.strip() for name in next(csv.reader([first], delimiter=mark))]
        numbered = ((number, row) for number, row in enumerate(rows, 1) if len(row) > 1)
        for number, row in relevant(numbered, lambda _: lines.hot(rows.line_num)):
            yield number, {name: cell for name, cell in zip(names, row, strict=False) if cell}
    except (csv.Error, StopIteration) as error:
        trouble(f"the table is damaged ({error}); what came before was read")


class _TableLines:
    """The lines of a table for csv.reader, which says how many it took: so it is known whether a row is hot."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hot: deque[int] = deque()
        self.head = 0
        """Lines down to the table's head."""

    def __iter__(self) -> Iterator[str]:
        number = 1
        for block in blocks_of_lines(self._stream):
            self._hot.extend(hot_lines(block, number))
            number += block.count(b"\n")
            text = block.decode("utf-8", "replace").replace("\x00", "")
            yield from io.StringIO(text.replace("\r\n", "\n").replace("\r", " "), newline="\n")

    def hot(self, taken: int) -> bool:
        """Whether a line may concern groups since it was asked last; `taken` lines were read behind the head."""
        found = False
        while self._hot and self._hot[0] <= self.head + taken:
            self._hot.popleft()
            found = True
        return found


def _xml(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[tuple[int, Record]]:
    """Each element that repeats under its parent and holds fields: `<field k='name'>` or `<name>`."""
    try:
        numbered = enumerate(filter(None, map(_element, _elements(stream))), 1)
        yield from relevant(numbered, lambda each: names_groups(each[1]))
    except (ElementTree.ParseError, ValueError) as error:
        trouble(f"the XML document is damaged ({error}); what came before was read")


def _yaml(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[tuple[int, Record]]:
    yield from relevant(yaml_entries.entries(stream), lambda each: names_groups(each[1]))


def _elements(stream: IO[bytes]) -> Iterator[ElementTree.Element]:
    """The elements that are records; each is forgotten afterwards."""
    above: list[ElementTree.Element] = []
    for event, element in ElementTree.iterparse(stream, ("start", "end")):
        if event == "start":
            above.append(element)
            continue
        above.pop()
        if element.tag.rpartition("}")[2] in ("result", "event", "record", "log", "entry", "row", "item"):
            yield element
            element.clear()
            if above:
                above[-1].remove(element)


def _element(element: ElementTree.Element) -> Record:
    found: Record = dict(element.attrib)
    for child in element:
        name = next((child.attrib[key] for key in ("k", "name", "key", "field") if key in child.attrib), child.tag)
        found[name] = "".join(child.itertext()).strip("\n\t ") if name != "_raw" else "".join(child.itertext())
    return found
