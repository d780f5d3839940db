"""What the console consumer prints of `__consumer_offsets`: JSON since Kafka 3.9, lines of text before.

Source: org.apache.kafka.tools.consumer.{OffsetsMessageFormatter, GroupMetadataMessageFormatter}, which print neither
offsets nor times of records, and no line ends between them; GroupMetadataManager's formatters of the same names before.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.scan import open_log
from groupsim.incidents.offsets_topic.decode import opened
from groupsim.incidents.offsets_topic.record import KINDS, LATEST_MS, GroupRecord, own_time
from groupsim.incidents.offsets_topic.schemas import OTHERS, VALUES

LONGEST = 16 << 20
"""Of a longer record the rest is left out, bytes."""
SORTED_MOST = 1_000_000
"""The most records of several files, which are sorted in memory."""
_BLOCK = 1 << 20
_JSON_BEGIN = re.compile(rb'(?m)^\s{0,20}\{\s{0,20}"key"\s{0,4}:\s{0,4}\{\s{0,20}"(?:type|version)"\s{0,4}:')
_JSON = re.compile(rb'\{\s{0,20}"key"\s{0,4}:\s{0,4}\{\s{0,20}"(?:type|version)"\s{0,4}:')
_LINE = re.compile(rb"(?m)^(?=[^\n])")
_TEXT = re.compile(
    rb"(?m)^(?:\[[^\n]{1,900}\]::(?:OffsetAndMetadata\(|\[OffsetMetadata\[|NULL)|[^\n]{1,400}::GroupMeta)"
)
_OFFSET = re.compile(r"(?:OffsetAndMetadata\(offset=|\[OffsetMetadata\[)(\d{1,18})")
_EPOCH = re.compile(r"leaderEpoch=Optional\[(\d{1,9})\]")
_METADATA = re.compile(r"(?<=, metadata=)(.{0,4096}), commitTimestamp=|(?<=,)(.{0,4096})\],CommitTime ")
_TIME = re.compile(r"(?:commitTimestamp=|CommitTime )(\d{1,15})")
_PARTITION = re.compile(r"\d{1,9}")
_NO_METADATA, _NULL = "NO_METADATA", "::NULL"
_LONGEST_LINE = 16_384
_DECODER = json.JSONDecoder()
_Parts = tuple[int, Mapping[str, object], int | None, Mapping[str, object] | None]
"""Type, key, version of the value, value."""


def is_formatted(begin: bytes) -> bool:
    """Whether a file that begins so was printed by one of the formatters."""
    return _JSON_BEGIN.search(begin) is not None or _TEXT.search(begin) is not None


class _Left(ValueError):
    """Why a record was left out: a name to count it by."""


class FormatterReader:
    """The records of the formatters' output; iterate once. Those of several files are sorted by time.

    `offset` numbers the records, because none is printed; `at_ms` is the time in the value, that of a tombstone the
    last one of its group. Afterwards `unknown` counts by name what could not be used, and `damage` has sentences.
    Raises LogError if a file can't be opened, and for more than SORTED_MOST records of several files.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        groups: frozenset[str] = frozenset(),
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.unknown: Counter[str] = Counter()
        self.damage: list[str] = []
        self.without: dict[str, str] = {}
        self._paths = paths
        self._groups = groups
        self._progress = progress
        self._last: dict[str, int] = {}

    def __iter__(self) -> Iterator[GroupRecord]:
        parsed: Iterator[tuple[int, _Parts, str]] = (
            line_parts for path in self._paths for line_parts in self._of(path)
        )
        if len(self._paths) > 1:
            held = []
            for line_parts in parsed:
                held.append(line_parts)
                if len(held) > SORTED_MOST:
                    raise LogError(f"{line_parts[2]}: more than {SORTED_MOST:,} records; choose groups with --group")
            parsed = iter(sorted(held, key=lambda line_parts: line_parts[0]))
        for number, (at_ms, (kind, key, version, value), place) in enumerate(parsed):
            yield GroupRecord(number, number, at_ms, KINDS[kind], key, value, kind, version, place)

    def _of(self, path: Path) -> Iterator[tuple[int, _Parts, str]]:
        for position, text in self._texts(path):
            try:
                parts = _parts(text)
                if parts is None:
                    continue
                _, key, _, value = parts
                group = str(key.get("groupId", key.get("group")))
                if self._groups and group not in self._groups:
                    continue
                at_ms = own_time(value, self._last.get(group, 0))
                if not at_ms:
                    raise _Left("a record without a time")
            except _Left as why:
                self.unknown[str(why)] += 1
            except (ValueError, RecursionError):
                self.unknown["a record that can't be read"] += 1
            else:
                self._last[group] = at_ms
                yield at_ms, parts, f"{path}:{position}"

    def _texts(self, path: Path) -> Iterator[tuple[int, str]]:
        """The records' texts with their positions, in constant memory."""
        held, begin, mark = b"", 0, None
        try:
            with open_log(path, self._progress, self.damage.append) as stream:
                while block := stream.read(_BLOCK):
                    held += block
                    mark = mark or (_JSON if _JSON.search(held) else _LINE)
                    starts = [each.start() for each in mark.finditer(held)]
                    for start, end in pairwise(starts):
                        yield begin + start, held[start:end].decode("utf-8", "replace")
                    if starts:
                        held, begin = held[starts[-1] :], begin + starts[-1]
                    if len(held) > LONGEST:
                        self.unknown["a record of more than 16 MB"] += 1
                        held, begin = b"", begin + len(held)
        except OSError as error:
            raise LogError(f"{path} can't be read: {error.strerror or error}") from None
        if held:
            yield begin, held.decode("utf-8", "replace")


