"""Kafka's wire protocol by the message definitions that its jars carry: any API, any version, and stored records.

A message is a dictionary with Kafka's field names. `messages` and `wire` have a few messages as data of our own, for
brokers whose jars are not at hand.
"""

from __future__ import annotations

import json
import re
import struct
import uuid
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recorders.broker.wire import Cursor, write_length

Definition = Mapping[str, Any]
"""One of Kafka's JSON definitions, or one field of it."""
Message = dict[str, Any]
NO_ID = "00000000-0000-0000-0000-000000000000"
NUMBERS = {
    "int8": ">b",
    "int16": ">h",
    "uint16": ">H",
    "int32": ">i",
    "int64": ">q",
    "float64": ">d",
    "bool": ">?",
}
TEXTS = ("string", "bytes", "records")
ALWAYS_PLAIN = "ApiVersions"
"""Its answer has no tagged fields in the header, so that every client can read it."""
COMMENT = re.compile(r"(?m)^\s*//.*$|\s//[^\"\n]*$")


def carries(versions: str | None, version: int) -> bool:
    """Whether `3`, `0-8`, `5+` or `none` is about this version."""
    if versions is None or versions == "none":
        return False
    low, _, high = versions.rstrip("+").partition("-")
    return version >= int(low) and (versions.endswith("+") or version <= int(high or low))


class Definitions:
    """The definitions in some jars: those of the clients, and of the group coordinator for its records."""

    def __init__(self, jars: Iterable[Path]) -> None:
        self._named: dict[str, Definition] = {}
        self._stored: dict[tuple[str, int], Definition] = {}
        for jar in jars:
            self._read(jar)

    def _read(self, jar: Path) -> None:
        with zipfile.ZipFile(jar) as file:
            for name in file.namelist():
                if name.startswith("common/message/") and name.endswith(".json"):
                    definition = json.loads(COMMENT.sub("", file.read(name).decode()))
                    self._named[definition["name"]] = definition
                    if definition["type"].startswith("coordinator-"):
                        self._stored[definition["type"], definition["apiKey"]] = definition

    def named(self, name: str) -> Definition:
        """One definition as the jars have it."""
        return self._named[name]

    def request(self, api: str, version: int, client: str, body: Message) -> bytes:
        """A request in its frame, under correlation id 0."""
        definition = self._named[f"{api}Request"]
        writer = _Writer(definition, version)
        writer.out += struct.pack(">hhi", definition["apiKey"], version, 0)
        writer.out += struct.pack(">h", len(client)) + client.encode()
        if writer.flexible:
            writer.out.append(0)
        writer.fields(definition["fields"], body)
        return struct.pack(">i", len(writer.out)) + bytes(writer.out)

    def answer(self, api: str, version: int, frame: bytes) -> Message:
        """The answer in a frame (without its length)."""
        reader = _Reader(self._named[f"{api}Response"], version, frame, at=4)
        if reader.flexible and api != ALWAYS_PLAIN:
            reader.bytes.skip_tags()
        return reader.message()

    def encoded(self, name: str, version: int, message: Message) -> bytes:
        """A message that travels as bytes inside another one, after its version."""
        writer = _Writer(self._named[name], version)
        writer.fields(self._named[name]["fields"], message)
        return struct.pack(">h", version) + bytes(writer.out)

    def decoded(self, name: str, raw: bytes, newest: int) -> tuple[int, Message]:
        """The version and the message; newer versions are read as the newest. Raises ValueError, struct.error."""
        version: int = struct.unpack_from(">h", raw)[0]
        return version, _Reader(self._named[name], min(version, newest), raw, at=2).message()

    def record(self, key: bytes, value: bytes | None) -> tuple[str, Message, Message | None]:
        """A record of `__consumer_offsets`: its type, its key, its value (None for a tombstone)."""
        kind: int = struct.unpack_from(">h", key)[0]
        definition = self._stored["coordinator-key", kind]
        read_key = _Reader(definition, 0, key, at=2).message()
        content = None
        if value is not None:
            version = struct.unpack_from(">h", value)[0]
            content = _Reader(self._stored["coordinator-value", kind], version, value, at=2).message()
        return definition["name"].removesuffix("Key"), read_key, content


