"""The entries of a journal export (systemd's Journal Export Format): `KEY=value` lines, or a key and counted bytes.

Memory is bounded by the longest entry that is kept, not by the export.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO

from groupsim.incidents.exports.find_records import Record
from groupsim.incidents.exports.relevant import LONGEST, names_groups, relevant

_BLOCK = 1 << 20
_LENGTH = 8
"""Bytes that say how many follow, the lowest first."""


class _Bytes:
    """A stream of which lines and counted bytes are taken; of what is longer than LONGEST, only the beginning."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._data, self._at = b"", 0

    def _fill(self) -> bool:
        block = self._stream.read(_BLOCK)
        self._data, self._at = self._data[self._at :] + block, 0
        return bool(block)

    def line(self) -> bytes | None:
        """The next line without its end; None at the end of the stream."""
        begin, searched = b"", 0
        while (end := self._data.find(b"\n", self._at + searched)) < 0:
            searched = len(self._data) - self._at
            if searched > LONGEST:
                begin, self._data, self._at, searched = begin or self._data[self._at :], b"", 0, 0
            if not self._fill():
                end = len(self._data)
                if not begin and self._at == end:
                    return None
                break
        found, self._at = begin or self._data[self._at : end], end + 1
        return found[:LONGEST]

    def counted(self, size: int) -> bytes | None:
        """The next `size` bytes; None if there are fewer."""
        kept = min(size, LONGEST)
        while len(self._data) - self._at < kept:
            if not self._fill():
                return None
        found = self._data[self._at : self._at + kept]
        self._at += kept
        left = size - kept
        while left > 0:
            here = min(left, len(self._data) - self._at)
            self._at += here
            left -= here
            if left and not self._fill():
                return None
        return found


def entries(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[tuple[int, Record]]:
    """The entries near those that concern groups, with their numbers from 1. What is damaged ends them."""
    return relevant(enumerate(_entries(_Bytes(stream), trouble), 1), lambda each: names_groups(each[1]))


def _entries(data: _Bytes, trouble: Callable[[str], None]) -> Iterator[Record]:
    entry: Record = {}
    while (line := data.line()) is not None:
        if not line:
            if entry:
                yield entry
            entry = {}
        elif b"=" in line:
            key, _, rest = line.partition(b"=")
            entry[key.decode("utf-8", "replace")] = rest.decode("utf-8", "replace")
        else:
            size = data.counted(_LENGTH)
            value = None if size is None else data.counted(int.from_bytes(size, "little"))
            if value is None:
                trouble("the journal export breaks off; what came before was read")
                break
            entry[line.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
            data.line()
    if entry:
        yield entry
