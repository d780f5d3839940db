"""The records in a batch, by kafka-python, unpacked within limits."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from kafka.errors import KafkaError  # type: ignore[import-untyped]
from kafka.record.default_records import DefaultRecordBatch  # type: ignore[import-untyped]
from kafka.record.legacy_records import LegacyRecordBatch  # type: ignore[import-untyped]

from groupsim.incidents.offsets_topic.batches import Batch
from groupsim.incidents.offsets_topic.codecs import unpacked

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
    found: list[Any] = []
    while at + 12 <= len(inner):
        end = at + 12 + int.from_bytes(inner[at + 8 : at + 12], "big")
        found += LegacyRecordBatch(inner[at:end], inner[at + 16])
        at = end
    shift = batch.base_offset - found[-1].offset if magic == 1 and found else 0
    for each in found:
        yield _Old(each.offset + shift, each)
