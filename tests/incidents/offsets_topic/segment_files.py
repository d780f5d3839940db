"""Segment files as a broker writes them: batches of any format and compression, with right checksums."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import google_crc32c
import pyarrow
from kafka.record.default_records import DefaultRecordBatchBuilder  # type: ignore[import-untyped]
from kafka.record.legacy_records import LegacyRecordBatchBuilder  # type: ignore[import-untyped]

from groupsim.incidents.offsets_topic.record import GroupRecord

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
NOW_MS = 1_795_329_491_687


@dataclass(frozen=True)
class Entry:
    """A record to write."""

    offset: int
    key: bytes | None
    value: bytes | None
    at_ms: int = NOW_MS


def text(said: str) -> bytes:
    """A string field."""
    return struct.pack(">h", len(said.encode())) + said.encode()


def commit(
    offset: int, group: str = "g", topic: str = "orders", partition: int = 0, at_ms: int = NOW_MS, committed: int = 7
) -> Entry:
    """A commit, version 3."""
    key = struct.pack(">h", 1) + text(group) + text(topic) + struct.pack(">i", partition)
    return Entry(offset, key, struct.pack(">hqi", 3, committed, 0) + text("") + struct.pack(">q", at_ms), at_ms)


def batch(
    entries: Sequence[Entry],
    codec: str = "none",
    *,
    base: int | None = None,
    producer: int = -1,
    transactional: bool = False,
    control: bool = False,
) -> bytes:
    """A batch of format 2; `base` where its first records were compacted away."""
    builder = DefaultRecordBatchBuilder(2, 0, 0, producer, 0 if producer >= 0 else -1, 0, 1 << 30)
    base = entries[0].offset if base is None else base
    for each in entries:
        builder.append(each.offset - base, timestamp=each.at_ms, key=each.key, value=each.value, headers=[])
    raw = bytearray(builder.build())
    attributes = CODECS[codec] | 0x10 * transactional | 0x20 * control
    raw[61:] = packed(bytes(raw[61:]), codec)
    struct.pack_into(">qi", raw, 0, base, len(raw) - 12)
    struct.pack_into(">h", raw, 21, attributes)
    return sealed(raw)


def sealed(raw: bytearray) -> bytes:
    """A batch of format 2 with the checksum of what it holds now."""
    struct.pack_into(">I", raw, 17, google_crc32c.value(bytes(raw[21:])))
    return bytes(raw)


def packed(data: bytes, codec: str) -> bytes:
    """Compressed as Kafka's producers do; of snappy there are two ways."""
    if codec == "none":
        return data
    if codec == "snappy":
        pieces = [data[at : at + 100] for at in range(0, len(data), 100)]
        blocks = [bytes(pyarrow.compress(piece, "snappy", asbytes=True)) for piece in pieces]
        head = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
        return head + b"".join(struct.pack(">i", len(block)) + block for block in blocks)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, codec) as out:
        out.write(data)
    return bytes(sink.getvalue().to_pybytes())


def old_messages(entries: Sequence[Entry], magic: int) -> bytes:
    """Messages of format 0 or 1, each for itself."""
    builder = LegacyRecordBatchBuilder(magic, 0, 1 << 30)
    for each in entries:
        builder.append(each.offset, timestamp=each.at_ms, key=each.key, value=each.value)
    return bytes(builder.build())


def fields(record: GroupRecord) -> tuple[object, ...]:
    """A record without the place where it was read."""
    return (
        record.offset,
        record.batch,
        record.at_ms,
        record.kind,
        record.key,
        record.value,
        record.key_version,
        record.value_version,
    )