class _Coder:
    def __init__(self, definition: Definition, version: int) -> None:
        self._definition = definition
        self._structures = {s["name"]: s["fields"] for s in definition.get("commonStructs", ())}
        self.version = version
        self.flexible = carries(definition.get("flexibleVersions"), version)

    def inner(self, field: Definition, kind: str) -> list[Definition]:
        """The fields of a structure inside a message."""
        fields: list[Definition] = field["fields"] if "fields" in field else self._structures[kind]
        return fields

    def nullable(self, field: Definition, kind: str) -> bool:
        """A structure by itself, not in an array, that may be null."""
        return field["type"] == kind and carries(field.get("nullableVersions"), self.version)


def default(field: Definition) -> Any:
    """What a field is when nobody says."""
    kind, given = field["type"], field.get("default", "")
    if given in ("null", None):
        return None
    if kind.startswith("[]"):
        return []
    if kind == "bool":
        return str(given).lower() == "true"
    if kind in NUMBERS:
        return int(str(given or 0), 0)
    return {"string": given, "bytes": b"", "uuid": NO_ID}.get(kind, {})


class _Writer(_Coder):
    def __init__(self, definition: Definition, version: int) -> None:
        super().__init__(definition, version)
        self.out = bytearray()

    def fields(self, fields: Iterable[Definition], message: Message) -> None:
        """All fields of this version; tagged ones keep their defaults."""
        for field in fields:
            tagged = carries(field.get("taggedVersions"), self.version)
            if carries(field["versions"], self.version) and not tagged:
                self._value(field, field["type"], message.get(field["name"], default(field)))
        if self.flexible:
            self.out.append(0)

    def _value(self, field: Definition, kind: str, value: Any) -> None:
        if kind.startswith("[]"):
            self._length(-1 if value is None else len(value), 4)
            for item in value or ():
                self._value(field, kind[2:], item)
        elif kind in NUMBERS:
            self.out += struct.pack(NUMBERS[kind], value)
        elif kind in TEXTS:
            raw = value.encode() if isinstance(value, str) else value
            self._length(-1 if raw is None else len(raw), 2 if kind == "string" else 4)
            self.out += raw or b""
        elif kind == "uuid":
            self.out += uuid.UUID(value).bytes
        else:
            if self.nullable(field, kind):
                self.out.append(255 if value is None else 1)
            if value is not None:
                self.fields(self.inner(field, kind), value)

    def _length(self, length: int, width: int) -> None:
        write_length(self.out, length, width, flexible=self.flexible)


class _Reader(_Coder):
    def __init__(self, definition: Definition, version: int, raw: bytes, at: int) -> None:
        super().__init__(definition, version)
        self.bytes = Cursor(raw, flexible=self.flexible, at=at)

    def message(self) -> Message:
        """The whole message."""
        return self._fields(self._definition["fields"])

    def _fields(self, fields: Iterable[Definition]) -> Message:
        message: Message = {}
        tagged: dict[int, Definition] = {}
        for field in fields:
            if carries(field.get("taggedVersions"), self.version):
                tagged[field["tag"]] = field
                message[field["name"]] = default(field)
            elif carries(field["versions"], self.version):
                message[field["name"]] = self._value(field, field["type"])
        for _ in range(self.bytes.varint() if self.flexible else 0):
            tag, size = self.bytes.varint(), self.bytes.varint()
            end = self.bytes.at + size
            if tag in tagged:
                message[tagged[tag]["name"]] = self._tagged(tagged[tag], tagged[tag]["type"])
            self.bytes.at = end
        return message

    def _tagged(self, field: Definition, kind: str) -> Any:
        """A tagged structure that may be null begins with 0 for null, where another one has -1."""
        simple = kind.startswith("[]") or kind in NUMBERS or kind in TEXTS or kind == "uuid"
        if simple or not self.nullable(field, kind):
            return self._value(field, kind)
        return self._fields(self.inner(field, kind)) if self.bytes.varint() else None

    def _value(self, field: Definition, kind: str) -> Any:
        if kind.startswith("[]"):
            count = self.bytes.length(4)
            return None if count < 0 else [self._value(field, kind[2:]) for _ in range(count)]
        if kind in NUMBERS:
            return self.bytes.number(NUMBERS[kind])
        if kind in TEXTS:
            length = self.bytes.length(2 if kind == "string" else 4)
            raw = self.bytes.take(length) if length >= 0 else None
            return raw.decode() if raw is not None and kind == "string" else raw
        if kind == "uuid":
            return str(uuid.UUID(bytes=self.bytes.take(16)))
        if self.nullable(field, kind) and self.bytes.number(">b") < 0:
            return None
        return self._fields(self.inner(field, kind))
