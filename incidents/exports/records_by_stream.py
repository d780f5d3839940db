"""The records of one file, by the stream that they belong to; nothing for a plain log, which is read as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from groupsim.incidents.errors import LogError
from groupsim.incidents.exports import evidence, order
from groupsim.incidents.exports import line_prefixes as heads
from groupsim.incidents.exports.document import HEAD, Kind, Raw, kind_of, raw_records
from groupsim.incidents.exports.empty_documents import answer
from groupsim.incidents.exports.evidence import Fields
from groupsim.incidents.exports.find_records import ORIGINAL, PLAIN
from groupsim.incidents.exports.moments import moment
from groupsim.incidents.exports.nested_fields import opened
from groupsim.incidents.exports.order import Entry
from groupsim.incidents.exports.plain_log import own_ms, whole_records
from groupsim.incidents.exports.relevant import FIRST, KEYWORD, Passed, numbered_lines, relevant, without_groups
from groupsim.incidents.exports.sequence import ordinal
from groupsim.incidents.logs.formats import clean, parse
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.recognition import recognise
from groupsim.incidents.logs.scan import open_log
from groupsim.incidents.logs.times import zone_named

_SAMPLED = 800
_LOOKED_AT = 2 * FIRST
"""Records by which the fields are chosen: the first, and as many near those that concern groups."""
_FEWEST_TIMES = 3
"""So many different times must fall before a plain log counts as newest first."""
_BANNER = 8
"""Lines at a text's beginning that may be the tool's own."""
Key = tuple[str, ...]


@dataclass(slots=True)
class Remarks:
    """How files were read (`notes`), what is damaged, and why a figure made of them may be wrong.

    `resolution_ms`: that of the coarsest times, if they are coarser than a log's own, else 0; `placed_ms`: so far were
    these moved to be in order.
    """

    notes: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    uncertain: list[str] = field(default_factory=list)
    resolution_ms: int = 0
    placed_ms: int = 0
    answers: dict[str, str] = field(default_factory=dict)
    """Of files without records, what they hold instead."""


class Part(NamedTuple):
    """One stream's share of one file. Parts of one `key` are one stream."""

    key: Key
    path: Path
    label: str | None
    entries: list[Entry]


