"""The records in a batch, by kafka-python, unpacked within limits: a small batch can claim to hold gigabytes.

Source: org.apache.kafka.common.compress. pyarrow brings all four codecs; kafka-python's own unpack without a limit.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pyarrow
from kafka.errors import KafkaError  # type: ignore[import-untyped]
from kafka.record.default_records import DefaultRecordBatch  # type: ignore[import-untyped]
from kafka.record.legacy_records import LegacyRecordBatch  # type: ignore[import-untyped]

from groupsim.incidents.offsets_topic.batches import Batch

MOST = 64 << 20
"""The most that a batch may unpack to, bytes; Kafka's default for a batch is 1 MB."""
CODECS = {1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
"""By the number in a batch's attributes."""
_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEAD = 16


def unpacked(codec: int, data: bytes) -> bytes:
    """The bytes that were compressed. Raises ValueError for damage, an unknown codec and more than MOST bytes."""
    if codec not in CODECS:
        raise ValueError(f"compressed with an unknown codec, {codec}")
    try:
        return _snappy(data) if CODECS[codec] == "snappy" else _stream(CODECS[codec], data)
    except (OSError, pyarrow.ArrowException, MemoryError) as error:
        raise ValueError(f"not what was compressed with {CODECS[codec]}: {error}") from None


def _stream(name: str, data: bytes) -> bytes:
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), name) as stream:
        found: bytes = stream.read(MOST + 1)
    if len(found) > MOST:
        raise ValueError(f"more than {MOST >> 20} MB in one batch")
    return found


def _snappy(data: bytes) -> bytes:
    """One block, or the blocks of snappy-java: a head of 16 bytes, then each block behind its length."""
    if not data.startswith(_XERIAL):
        return _block(data, MOST)
    pieces, at, room = [], _XERIAL_HEAD, MOST
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        piece = _block(data[at + 4 : at + 4 + size], room)
        pieces.append(piece)
        at, room = at + 4 + size, room - len(piece)
    return b"".join(pieces)


def _block(data: bytes, room: int) -> bytes:
    """A raw block; how much it holds stands in front of it, as a varint."""
    size = shift = 0
    for byte in data[:5]:
        size |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    if size > room:
        raise ValueError(f"more than {MOST >> 20} MB in one batch")
    found: bytes = pyarrow.decompress(data, decompressed_size=size, codec="snappy", asbytes=True)
    return found


_CODEC = 0x07
ATTRIBUTES_AT = 21
_RECORDS_AT = 61
BROKEN = (KafkaError, AssertionError, ValueError, IndexError, struct.error, OverflowError)
"""What kafka-python raises for batches that are not what their head says."""


def entries(batch: Batch) -> Iterator[Any]:
    """The library's records of a batch, unpacked: they have `offset`, `timestamp`, `key` and `value`.

    Raises ValueError, AssertionError, struct.error or KafkaError for a batch that is not what its head says.
    """
    raw = batch.raw
    if batch.magic < 2:
        yield from _old_entries(batch)
        return
    attributes = int.from_bytes(raw[ATTRIBUTES_AT : ATTRIBUTES_AT + 2], "big")
    if codec := attributes & _CODEC:
        plain = (attributes & ~_CODEC).to_bytes(2, "big")
        raw = raw[:ATTRIBUTES_AT] + plain + raw[ATTRIBUTES_AT + 2 : _RECORDS_AT] + unpacked(codec, raw[_RECORDS_AT:])
    yield from DefaultRecordBatch(raw)


class _Old:
    """A message of a compressed set, with its offset in the log."""

    __slots__ = ("key", "offset", "timestamp", "value")

    def __init__(self, offset: int, found: Any) -> None:
        self.offset, self.timestamp, self.key, self.value = offset, found.timestamp, found.key, found.value


def _old_entries(batch: Batch) -> Iterator[Any]:
    """Messages of formats 0 and 1. In format 1 those of a compressed set count from its first, and it has the last's.

    Source: org.apache.kafka.common.record.AbstractLegacyRecordBatch.
    """
    raw, magic = batch.raw, batch.magic
    codec = raw[17] & _CODEC
    (message,) = LegacyRecordBatch(raw[:17] + bytes([raw[17] & ~_CODEC]) + raw[18:], magic)
    if not codec:
        yield message
        return
    inner, at = unpacked(codec, message.value or b""), 0
    messages: list[Any] = []
    while at + 12 <= len(inner):
        end = at + 12 + int.from_bytes(inner[at + 8 : at + 12], "big")
        messages += LegacyRecordBatch(inner[at:end], inner[at + 16])
        at = end
    shift = batch.base_offset - messages[-1].offset if magic == 1 and messages else 0
    for inner_message in messages:
        yield _Old(inner_message.offset + shift, inner_message)
