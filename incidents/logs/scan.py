"""Lines that could concern a group, found by keywords in blocks of bytes; no other line is looked at again."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.scanned_words import ERRORS, KEYWORDS, PARTITION, PARTITION_CHANGES, REVOKED, TROUBLES

BLOCK = 1 << 20
LONGEST_LINE = 16 << 20
_AHEAD = 64 << 10
_BEHIND = 8 << 10

_NO_CALLBACK = re.compile(rb"\[thrd:|artitions(?: \([a-z -]{1,40}\))?:(?:[ \t]{2}|$)")
_DOUBLED, _FEWEST = 64 << 10, 6
"""Bytes, and lines with a time in them, by which it is seen whether each stands twice."""
_TIMED = re.compile(rb"\d\d:\d\d:\d\d[.,]\d{3}|\d{10}[.\d]\d{2}")
_PIECE = 64 << 10
_TAIL = 65_536
"""Bytes of a file's end that are kept: its last line with a time says how far the log goes."""


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

    @property
    def above(self) -> bytes:
        """The line before it; empty if the buffer has none."""
        end = self._start - 1
        return b"" if end < 0 else self._buffer[self._buffer.rfind(b"\n", 0, end) + 1 : end]

    @property
    def below(self) -> bytes:
        """The line behind it; empty if the buffer has none."""
        end = self._buffer.find(b"\n", self._end + 1)
        return self._buffer[self._end + 1 : len(self._buffer) if end < 0 else end]

    def begins_doubled(self) -> bool:
        """Whether nearly all timed lines around it stand twice: two appenders, or `tee` into one file."""
        lines = [line for line in self._buffer[:_DOUBLED].split(b"\n") if _TIMED.search(line[:80])]
        return len(lines) >= _FEWEST and len(set(lines)) <= 0.55 * len(lines)

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
    """One pass over a file. `lines` counts what was read, `tail` is its end; `damage` are sentences.

    `missing`: those of them that say that lines at the end are missing.
    """

    def __init__(self, path: Path, progress: Callable[[int], None] | None = None) -> None:
        self.path = path
        self.lines = 0
        self.damage: list[str] = []
        self.missing: list[str] = []
        self.tail = b""
        self.words: tuple[bytes, ...] = TROUBLES + ERRORS
        """What is looked for beside the words of groups."""
        self._progress = progress

    def windows(self) -> Iterator[Window]:
        """The candidate lines, in order. Raises LogError if the file can't be read at all."""
        behind, fresh, number = b"", b"", 1
        for fresh_part in self._blocks():
            fresh += fresh_part
            last = not fresh_part
            cut = len(fresh) if last else fresh.rfind(b"\n", 0, max(0, len(fresh) - _AHEAD)) + 1
            if not cut:
                continue
            buffer = behind + fresh
            end = len(behind) + cut
            yield from candidates(buffer, len(behind), end, number, self.words)
            ended = buffer.count(b"\n", len(behind), end)
            number += ended
            self.lines += ended + (1 if last and not fresh.endswith(b"\n") else 0)
            self.tail = buffer[max(end - _TAIL, 0) : end]
            keep = buffer.find(b"\n", end - _BEHIND) + 1 if end > _BEHIND else 0
            behind, fresh = buffer[keep:end], fresh[cut:]

    def _blocks(self) -> Iterator[bytes]:
        """Blocks of bytes, an empty one at the end; of an over-long line only the beginning."""
        in_line = 0
        try:
            with open_log(self.path, self._progress, self._packed_badly) as stream:
                while block := stream.read(BLOCK):
                    block = block.replace(b"\x00", b"")  # UTF-16 that a Windows shell has appended to a log
                    if in_line >= LONGEST_LINE:
                        ends = block.find(b"\n")
                        if ends:
                            self._note(
                                f"{self.path} has a line longer than {LONGEST_LINE} bytes; the rest of it was left out"
                            )
                        block = block[ends:] if ends >= 0 else b""
                    start = block.rfind(b"\n") + 1
                    in_line = len(block) - start if start else in_line + len(block)
                    if block:
                        yield block
        except OSError as error:
            raise LogError(f"{self.path} can't be read: {error.strerror or error}") from None
        yield b""

    def _packed_badly(self, sentence: str) -> None:
        self._note(sentence)
        self.missing.append(sentence)

    def _note(self, sentence: str) -> None:
        if sentence not in self.damage:
            self.damage.append(sentence)


