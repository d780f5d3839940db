"""Bytes of Kafka's messages, field by field.

Source: KIP-482 for compact lengths and tagged fields; org.apache.kafka.common.protocol.types for the others.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

UNKNOWN_TAG = 4_711


class Out:
    """Bytes of one message. `flexible`: compact lengths, and tags at the end of each structure.

    `later`: each structure has a tag that no version knows yet.
    """

    def __init__(self, flexible: bool, later: bool = False) -> None:
        self.data = bytearray()
        self._flexible = flexible
        self._later = later

    def number(self, form: str, value: int) -> None:
        """A number of the form that `struct` calls so."""
        self.data += struct.pack(f">{form}", value)

    def varint(self, value: int) -> None:
        """An unsigned varint."""
        while value >= 0x80:
            self.data.append(value & 0x7F | 0x80)
            value >>= 7
        self.data.append(value)

    def _length(self, form: str, length: int) -> None:
        if self._flexible:
            self.varint(length + 1)
        else:
            self.number(form, length)

    def text(self, value: str | None) -> None:
        """A string; None is null."""
        raw = b"" if value is None else value.encode()
        self._length("h", -1 if value is None else len(raw))
        self.data += raw

    def raw(self, value: bytes | None) -> None:
        """Bytes; None is null."""
        self._length("i", -1 if value is None else len(value))
        self.data += value or b""

    def base64(self, value: str | None) -> None:
        """Bytes that the fields have as base64."""
        self.raw(None if value is None else base64.b64decode(value))

    def uuid(self, value: str) -> None:
        """An id as Kafka prints it."""
        self.data += base64.urlsafe_b64decode(value + "==")

    def array(self, values: Sequence[Any], write: Callable[[Any], None]) -> None:
        """An array of anything."""
        self._length("i", len(values))
        for each in values:
            write(each)

    def numbers(self, values: Sequence[int]) -> None:
        """An array of int32."""
        self.array(values, lambda each: self.number("i", each))

    def tags(self, found: Mapping[int, Callable[[Out], None]] = {}) -> None:
        """The end of a structure, with its tagged fields."""
        if not self._flexible:
            return
        every = [*sorted(found.items()), *([(UNKNOWN_TAG, _later)] if self._later else [])]
        self.varint(len(every))
        for tag, write in every:
            inner = Out(True, self._later)
            write(inner)
            self.varint(tag)
            self.varint(len(inner.data))
            self.data += inner.data


def _later(out: Out) -> None:
    out.text("later")