def _parts(text: str) -> _Parts | None:
    """What a record's text says; None for a line that is no record. Raises ValueError, of which _Left has a reason."""
    if not text.startswith("{"):
        return _of_line(text[:_LONGEST_LINE].rstrip("\r\n"))
    found: Any = _DECODER.raw_decode(text)[0]
    key, value = found["key"], found.get("value")
    kind = _number(key.get("type", key.get("version")))
    if kind not in KINDS:
        raise _Left(f"{OTHERS[kind]} records" if kind in OTHERS else f"record type {kind}")
    if not isinstance(key.get("data"), dict):
        raise _Left(f"a key of type {kind} that the formatter did not know")
    if value is None:
        return kind, key["data"], None, None
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        raise _Left(f"a value of type {kind} that the formatter did not know")
    version = _number(value.get("version"))
    if version > VALUES[kind].newest:
        raise _Left(f"version {version} of the value of type {kind}")
    return kind, key["data"], version, opened(kind, value["data"])


def _number(found: object) -> int:
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    if isinstance(found, str) and found.isdecimal() and len(found) < 6:
        return int(found)
    raise ValueError("no number")


def _of_line(line: str) -> _Parts | None:
    """A line of Kafka before 3.9. Of generations it has neither times nor assignments."""
    if "::GroupMetadata(" in line:
        raise _Left("a generation as Kafka printed it before 3.9, without time and assignment: print a dump instead")
    head, mark, said = line.partition("]::")
    key_parts = head.removeprefix("[").rsplit(",", 2)
    if not mark or not head.startswith("[") or len(key_parts) < 3 or _PARTITION.fullmatch(key_parts[2]) is None:
        return (2, {"group": line[: -len(_NULL)]}, None, None) if line.endswith(_NULL) else None
    key: dict[str, object] = {"group": key_parts[0], "topic": key_parts[1], "partition": int(key_parts[2])}
    if said == "NULL":
        return 1, key, None, None
    offset, time = _OFFSET.match(said), _TIME.search(said)
    if offset is None or time is None or int(time[1]) > LATEST_MS:
        raise ValueError("no commit")
    epoch, metadata = _EPOCH.search(said), _METADATA.search(said)
    text = (metadata[1] or metadata[2] or "") if metadata is not None else ""
    value: dict[str, object] = {
        "offset": int(offset[1]),
        "leaderEpoch": int(epoch[1]) if epoch is not None else -1,
        "metadata": "" if text == _NO_METADATA else text,
        "commitTimestamp": int(time[1]),
    }
    return 1, key, None, value
