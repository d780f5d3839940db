"""Which kind of document a file is (JSON, CSV, XML, journal export, plain text), and its raw records one by one."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import IO, Any, NamedTuple
from xml.etree import ElementTree

import msgspec

from groupsim.incidents.exports.walk import Record, records
from groupsim.incidents.logs.times import read_stamp

HEAD = 1 << 16
_LONGEST_CELL = 16 << 20
_JOURNAL = re.compile(rb"(?:__CURSOR|__REALTIME_TIMESTAMP|_[A-Z_]{2,60}|[A-Z_]{2,60})=[^\n]*\n")
_CELL = re.compile(r"[\w@ ./\-:()\[\]#]{1,100}")


class Kind(StrEnum):
    """What a file is."""

    JSON = "JSON"
    CSV = "CSV"
    XML = "XML"
    JOURNAL = "journal export"
    TEXT = "text"


class Raw(NamedTuple):
    """A record of a file: its number there (from 1: the line of a text, the record of a document), and its fields."""

    number: int
    fields: Record


def kind_of(head: bytes) -> Kind:
    """What a file is, by its first bytes (UTF-8)."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] == b"{" or (text[:1] == b"[" and re.match(rb"\[\s*[\[{\"]", text) and not _is_dated(text)):
        return Kind.JSON
    if text[:5] == b"<?xml" or re.match(rb"<(?:results?|logs?|events?|response)\b", text):
        return Kind.XML
    lines = text.split(b"\n", 4)
    if len(lines) > 3 and all(_JOURNAL.match(line + b"\n") for line in lines[:3]) and b"__" in lines[0] + lines[1]:
        return Kind.JOURNAL
    return Kind.CSV if delimiter(text.decode("utf-8", "replace")) is not None else Kind.TEXT


def _is_dated(text: bytes) -> bool:
    return re.match(rb"\[\s*\"?\d", text) is not None


def delimiter(text: str) -> str | None:
    """The character between the columns, if a text is a table with a head that names a time or a message."""
    first = text.split("\n", 1)[0].rstrip("\r")
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
            and not any(read_stamp(name, 0) for name in named)
            and any(re.search(r"time|date|\bts\b|message|msg|\blog\b|line|_raw|text|body", name) for name in named)
        ):
            return mark
    return None


def raw_records(kind: Kind, stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[Raw]:
    """The records of a document, in its order. What is damaged ends it, with a sentence to `trouble`."""
    readers = {Kind.JSON: _json, Kind.CSV: _csv, Kind.XML: _xml, Kind.JOURNAL: _journal}
    for number, fields in enumerate(readers[kind](stream, trouble), 1):
        yield Raw(number, fields)


def _json(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[Record]:
    """One document, several, or one a line."""
    data = _all(stream)
    lines = data.split(b"\n")
    if len(lines) > 1 and _is_document(next(line for line in lines if line.strip())):
        for number, line in enumerate(lines, 1):
            text = line.strip().rstrip(b",")
            if text in (b"", b"[", b"]"):
                continue
            try:
                yield from records(msgspec.json.decode(text))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                try:
                    yield from records(json.loads(text.decode("utf-8", "replace"), strict=False))
                except (ValueError, RecursionError):
                    trouble(f"line {number} is no JSON and was left out")
        return
    yield from _documents(data.decode("utf-8", "replace"), trouble)


def _is_document(line: bytes) -> bool:
    try:
        msgspec.json.decode(line.strip().rstrip(b","))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _documents(text: str, trouble: Callable[[str], None]) -> Iterator[Record]:
    decoder, at = json.JSONDecoder(strict=False), 0
    skip = re.compile(r"[\s,\ufeff]*")
    while (at := _end(skip.match(text, at), at)) < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield from _cut_document(text, at, trouble)
            return
        yield from records(value)


def _end(found: re.Match[str] | None, at: int) -> int:
    return at if found is None else found.end()


_OBJECT = re.compile(r"\{")


def _cut_document(text: str, at: int, trouble: Callable[[str], None]) -> Iterator[Record]:
    """A document that breaks off: the whole objects that can still be read, those of the record list."""
    decoder, found, end = json.JSONDecoder(strict=False), 0, at
    opened = [each.start() for each in _OBJECT.finditer(text, at + 1)]
    for start in opened:
        if start < end:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        for record in records(value):
            found += 1
            yield record
    trouble(f"the JSON document breaks off or is damaged; {found} records of it could be read")


def _csv(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[Record]:
    csv.field_size_limit(_LONGEST_CELL)
    text = io.StringIO(_all(stream).decode("utf-8", "replace").replace("\x00", ""), newline="")
    start = text.read(1)
    if start != "\ufeff":
        text.seek(0)
    at = text.tell()
    mark = delimiter(text.read(HEAD).lstrip()) or ","
    text.seek(at)
    rows = csv.reader(text, delimiter=mark)
    try:
        names = [name.strip() for name in next(row for row in rows if any(cell.strip() for cell in row))]
        for row in rows:
            if len(row) > 1:
                yield {name: cell for name, cell in zip(names, row, strict=False) if cell}
    except (csv.Error, StopIteration) as error:
        trouble(f"the table is damaged ({error}); what came before was read")


def _xml(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[Record]:
    """Each element that repeats under its parent and holds fields: `<field k='name'>` or `<name>`."""
    try:
        for _, element in ElementTree.iterparse(stream):
            if element.tag.rpartition("}")[2] in ("result", "event", "record", "log", "entry", "row", "item"):
                if record := _element(element):
                    yield record
                element.clear()
    except (ElementTree.ParseError, ValueError) as error:
        trouble(f"the XML document is damaged ({error}); what came before was read")


def _element(element: ElementTree.Element) -> Record:
    found: Record = dict(element.attrib)
    for child in element:
        name = next((child.attrib[key] for key in ("k", "name", "key", "field") if key in child.attrib), child.tag)
        found[name] = "".join(child.itertext()).strip("\n\t ") if name != "_raw" else "".join(child.itertext())
    return found


def _journal(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[Record]:
    """`KEY=value` lines with a blank line between the entries; `KEY`, eight bytes of length, the bytes."""
    data, at = _all(stream), 0
    entry: Record = {}
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line, at = data[at:end], end + 1
        if not line:
            if entry:
                yield entry
            entry = {}
        elif b"=" in line:
            key, _, value = line.partition(b"=")
            entry[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        else:
            size = int.from_bytes(data[at : at + 8], "little")
            if size > len(data) - at - 8:
                trouble("the journal export breaks off; what came before was read")
                break
            entry[line.decode("utf-8", "replace")] = data[at + 8 : at + 8 + size].decode("utf-8", "replace")
            at += 8 + size + 1
    if entry:
        yield entry


def _all(stream: IO[bytes]) -> bytes:
    return b"".join(iter(lambda: stream.read(1 << 20), b""))


__all__ = ["HEAD", "Any", "Kind", "Raw", "delimiter", "kind_of", "raw_records"]
