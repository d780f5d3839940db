"""TopicReader: any files that hold records of `__consumer_offsets`, each by its own reader, as one sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from groupsim.events.extras import needing
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.scan import open_log
from groupsim.incidents.offsets_topic.dump import DumpReader, is_dump
from groupsim.incidents.offsets_topic.formatters import FormatterReader, is_formatted
from groupsim.incidents.offsets_topic.record import GroupRecord
from groupsim.incidents.offsets_topic.recording import RecordingReader, is_recording
from groupsim.wording.numbers import counted

_BEGIN = 64 << 10
_NAMED = 20
"""How many kinds of records are named that could not be used."""


class Form(StrEnum):
    """How a file holds records of the topic."""

    SEGMENT = "segment"
    DUMP = "dump"
    FORMATTED = "formatted"
    RECORDING = "recording"


TopicFiles = Sequence[tuple[Path, Form]]
"""Files that hold records of the topic, and how."""


class Found(NamedTuple):
    """What some files are: those of the topic, those of another topic, those beside segments, and all others."""

    topic: tuple[tuple[Path, Form], ...]
    other_topics: tuple[Path, ...]
    beside: tuple[Path, ...]
    others: tuple[Path, ...]

    def left_out(self) -> dict[str, str]:
        """Why files are not read at all, said of the file."""
        found = {
            str(path): f"is a segment of {path.parent.name}, by its folder's name; those of __consumer_offsets are read"
            for path in self.other_topics
        }
        return found | {str(path): "is kept by Kafka beside its segments, and not needed" for path in self.beside}


class _Reader(Protocol):
    unknown: Counter[str]
    damage: list[str]
    without: dict[str, str]

    def __iter__(self) -> Iterator[GroupRecord]: ...


def form_of(path: Path) -> Form | None:
    """How a file holds records of `__consumer_offsets`; None if it does not. Raises LogError if it can't be opened."""
    try:
        with open_log(path) as stream:
            begin = stream.read(_BEGIN)
    except OSError as error:
        raise LogError(f"{path} can't be read: {error.strerror or error}") from None
    if _is_segment(path, begin):
        return Form.SEGMENT
    for form, fits in ((Form.RECORDING, is_recording), (Form.DUMP, is_dump), (Form.FORMATTED, is_formatted)):
        if fits(begin):
            return form
    return None


def sort_out(paths: Iterable[Path]) -> Found:
    """Which files hold records of the topic."""
    from groupsim.incidents.offsets_topic.partitions import of_another_topic

    paths = list(paths)
    forms = [form_of(path) for path in paths]
    segments = {path.parent for path, form in zip(paths, forms, strict=True) if form is Form.SEGMENT}
    topic: list[tuple[Path, Form]] = []
    other_topics: list[Path] = []
    beside: list[Path] = []
    others: list[Path] = []
    for path, form in zip(paths, forms, strict=True):
        if form is Form.SEGMENT and of_another_topic(path):
            other_topics.append(path)
        elif form is not None:
            topic.append((path, form))
        else:
            (beside if path.parent in segments and _beside_segments(path) else others).append(path)
    return Found(tuple(topic), tuple(other_topics), tuple(beside), tuple(others))


class TopicReader:
    """The records of files, file by file, those of segments partition by partition; iterate once.

    `groups`: only of these (all, if none is named). Afterwards `records` counts what was given by kind, `unknown` what
    was not decoded (by its name), `damage` has sentences about what could not be read, and `without` says of files
    without any record what they hold. Raises LogError if a file can't be opened, or has no group records because of how
    it was printed.
    """

    def __init__(
        self,
        files: Sequence[tuple[Path, Form]],
        *,
        groups: frozenset[str] = frozenset(),
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.records: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()
        self.damage: list[str] = []
        self.without: dict[str, str] = {}
        self._groups = groups
        self._readers: list[_Reader] = []
        segments = [path for path, form in files if form is Form.SEGMENT]
        if segments:
            from groupsim.incidents.offsets_topic.partitions import PartitionsReader

            self._readers.append(PartitionsReader(segments, groups=groups, progress=progress))
        if formatted := [path for path, form in files if form is Form.FORMATTED]:
            self._readers.append(FormatterReader(formatted, groups=groups, progress=progress))
        for path, form in files:
            if form is Form.DUMP:
                self._readers.append(DumpReader(path, progress=progress))
            elif form is Form.RECORDING:
                self._readers.append(RecordingReader(path, groups=groups, progress=progress))

    def __iter__(self) -> Iterator[GroupRecord]:
        groups, records = self._groups, self.records
        for reader in self._readers:
            for record in reader:
                if not groups or record.key.get("groupId", record.key.get("group")) in groups:
                    records[record.kind] += 1
                    yield record
            self.unknown += reader.unknown
            self.damage += reader.damage
            self.without |= reader.without

    def notes(self) -> list[str]:
        """Sentences on what was not decoded, once it was read."""
        if not self.unknown:
            return []
        most = sorted(self.unknown.most_common(_NAMED))
        named = ", ".join(f"{count:,} × {name}" for name, count in most)
        if len(self.unknown) > _NAMED:
            named += f", and {len(self.unknown) - _NAMED:,} other kinds"
        return [f"{counted(sum(self.unknown.values()), 'record')} of __consumer_offsets could not be used: {named}"]


def _is_segment(path: Path, begin: bytes) -> bool:
    """By its content; a damaged one by its name, if it is no text."""
    from groupsim.incidents.offsets_topic.partitions import named_as_segment

    if not begin or begin[0] & 0x80:
        return named_as_segment(path)
    if begin[:2] == b"\0\0":
        with needing("offsets"):
            from groupsim.incidents.offsets_topic.batches import is_segment
        if is_segment(begin):
            return True
    return named_as_segment(path) and b"\0" in begin


def _beside_segments(path: Path) -> bool:
    """Whether Kafka keeps such a file beside its segments."""
    return path.name in ("leader-epoch-checkpoint", "partition.metadata") or path.suffix in (
        ".index",
        ".timeindex",
        ".txnindex",
        ".snapshot",
        ".checkpoint",
    )