@contextmanager
def open_log(
    path: Path, progress: Callable[[int], None] | None = None, damaged: Callable[[str], None] = lambda _: None
) -> Iterator[IO[bytes]]:
    """A log's bytes: unpacked where it is packed, as UTF-8 where it is UTF-16. Raises LogError for a folder.

    A gzip file that is damaged ends where the damage is, with a sentence to `damaged`.
    """
    if path.is_dir():
        raise LogError(f"{path} is a folder, not a log")
    with path.open("rb") as raw:
        magic = raw.read(64)
        raw.seek(0)
        counted = cast(IO[bytes], raw if progress is None else _Counted(raw, progress))
        if magic[:3] == b"\x1f\x8b\x08":
            with gzip.GzipFile(fileobj=counted, mode="rb") as unpacked:
                yield cast(IO[bytes], _Unpacked(path, unpacked, damaged))
        elif (wide := _wide(magic)) is not None:
            yield cast(IO[bytes], _Recoded(counted, wide))
        else:
            yield counted


def _wide(magic: bytes) -> str | None:
    """Which UTF-16 a file begins in, if any: by its mark, or because every other byte is NUL."""
    for mark, name, low in ((b"\xff\xfe", "utf-16-le", 2), (b"\xfe\xff", "utf-16-be", 3)):
        if magic.startswith(mark) and len(magic) > 3 and magic[low] and not magic[5 - low]:
            return name
    even, odd = magic[0::2], magic[1::2]
    if len(magic) >= 16 and not any(odd) and all(even):
        return "utf-16-le"
    return "utf-16-be" if len(magic) >= 16 and not any(even) and all(odd) else None


class _Unpacked:
    """A gzip file's bytes, as far as they can be unpacked."""

    def __init__(self, path: Path, unpacked: gzip.GzipFile, damaged: Callable[[str], None]) -> None:
        self._path, self._unpacked, self._damaged = path, unpacked, damaged
        self._ended = False

    def read(self, size: int) -> bytes:
        """`size` bytes, fewer at the end."""
        pieces: list[bytes] = []
        wanted = size
        while wanted > 0 and (piece := self._piece(min(wanted, _PIECE))):
            pieces.append(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        """What one step unpacks: an error takes none of the bytes that came before it."""
        if self._ended:
            return b""
        try:
            return self._unpacked.read1(size)
        except EOFError:
            why = "the gzip file ends before its end; its last lines are missing"
        except (zlib.error, gzip.BadGzipFile) as error:
            why = f"the gzip file is not what was packed ({error}); what came before was read"
        self._ended = True
        self._damaged(f"{self._path} is damaged: {why}")
        return b""


class _Recoded:
    """UTF-16, as Windows shells write it to a file, read as UTF-8."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder(name)("replace")

    def read(self, size: int) -> bytes:
        """About `size` bytes, none at the end."""
        data = self._stream.read(size)
        return self._decode.decode(data, final=not data).encode("utf-8", "replace")


class _Counted:
    """A stream that reports how many bytes were taken from the file (of a compressed file: compressed bytes)."""

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


def candidates(buffer: bytes, begin: int, end: int, number: int, words: Iterable[bytes] = TROUBLES) -> Iterator[Window]:
    """The lines with a keyword between two places of a buffer, where lines begin; the first is line `number`."""
    starts: list[int] = []
    others = _others(KEYWORDS, buffer, [(begin, end)], starts)
    others = _others([PARTITION], buffer, others, starts, _changes_partitions)
    others = _others(REVOKED, buffer, others, starts, _no_callback)
    if starts or number == 1:
        _others(words, buffer, others, starts)
    seen = begin
    for start in sorted(starts):
        number += buffer.count(b"\n", seen, start)
        seen = start
        yield Window(buffer, start, number)


def _no_callback(line: bytes) -> bool:
    return _NO_CALLBACK.search(line) is None


def _changes_partitions(line: bytes) -> bool:
    return PARTITION_CHANGES.search(line) is not None and _no_callback(line)


def _others(
    words: Iterable[bytes],
    buffer: bytes,
    stretches: list[tuple[int, int]],
    starts: list[int],
    fits: Callable[[bytes], bool] | None = None,
) -> list[tuple[int, int]]:
    """Adds to `starts` where the lines of some stretches begin that have one of the words, and that `fits`.

    Returns the stretches between those lines: a line that was found is not searched for the next word.
    """
    for word in words:
        others: list[tuple[int, int]] = []
        for begin, end in stretches:
            at = buffer.find(word, begin, end)
            searched = begin
            while at >= 0:
                start = buffer.rfind(b"\n", searched, at) + 1 or searched
                after = buffer.find(b"\n", at, end)
                searched = end if after < 0 else after + 1
                if fits is None or fits(buffer[start:searched].rstrip(b"\n")):
                    starts.append(start)
                    if begin < start:
                        others.append((begin, start))
                    begin = searched
                at = buffer.find(word, searched, end)
            if begin < end:
                others.append((begin, end))
        stretches = others
    return stretches
