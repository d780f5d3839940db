"""Lines that could concern a group, found in blocks of bytes: what concerns none is never looked at twice."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from incidents.errors import LogError

BLOCK = 1 << 20
LONGEST_LINE = 16 << 20
_AHEAD = 64 << 10
_BEHIND = 8 << 10

WORDS = (
    b"roup",
    b"ebalanc",
    b"oordinator",
    b"eartbeat",
    b"offset for partition",
    b"subscription to ",
    b"subscribed topics",
    b"ommit failed",
    b"poll timeout has expired",
    b"rdk",
    b"[KafkaServer id=",
    b"[KafkaRaftServer ",
    b"[BrokerServer id=",
)
"""At least one of these stands in every line that any wording knows."""


class Window:
    """A line that could concern a group, with the lines around it. `number` is 1-based."""

    __slots__ = ("_buffer", "_end", "_start", "number")

    def __init__(self, buffer: bytes, start: int, number: int) -> None:
        self._buffer = buffer
        self._start = start
        end = buffer.find(b"\n", start)
        self._end = len(buffer) if end < 0 else end
        self.number = number

    @property
    def line(self) -> bytes:
        """The line itself."""
        return self._buffer[self._start : self._end]

    def following(self, most: int) -> Iterator[bytes]:
        """Up to `most` lines after it, as far as the buffer goes."""
        start = self._end + 1
        for _ in range(most):
            if start >= len(self._buffer):
                return
            end = self._buffer.find(b"\n", start)
            end = len(self._buffer) if end < 0 else end
            yield self._buffer[start:end]
            start = end + 1

    def preceding(self, most: int) -> Iterator[bytes]:
        """Up to `most` lines before it, nearest first."""
        end = self._start - 1
        for _ in range(most):
            if end < 0:
                return
            start = self._buffer.rfind(b"\n", 0, end) + 1
            yield self._buffer[start:end]
            end = start - 1


class Scan:
    """One pass over a file. `lines` counts what was read; `troubles` says in sentences what was damaged."""

    def __init__(self, path: Path, progress: Callable[[int], None] | None = None) -> None:
        self.path = path
        self.lines = 0
        self.troubles: list[str] = []
        self._progress = progress

    def windows(self) -> Iterator[Window]:
        """The candidate lines, in order. Raises LogError if the file can't be read at all."""
        behind, fresh, number = b"", b"", 1
        for block, last in self._blocks():
            fresh += block
            cut = len(fresh) if last else fresh.rfind(b"\n", 0, max(0, len(fresh) - _AHEAD)) + 1
            if not cut:
                continue
            buffer = behind + fresh
            yield from _candidates(buffer, len(behind), len(behind) + cut, number)
            ended = buffer.count(b"\n", len(behind), len(behind) + cut)
            number += ended
            self.lines += ended + (1 if last and cut and fresh[-1:] != b"\n" else 0)
            keep = max(0, len(behind) + cut - _BEHIND)
            keep = 0 if keep == 0 else buffer.find(b"\n", keep) + 1
            behind, fresh = buffer[keep : len(behind) + cut], fresh[cut:]

    def _blocks(self) -> Iterator[tuple[bytes, bool]]:
        """Blocks of bytes and whether they are the last; over-long lines are cut, damaged ends end the file."""
        in_line = 0
        try:
            with _open(self.path, self._progress) as stream:
                while True:
                    block = self._read(stream)
                    newline = block.rfind(b"\n")
                    if in_line > LONGEST_LINE and block:
                        first = block.find(b"\n")
                        block = b"" if first < 0 else block[first:]
                    in_line = in_line + len(block) if newline < 0 else len(block) - newline - 1
                    if newline < 0 and in_line > LONGEST_LINE:
                        self._note(
                            f"{self.path} has a line longer than {LONGEST_LINE >> 20} MiB; the rest of it was left out"
                        )
                        in_line = LONGEST_LINE + 1
                    yield block, not block and newline < 0
                    if not block and newline < 0:
                        return
        except OSError as error:
            raise LogError(f"{self.path} can't be read: {error.strerror or error}") from None

    def _read(self, stream: IO[bytes]) -> bytes:
        try:
            return stream.read(BLOCK)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self._note(f"{self.path} is damaged after about {self.lines} lines ({error}); what came before was read")
            return b""

    def _note(self, trouble: str) -> None:
        if trouble not in self.troubles:
            self.troubles.append(trouble)


def _open(path: Path, progress: Callable[[int], None] | None) -> IO[bytes]:
    if path.is_dir():
        raise LogError(f"{path} is a folder, not a log")
    raw = path.open("rb")
    magic = raw.read(2)
    raw.seek(0)
    counted = raw if progress is None else _Counted(raw, progress)
    if magic == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=counted, mode="rb")  # type: ignore[return-value,arg-type]
    return counted  # type: ignore[return-value]


class _Counted:
    """A stream that says how many bytes were taken from the file (compressed ones count as they lie on disk)."""

    def __init__(self, raw: IO[bytes], progress: Callable[[int], None]) -> None:
        self._raw = raw
        self._progress = progress

    def read(self, size: int = -1) -> bytes:
        """Read and report."""
        data = self._raw.read(size)
        self._progress(len(data))
        return data

    def __getattr__(self, name: str) -> object:
        return getattr(self._raw, name)

    def __enter__(self) -> _Counted:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()


def _candidates(buffer: bytes, begin: int, end: int, number: int) -> Iterator[Window]:
    starts: set[int] = set()
    for word in WORDS:
        at = buffer.find(word, begin, end)
        while at >= 0:
            starts.add(buffer.rfind(b"\n", 0, at) + 1)
            after = buffer.find(b"\n", at)
            at = -1 if after < 0 else buffer.find(word, after, end)
    seen = begin
    for start in sorted(starts):
        number += buffer.count(b"\n", seen, start)
        seen = start
        if start >= begin:
            yield Window(buffer, start, number)