class PartReader:
    """Reads files. `zone` is that of times without one; `given` are fields that the user named."""

    def __init__(self, zone: tzinfo | None, given: Fields | None, remarks: Remarks) -> None:
        self._zone = zone
        self._given = given
        self._remarks = remarks
        self.undetermined: set[Path] = set()
        """Plain logs whose own times do not say whether they are newest first."""
        self.passed: dict[Path, Passed] = {}
        """Files in which nothing concerns groups."""

    def parts(self, path: Path, repeated: bool) -> list[Part] | None:
        """The streams of one file; None if it is a plain log.

        `repeated`: other files have the same name, so they may be parts of one stream. Raises LogError.
        """
        try:
            with open_log(path) as stream:
                kind = kind_of(stream.read(HEAD))
            return self._text(path, repeated) if kind is Kind.TEXT else self._document(path, kind, repeated)
        except OSError as error:
            raise LogError(f"{path} can't be read: {error.strerror or error}") from None

    def _document(self, path: Path, kind: Kind, repeated: bool) -> list[Part] | None:
        if self._nothing_in(path):
            return None
        packed_badly: list[str] = []
        with open_log(path, None, packed_badly.append) as stream:
            raws = (
                Raw(raw.number, opened(raw.fields))
                for raw in raw_records(kind, stream, lambda said: self._remarks.damage.append(f"{path}: {said}"))
            )
            first = list(islice(raws, _LOOKED_AT))
            records = [raw.fields for raw in first]
            given = None if self._given is None else evidence.named(self._given, records, str(path))
            fields = evidence.choose(records, _recognised, self._zone, given)
            if fields is None or not evidence.concerns_groups(records, fields):
                return None
            parts = _by_stream(path, self._entries(path, chain(first, raws), fields), fields, repeated)
        if not repeated and _is_plain(first, fields, parts):
            return None  # the log reader reads it, and says what is damaged
        self._damaged(packed_badly)
        text = f"{kind.value}, text from {' or '.join(fields.texts)}, time from {fields.time or 'the text'}"
        self._note(path, text, parts, fields.stream)
        return parts

    def look_for_answer(self, path: Path) -> None:
        """Note what a file holds instead of records, if that is known."""
        with open_log(path) as stream:
            sentence = answer(stream.read(HEAD + 1))
        if sentence is not None:
            self._remarks.answers[str(path)] = sentence

    def _nothing_in(self, path: Path) -> bool:
        passed = without_groups(path)
        if passed is not None:
            self.passed[path] = passed
        return passed is not None

    def _text(self, path: Path, repeated: bool) -> list[Part] | None:
        with open_log(path) as stream:
            sample = [clean(line) for line in stream.read(HEAD).split(b"\n")[:_SAMPLED]]
        head = heads.head_of(sample[_BANNER:]) if len(sample) > 2 * _BANNER else None
        head = head or heads.head_of(sample)
        times = [ms for line in sample if (ms := own_ms(line, self._zone)) is not None]
        newest_first = heads.falling(times) is True and len(set(times)) >= _FEWEST_TIMES
        if head is None and not newest_first and not repeated:
            if len(set(times)) < 2:
                self.undetermined.add(path)
            return None
        if self._nothing_in(path):
            return None
        packed_badly: list[str] = []
        with open_log(path, None, packed_badly.append) as stream:
            lines = [(number, clean(line)) for number, line, _ in relevant(numbered_lines(stream), lambda x: x.hot)]
        self._damaged(packed_badly)
        if head is None:
            records = whole_records(lines) if newest_first else lines
            entries = [(None, Entry(str(path), number, None, 0, None, text)) for number, text in records]
            parts = self._self_dated(_by_stream(path, entries, None, repeated))
            self._note(path, "text", parts, None)
            return parts
        raws = [Raw(number, record) for number, record in heads.split(head, lines)]
        timed = any("time" in raw.fields for raw in raws)
        label = next((name for name in heads.LABELS if any(name in raw.fields for raw in raws)), None)
        fields = Fields(("line",), "time" if timed else None, label, None, None, label is not None)
        parts = _by_stream(path, self._entries(path, raws, fields), fields, repeated)
        parts = parts if timed else self._self_dated(parts)
        self._note(path, f"text, each line behind what {head.name} writes", parts, label)
        return parts

    def _damaged(self, sentences: Sequence[str]) -> None:
        self._remarks.damage += sentences
        self._remarks.uncertain += sentences

    def _entries(self, path: Path, raws: Iterable[Raw], fields: Fields) -> Iterator[tuple[str | None, Entry]]:
        """Each record that has a text, with its stream's label."""
        zone = None if fields.texts[0].startswith("@message") else self._zone  # CloudWatch Insights speaks in UTC
        numbers = fields.sequence
        twice = False
        for number, record in raws:
            text = evidence.text_of(record, fields.texts)
            if text is None:
                continue
            if fields.whole is not None and PLAIN not in record:
                text = evidence.whole(record, fields.whole)
            own = None if fields.zone is None else zone_named(str(record.get(fields.zone)))
            at = None if fields.time is None else moment(record.get(fields.time), own or zone)
            label = None if fields.stream is None else record.get(fields.stream)
            place = None if numbers is None else ordinal(record.get(numbers.field))
            ns, resolution = (None, 0) if at is None else at[:2]
            twice = twice or (at is not None and at.twice)
            yield (
                None if label is None else clean(str(label).encode("utf-8", "replace")),
                Entry(
                    str(path),
                    number,
                    ns,
                    resolution,
                    place if place is None or numbers is None else numbers.sign * place,
                    text.rstrip("\r\n"),
                ),
            )
        if twice:
            self._remarks.uncertain.append(
                f"{path}: the clock shows one hour twice (it goes back), and its records do not say in which of the two"
                " they were written: they are read as of the first; export it with UTC times"
            )

    def _self_dated(self, parts: Sequence[Part]) -> list[Part]:
        """The parts with the times that stand in their own texts."""
        return [part._replace(entries=[self._dated(entry) for entry in part.entries]) for part in parts]

    def _dated(self, entry: Entry) -> Entry:
        ms = own_ms(entry.text, self._zone)
        return entry if ms is None else entry._replace(ns=ms * 1_000_000, resolution=1_000_000)

    def _note(self, path: Path, text: str, parts: Sequence[Part], label: str | None) -> None:
        orders = [order.direction(part.entries) for part in parts]
        shown = "newest first" if any(orders) else "oldest first" if False in orders else "in no order"
        streams = f", {len(parts)} streams by {label}" if len(parts) > 1 else ""
        note = f"{path}: read as {text}, {shown}{streams}"  # names of fields are as untrusted as texts
        self._remarks.notes.append(clean(note.encode("utf-8", "replace")))


def _is_plain(raws: Sequence[Raw], fields: Fields, parts: Sequence[Part]) -> bool:
    """Whether this is the log of a program that writes JSON itself: an object a line, oldest first, no stream named."""
    if fields.stream is not None or any("." in text for text in fields.texts):
        return False
    if any(ORIGINAL not in raw.fields and PLAIN not in raw.fields for raw in raws):
        return False
    return all(order.direction(part.entries) is not True and not order.unordered(part.entries) for part in parts)


def _recognised(text: str) -> int:
    """How many rows the log reader makes of a text's first line."""
    return len(_matches(text))


def describe(text: str) -> tuple[Match, ...]:
    """The rows that the log reader makes of a text's first line."""
    return () if KEYWORD.search(text) is None else _matches(text)


def _matches(text: str) -> tuple[Match, ...]:
    first, _, _ = text.partition("\n")
    return recognise(parse(0, clean(first.encode("utf-8", "replace")))) or ()


def _by_stream(
    path: Path, entries: Iterable[tuple[str | None, Entry]], fields: Fields | None, repeated: bool
) -> list[Part]:
    found: dict[Key, Part] = {}
    for label, entry in entries:
        key: Key = ("file", str(path), label or "")
        if label is not None and fields is not None and fields.strong:
            key = ("label", label)
        elif repeated:  # parts of one stream are called alike, in folders of their own
            key = ("folder", path.parent.name, path.name, label or "")
        if key not in found:
            found[key] = Part(key, path, label, [])
        found[key].entries.append(entry)
    return list(found.values())
