"""The record batches of a segment file, one by one: found by their checksums, damage between them left out.

Source: org.apache.kafka.common.record (FileRecords, DefaultRecordBatch). Offset and length stand in front of a batch in
all formats, the format's number ("magic") 16 bytes after its beginning.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import google_crc32c

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.scan import open_log

LONGEST = 64 << 20
"""The longest batch that is read, bytes."""
CHUNK = 1 << 20
_FRONT = struct.Struct(">qi4xb")
_LENGTH_AT = 12
_SHORTEST = {0: 14, 1: 22, 2: 49}
"""Bytes after the length, of a batch without records (v2) or a message without key and value, by format."""
_NEXT = re.compile(rb"\x00\x00.{6}[\x00-\x03].{7}[\x01\x02]", re.S)
"""How a batch begins: an offset below 2^48, a length below LONGEST, its format."""
_NAMED = 10
"""How many damaged places of a file are named."""
_CHECKED_MOST = 256 << 20
"""Bytes of claimed batches whose checksums are computed after damage, beside four times what was read."""


class Batch(NamedTuple):
    """A batch whose checksum is right."""

    raw: bytes
    position: int
    """Where it begins in the file (unpacked, if the file is packed)."""
    magic: int
    """2; or 0 or 1 for a message set of a Kafka before 0.11."""
    base_offset: int


class BatchReader:
    """The batches of one segment file, in its order and in constant memory; `damage` are sentences afterwards.

    `without`: what the file holds if it has no batch, said of it. Raises LogError if the file can't be opened.
    """

    def __init__(self, path: Path, *, name: str | None = None, progress: Callable[[int], None] | None = None) -> None:
        self.name = name or str(path)
        self.damage: list[str] = []
        self.without: str | None = None
        self._path = path
        self._progress = progress
        self._checked = self._left_out = 0

    def __iter__(self) -> Iterator[Batch]:
        try:
            with open_log(self._path, self._progress, self.damage.append) as stream:
                yield from self._batches(_Window(stream))
            if self._left_out > _NAMED:
                self.damage.append(f"{self.name} is damaged at {self._left_out - _NAMED:,} more places")
        except OSError as error:
            raise LogError(f"{self._path} can't be read: {error.strerror or error}") from None

    def _batches(self, window: _Window) -> Iterator[Batch]:
        self.without = "is empty (0 bytes); copy it again"
        while window.fill(1):
            batch = _batch_at(window)
            if batch is None:
                batch = self._after_damage(window)
                if batch is None:
                    return
            self.without = None
            yield batch
            window.at += len(batch.raw)

    def _after_damage(self, window: _Window) -> Batch | None:
        """The next batch behind bytes that are none; None at the end. What was left out becomes a sentence."""
        begin, length = window.position, _length(window)
        cut = length is not None and not window.fill(length)
        if length is not None and not cut and (batch := _batch_at(window, length)) is not None:
            window.at += length
            return self._leave_out(begin, batch)
        if _only_zeros(window):
            if self.without is not None:
                self.without = "holds nothing but zeros: room that Kafka reserved; take the segments before it, too"
            return None
        for claimed in _candidates(window):
            if not window.fill(claimed):
                continue
            self._checked += claimed
            if self._checked > _CHECKED_MOST + 4 * window.position:
                self.damage.append(f"{self.name} is damaged from position {begin:,} on; the rest was not read")
                return None
            if (batch := _batch_at(window)) is not None:
                return self._leave_out(begin, batch)
        size = window.position + len(window.data) - window.at - begin
        if self.without is not None:
            self.without = (
                f"ends after {size:,} bytes, in the middle of its first record batch; copy the whole segment"
                if cut
                else f"holds no record batch of Kafka in its {size:,} bytes: it is damaged, or no segment"
            )
            return None
        why = "it ends in the middle of a batch" if cut else f"its last {size:,} bytes hold no batch"
        self.damage.append(f"{self.name} is damaged from position {begin:,} on: {why}")
        return None

    def _leave_out(self, begin: int, batch: Batch) -> Batch:
        size = batch.position - begin
        self._left_out += 1
        if self._left_out <= _NAMED:
            self.damage.append(f"{self.name} is damaged at position {begin:,}: {size:,} bytes are left out")
        return batch


def _candidates(window: _Window) -> Iterator[int]:
    """Moves the window to each place where a batch could begin; gives the length that is claimed there."""
    while True:
        found = _NEXT.search(window.data, window.at)
        if found is not None:
            window.at = found.start()
            if (length := _length(window)) is not None:
                yield length
            window.at += 1
            continue
        window.at = max(window.at, len(window.data) - _FRONT.size + 1)
        if not window.more():
            return


def _only_zeros(window: _Window) -> bool:
    """Whether nothing but zeros follows; else the window is moved to shortly before what is none."""
    while window.fill(1):
        rest = window.data[window.at :].lstrip(b"\0")
        if rest:
            window.at = max(window.at, len(window.data) - len(rest) - _FRONT.size)
            return False
        window.at = max(window.at, len(window.data) - _FRONT.size)
        if not window.more():
            return True
    return True


def is_segment(begin: bytes) -> bool:
    """Whether a file that begins so is a segment: by its first batch, which may be damaged if it is of format 2."""
    window = _Window(None, begin)
    length = _length(window)
    return length is not None and (begin[16] == 2 or length > len(begin) or _batch_at(window) is not None)


class _Window:
    """A part of the file: `at` is the place in `data`."""

    def __init__(self, stream: IO[bytes] | None, data: bytes = b"") -> None:
        self.data = data
        self.at = 0
        self._stream = stream
        self._before = 0

    @property
    def position(self) -> int:
        """Of `at`, in the file."""
        return self._before + self.at

    def fill(self, size: int) -> bool:
        """Whether there are so many bytes from `at` on; reads them if they are not there yet."""
        while len(self.data) - self.at < size:
            if not self.more(size - (len(self.data) - self.at)):
                return False
        return True

    def more(self, size: int = 0) -> bool:
        """Reads on; false at the end."""
        block = self._stream.read(max(CHUNK, size)) if self._stream is not None else b""
        if not block:
            self._stream = None
            return False
        self._before += self.at
        self.data = self.data[self.at :] + block
        self.at = 0
        return True


def _length(window: _Window, ahead: int = 0) -> int | None:
    """The whole length that a batch claims so far ahead of the window's place; None if none can begin there."""
    if not window.fill(ahead + _FRONT.size):
        return None
    offset, length, magic = _FRONT.unpack_from(window.data, window.at + ahead)
    if offset < 0 or not _SHORTEST.get(magic, LONGEST) <= length < LONGEST:
        return None
    return int(length) + _LENGTH_AT


def _batch_at(window: _Window, ahead: int = 0) -> Batch | None:
    """The batch so far ahead of the window's place, if there is one and its checksum is right."""
    length = _length(window, ahead)
    if length is None or not window.fill(ahead + length):
        return None
    at = window.at + ahead
    raw = window.data[at : at + length]
    magic = raw[16]
    if magic == 2:
        right = google_crc32c.value(raw[21:]) == int.from_bytes(raw[17:21], "big")
    else:
        right = zlib.crc32(raw[16:]) == int.from_bytes(raw[12:16], "big")
    return Batch(raw, window.position + ahead, magic, int.from_bytes(raw[:8], "big")) if right else None
