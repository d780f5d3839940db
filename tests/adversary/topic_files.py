"""The records of a drawn run in the three forms in which people have them: segment, dump, console consumer's output."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from groupsim.incidents.offsets_topic.record import KINDS, GroupRecord
from tests.adversary import kafka_bytes
from tests.adversary.strangers import stranger
from tests.incidents.offsets_topic.segment_files import CODECS, Entry, batch
from tests.incidents.offsets_topic.simulated_topic import Keyed, Step, dump_line

SEGMENT, DUMP, CONSOLE = "segment", "dump", "console"
_TIMES = ("commitTimestamp", "currentStateTimestamp", "assignmentTimestamp", "timestamp")
_CHECKSUM_AT = 17
_HEAD = "Dumping __consumer_offsets-7/00000000000000000000.log"


@dataclass
class Written:
    """A topic of one partition. `records` are those that can be read; `unread` counts the others, by form.

    `lost`: offsets in batches of the segment that were damaged, `damaged_at` where such batches begin, `broken_lines`
    how many lines of the dump are broken. `timeless`: offsets of records of which nothing in the console consumer's
    output says when they were written.
    """

    records: list[GroupRecord] = field(default_factory=list)
    unread: dict[str, int] = field(default_factory=lambda: dict.fromkeys((SEGMENT, DUMP, CONSOLE), 0))
    lost: set[int] = field(default_factory=set)
    damaged_at: list[int] = field(default_factory=list)
    timeless: set[int] = field(default_factory=set)
    broken_lines: int = 0
    files: dict[str, Path] = field(default_factory=dict)


class Style:
    """How the cluster of a run writes: versions, codec, whether structures have tags of the future."""

    def __init__(self, rng: Random, static: bool) -> None:
        self.codec = rng.choice(["none", "none", *CODECS])
        self.versions = {1: rng.choice((0, 1, 2, 3, 4)), 2: rng.choice((3, 4) if static else (0, 1, 2, 3, 4))}
        self.later = rng.random() < 0.3
        self._user_data = rng.random() < 0.5
        self._rng = rng

    def value(self, kind: int, value: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Version and fields of a value as this cluster writes it."""
        version = self.versions.get(kind, 0)
        found = kafka_bytes.at_version(kind, version, _with_ids(value))
        if kind == 2 and self._user_data:
            for member in found["members"]:
                for name in ("subscription", "assignment"):
                    drawn = self._rng.randbytes(self._rng.choice((0, 1, 30, 300)))
                    member[name] = {**member[name], "userData": base64.b64encode(drawn).decode()}
        return version, found


class _Pen:
    """Writes records in all forms, batch by batch."""

    def __init__(self, style: Style) -> None:
        self.written = Written()
        self.segment: list[bytes] = []
        self.dump = [_HEAD]
        self.console: list[str] = []
        self._style = style
        self._offset = 0
        self._timed = False

    def batch(self, at_ms: int, records: Sequence[Keyed | None], rng: Random) -> None:
        """One batch; None stands for a record that can't be used."""
        base, entries = self._offset, list[Entry]()
        self.dump.append(f"baseOffset: {base} lastOffset: {base + len(records) - 1} count: {len(records)}")
        for each in records:
            entries.append(self._stranger(at_ms, rng) if each is None else self._record(at_ms, base, *each))
            self._offset += 1
        self.segment.append(batch(entries, self._style.codec))

    def _record(self, at_ms: int, base: int, kind: int, key: dict[str, Any], value: dict[str, Any] | None) -> Entry:
        offset, style, written = self._offset, self._style, self.written
        version, said = (None, None) if value is None else style.value(kind, value)
        raw = None if said is None else kafka_bytes.value(kind, version or 0, said, style.later)
        self.dump.append(dump_line(offset, at_ms, kind, key, said, version or 0))
        self.console.append(_printed(kind, key, version, said))
        written.records.append(GroupRecord(offset, base, at_ms, KINDS[kind], key, said, kind, version, ""))
        self._timed |= said is not None and any(said.get(name, -1) > 0 for name in _TIMES)
        if not self._timed:
            written.timeless.add(offset)
        return Entry(offset, kafka_bytes.key(kind, key), raw, at_ms)

    def _stranger(self, at_ms: int, rng: Random) -> Entry:
        offset, unread = self._offset, self.written.unread
        made = stranger(rng, offset)
        self.dump.append(f"| offset: {offset} CreateTime: {at_ms} keySize: 1 sequence: 0 headerKeys: []{made.dump}")
        unread[SEGMENT] += 1
        unread[DUMP] += made.named
        self.written.broken_lines += not made.named
        if made.console is not None:
            self.console.append(made.console)
            unread[CONSOLE] += 1
        return Entry(offset, made.key, made.value, at_ms)


