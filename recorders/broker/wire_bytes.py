"""The smallest pieces of Kafka's wire protocol: numbers, lengths, tagged fields."""

from __future__ import annotations

import struct
from typing import Any


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
