"""What a broker wrote to `__consumer_offsets`, read from its log and put into the form of a script."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recorders.broker.definitions import Definitions, Message
from recorders.scripts.consumer.names import Names, sorted_partitions
from recorders.scripts.consumer.subscriptions import ASSIGNMENT, NEWEST, SUBSCRIPTION

MOMENTS = ("timestamp", "committimestamp", "expiretimestamp", "currentstatetimestamp")
LEFT_OUT = frozenset(("clienthost", "groupid", "group", "version", *MOMENTS))
"""Fields that differ from play to play or are always the same, in small letters."""
OVERHEAD, HEADER = 12, 61
COMPRESSED, CONTROL = 7, 0x20
METADATA = ("subscription", "metadata")
Written = tuple[int, str, Message, Message | None]
"""When (ms), the type of the record, its key, its value."""


def of_groups(folder: Path, definitions: Definitions) -> dict[str, list[Written]]:
    """All records of a broker by group, in their order. `folder`: the broker's log directory."""
    found: dict[str, list[Written]] = defaultdict(list)
    for file in sorted(folder.glob("__consumer_offsets-*/*.log")):
        for at_ms, raw_key, raw_value in _records(file.read_bytes()):
            kind, key, value = definitions.record(raw_key, raw_value)
            group = next(key[name] for name in ("GroupId", "group", "Group") if name in key)
            found[group].append((at_ms, kind, key, value))
    return found


def _records(raw: bytes) -> Iterator[tuple[int, bytes, bytes | None]]:
    """The records of a segment: batches of format 2 that are not compressed and no markers of transactions."""
    at = 0
    while at + HEADER <= len(raw):
        size: int = struct.unpack_from(">i", raw, at + 8)[0]
        attributes: int = struct.unpack_from(">h", raw, at + 21)[0]
        base_ms: int = struct.unpack_from(">q", raw, at + 27)[0]
        count: int = struct.unpack_from(">i", raw, at + 57)[0]
        if not attributes & (COMPRESSED | CONTROL):
            yield from _batch(raw, at + HEADER, base_ms, count)
        at += OVERHEAD + size


def _batch(raw: bytes, at: int, base_ms: int, count: int) -> Iterator[tuple[int, bytes, bytes | None]]:
    for _ in range(count):
        size, at = _varint(raw, at)
        end = at + size
        delta_ms, at = _varint(raw, at + 1)
        _, at = _varint(raw, at)
        length, at = _varint(raw, at)
        key, at = raw[at : at + length], at + length
        length, at = _varint(raw, at)
        yield base_ms + delta_ms, key, raw[at : at + length] if length >= 0 else None
        at = end


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number in zigzag form, and where it ends."""
    value = shift = 0
    while True:
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at


class Cleaner:
    """Records of one play as a script has them: labels for ids, hashes numbered as they appear."""

    def __init__(self, names: Names, definitions: Definitions) -> None:
        self._names = names
        self._definitions = definitions
        self._hashes: dict[int, int] = {0: 0}

    def record(self, kind: str, key: Message, value: Message | None) -> list[Any]:
        """`[type, key, value]`."""
        return [kind, self._clean(key, ""), None if value is None else self._clean(value, "")]

    def _clean(self, value: Any, field: str) -> Any:
        if isinstance(value, dict):
            return {name: self._clean(v, name) for name, v in value.items() if name.lower() not in LEFT_OUT}
        if isinstance(value, list):
            return [self._clean(item, field) for item in value]
        if isinstance(value, bytes):
            return self._bytes(value, SUBSCRIPTION if field.lower() in METADATA else ASSIGNMENT)
        if isinstance(value, str):
            return self._text(value, field.lower())
        if field == "MetadataHash":
            return self._hashes.setdefault(value, len(self._hashes))
        return int(value != 0) if field == "AssignmentTimestamp" else value

    def _bytes(self, value: bytes, name: str) -> Any:
        if not value:
            return value.hex()
        found = self._clean(self._definitions.decoded(name, value, NEWEST)[1], "")
        if name == ASSIGNMENT:
            listed = sorted_partitions({row["Topic"]: row["Partitions"] for row in found["AssignedPartitions"]})
            found["AssignedPartitions"] = [{"Topic": topic, "Partitions": p} for topic, p in listed.items()]
        return found

    def _text(self, value: str, field: str) -> str:
        if field == "topicid":
            return self._names.topic(value)
        if field in ("memberid", "leader"):
            label = self._names.label(value) or ""
            return "?" if label.startswith("?") else label
        return self._names.in_script(value)
