"""Kafka's wire protocol: numbers, lengths and tagged fields; messages, given as data, to bytes and back."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from recorders.broker.messages import Api, Field


class Cursor:
    """Reads the bytes of one message, from `at` on. Raises ValueError where they end too soon."""

    def __init__(self, raw: bytes, *, flexible: bool, at: int = 0) -> None:
        self._raw = raw
        self.at = at
        self.flexible = flexible

    def take(self, count: int) -> bytes:
        """The next bytes."""
        piece = self._raw[self.at : self.at + count]
        if len(piece) < count:
            raise ValueError(f"a message of {len(self._raw)} bytes is cut short")
        self.at += count
        return piece

    def number(self, form: str) -> Any:
        """A number of a form of `struct`."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def varint(self) -> int:
        """An unsigned number of as many bytes as it needs."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def length(self, width: int) -> int:
        """The length of a text (width 2) or an array (width 4), -1 for null."""
        return self.varint() - 1 if self.flexible else int(self.number(">h" if width == 2 else ">i"))

    def skip_tags(self) -> None:
        """Pass over tagged fields."""
        for _ in range(self.varint()):
            self.varint()
            self.take(self.varint())


def write_length(out: bytearray, length: int, width: int, *, flexible: bool) -> None:
    """Append a length as `Cursor.length` reads it."""
    if not flexible:
        out += struct.pack(">h" if width == 2 else ">i", length)
        return
    left = length + 1
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    out.append(left)


NUMBERS = {"int8": ">b", "int16": ">h", "int32": ">i", "int64": ">q", "bool": ">?"}
LISTS = {"strings": "string", "int32s": "int32"}
HEADER = struct.Struct(">hhi")


def request(api: Api, version: int, client: str, body: Mapping[str, Any]) -> bytes:
    """A request in its frame, under correlation id 0: a connection has one request at a time."""
    out = bytearray(HEADER.pack(api.key, version, 0))
    _write(out, "string", client, flexible=False)  # even the flexible header has it the old way
    flexible = version >= api.flexible
    if flexible:
        out.append(0)
    _write_fields(out, api.request, version, body, flexible)
    return struct.pack(">i", len(out)) + bytes(out)


def answer(api: Api, version: int, frame: bytes) -> dict[str, Any]:
    """The answer in a frame (without its length). Raises ValueError where it is cut short."""
    reader = _Reader(frame, flexible=version >= api.flexible)
    reader.number(">i")
    if reader.flexible:
        reader.skip_tags()
    return reader.fields(api.answer, version)


def _carried(fields: Sequence[Field], version: int) -> list[Field]:
    return [field for field in fields if field.since <= version <= field.until]


def _write_fields(
    out: bytearray, fields: Sequence[Field], version: int, body: Mapping[str, Any], flexible: bool
) -> None:
    for field in _carried(fields, version):
        value = body.get(field.name)
        if isinstance(field.kind, str):
            _write(out, field.kind, value, flexible=flexible)
            continue
        # an array is null only where it has no structure of its own to fill: assignments left to the broker
        write_length(out, -1 if value is None and not field.kind else len(value or ()), 4, flexible=flexible)
        for item in value or ():
            _write_fields(out, field.kind, version, item, flexible)
    if flexible:
        out.append(0)


def _write(out: bytearray, kind: str, value: Any, *, flexible: bool) -> None:
    if kind in NUMBERS:
        out += struct.pack(NUMBERS[kind], value or 0)
    elif kind in LISTS:
        write_length(out, len(value), 4, flexible=flexible)
        for item in value:
            _write(out, LISTS[kind], item, flexible=flexible)
    else:
        raw = value.encode() if isinstance(value, str) else value
        write_length(out, -1 if raw is None else len(raw), 2 if kind == "string" else 4, flexible=flexible)
        out += raw or b""


class _Reader(Cursor):
    """Reads one answer from its bytes."""

    def fields(self, fields: Sequence[Field], version: int) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for field in _carried(fields, version):
            if isinstance(field.kind, str):
                read[field.name] = self._value(field.kind)
            else:
                read[field.name] = [self.fields(field.kind, version) for _ in range(self.length(4))]
        if self.flexible:
            self.skip_tags()
        return read

    def _value(self, kind: str) -> Any:
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        length = self.length(2 if kind == "string" else 4)
        if length < 0:
            return None
        raw = self.take(length)
        return raw.decode() if kind == "string" else raw
