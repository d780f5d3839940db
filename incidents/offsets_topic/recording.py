"""The file that `groupsim record` writes: JSON Lines, a head and then each record as the topic has it.

Keys and values are kept as they came (base64), so that what is not known yet can be read later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.scan import open_log
from groupsim.incidents.offsets_topic.record import GroupRecord

_BLOCK = 1 << 20
_LONGEST_LINE = 32 << 20
_BEGIN = b'{"recording_of":"__consumer_offsets"'


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first line."""

    recording_of: str = "__consumer_offsets"
    version: int = 1
    groups: tuple[str, ...]
    partitions: int
    """Of the topic: they say where the groups are."""


class Line(msgspec.Struct, frozen=True):
    """A record."""

    partition: int
    offset: int
    timestamp: int
    """Milliseconds since 1970; negative if the record has none."""
    key: bytes | None
    value: bytes | None


HEAD, LINE = msgspec.json.Decoder(Head), msgspec.json.Decoder(Line)
"""Strict decoders of both."""


def is_recording(begin: bytes) -> bool:
    """Whether a file that begins so is a recording."""
    return begin.startswith(_BEGIN)


class RecordingReader:
    """The records of one recording, in its order; iterate once.

    Records that stand together and have the same time are taken for one batch: a consumer does not see batches.
    Afterwards `unknown` counts by name what was not decoded, `damage` has sentences, `without` says so of
    a recording without records. Raises LogError if the file can't be opened.
    """

    def __init__(
        self,
        path: Path,
        *,
        groups: frozenset[str] = frozenset(),
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.unknown: Counter[str] = Counter()
        self.damage: list[str] = []
        self.without: dict[str, str] = {}
        self._path = path
        self._groups = groups
        self._progress = progress

    def __iter__(self) -> Iterator[GroupRecord]:
        from groupsim.incidents.offsets_topic.segments import RecordDecoder

        decoder = RecordDecoder(self.unknown, self._groups)
        batch: dict[int, tuple[int, int, int]] = {}
        broken = lines = 0
        for number, text in self._texts():
            lines += 1
            try:
                line = LINE.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                broken += number > 1
                continue
            base, last, at = batch.get(line.partition, (line.offset, line.offset - 1, line.timestamp))
            if line.offset <= last:
                self.unknown["a record that stands twice in the recording"] += 1
                continue
            if line.offset != last + 1 or line.timestamp != at:
                base = line.offset
            batch[line.partition] = base, line.offset, line.timestamp
            at_ms = None if line.timestamp < 0 else line.timestamp
            made = decoder.record(line.offset, base, at_ms, line.key, line.value, f"{self._path}:{number}")
            if made is not None:
                yield made
        if broken:
            self.damage.append(f"{self._path}: {broken:,} lines are damaged and were left out")
        if lines < 2:
            self.without[str(self._path)] = "is a recording without records: the topic had none of its groups"

    def _texts(self) -> Iterator[tuple[int, bytes]]:
        """The lines with their numbers; of an over-long line only the beginning."""
        rest, number = b"", 0
        try:
            with open_log(self._path, self._progress, self.damage.append) as stream:
                while block := stream.read(_BLOCK):
                    if len(rest) >= _LONGEST_LINE and b"\n" not in block:
                        continue
                    *whole, rest = (rest + block).split(b"\n")
                    for line in whole:
                        number += 1
                        yield number, line
        except OSError as error:
            raise LogError(f"{self._path} can't be read: {error.strerror or error}") from None
        if rest:
            yield number + 1, rest


def head_line(head: Head) -> bytes:
    """The first line of a recording."""
    return msgspec.json.encode(head) + b"\n"


def record_line(line: Line) -> bytes:
    """The line of one record."""
    return msgspec.json.encode(line) + b"\n"


def continued(path: Path, head: Head) -> dict[int, int]:
    """The last offset of each partition in a recording that is to be continued; nothing if there is none.

    Half a line at its end, of a process that was killed, is removed. Raises LogError for a file that is no recording,
    or of other groups or another topic.
    """
    if not path.exists() or not path.stat().st_size:
        return {}
    last: dict[int, int] = {}
    try:
        with path.open("r+b") as file:
            first, end = file.readline(_LONGEST_LINE), 0
            if not first.endswith(b"\n") and head_line(head).startswith(first):
                file.truncate(0)
                return {}
            if HEAD.decode(first) != head:
                raise LogError(f"{path} is a recording of other groups, or of a topic with other partitions")
            end = len(first)
            for line in iter(lambda: file.readline(_LONGEST_LINE), b""):
                if not line.endswith(b"\n"):
                    break
                found = LINE.decode(line)
                last[found.partition] = max(found.offset, last.get(found.partition, -1))
                end += len(line)
            file.truncate(end)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise LogError(f"{path} is no recording that could be continued; name another file") from None
    except OSError as error:
        raise LogError(f"{path} can't be written: {error.strerror or error}") from None
    return last