def write(rng: Random, found: Iterable[Step], style: Style, folder: Path) -> Written:
    """Write a run's steps, each a batch, in all forms."""
    pen, strange = _Pen(style), rng.choice((0, 0, 0.02, 0.3))
    for at_ms, keyed in found:
        records: list[Keyed | None] = [*keyed]
        while rng.random() < strange:
            records.insert(rng.randint(0, len(records)), None)
        pen.batch(at_ms, records, rng)
    written = pen.written
    if len(pen.segment) > 3 and rng.random() < 0.2:
        _damage(rng, pen)
    home = folder / "__consumer_offsets-7"
    home.mkdir()
    written.files = {
        SEGMENT: home / "00000000000000000000.log",
        DUMP: folder / "dump.txt",
        CONSOLE: folder / "console.txt",
    }
    written.files[SEGMENT].write_bytes(b"".join(pen.segment))
    written.files[DUMP].write_text("\n".join(pen.dump) + "\n", encoding="utf-8")
    written.files[CONSOLE].write_text("".join(pen.console), encoding="utf-8")
    return written


def _damage(rng: Random, pen: _Pen) -> None:
    """Turn a bit in a few batches of the segment."""
    written, number = pen.written, rng.randint(1, 3)
    places = list(accumulate((len(raw) for raw in pen.segment), initial=0))
    for at in sorted(rng.sample(range(len(pen.segment)), number)):
        raw = bytearray(pen.segment[at])
        base, count = int.from_bytes(raw[:8], "big"), int.from_bytes(raw[57:61], "big")
        raw[rng.randrange(_CHECKSUM_AT, len(raw))] ^= 1 << rng.randrange(8)
        pen.segment[at] = bytes(raw)
        offsets = set(range(base, base + count))
        written.unread[SEGMENT] -= len(offsets - {each.offset for each in written.records})
        if base - 1 not in written.lost:
            written.damaged_at.append(places[at])
        written.lost |= offsets


def topic_id(topic: str) -> str:
    """An id as Kafka prints it."""
    return base64.urlsafe_b64encode(hashlib.md5(topic.encode(), usedforsecurity=False).digest())[:22].decode()


def _with_ids(value: Any) -> Any:
    """The same with ids of topics for what stands in their place in facts."""
    if isinstance(value, list):
        return [_with_ids(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: topic_id(each) if name == "topicId" else _with_ids(each) for name, each in value.items()}


def _printed(kind: int, key: dict[str, Any], version: int | None, value: dict[str, Any] | None) -> str:
    """As the console consumer's formatters print it, without a line's end; what members sent are bytes there."""
    if kind == 2 and value is not None:
        value = {**value, "members": [_with_bytes(each) for each in value["members"]]}
    said = None if value is None else {"version": str(version), "data": value}
    return json.dumps({"key": {"type": str(kind), "data": key}, "value": said}, separators=(",", ":"))


def _with_bytes(member: dict[str, Any]) -> dict[str, Any]:
    raw = {
        "subscription": kafka_bytes.subscription(member["subscription"]),
        "assignment": kafka_bytes.assignment(member["assignment"]),
    }
    return {**member, **{name: base64.b64encode(each).decode() for name, each in raw.items()}}
